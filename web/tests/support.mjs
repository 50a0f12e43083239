// For tests in the browser: Debian's chromium without a display, the program or its mock, a page that reports what goes wrong.
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

const here = fileURLToPath(new URL('.', import.meta.url));
export const web = join(here, '..');
export const program = process.env.TACTUS_PROGRAM ?? join(web, '..', 'build', 'release', 'tactus');
export const hasProgram = existsSync(program);

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const executable = candidates.find((path) => path && existsSync(path));

export async function openBrowser() {
  if (!executable) throw new Error('no chromium: apt install chromium, or set CHROMIUM to its path');
  return chromium.launch({
    executablePath: executable,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-dev-shm-usage', '--enable-precise-memory-info', '--js-flags=--expose-gc', '--mute-audio',
    ],
  });
}

/** A page at an address. What it says on the console as an error, throws or asks of other hosts is kept in `troubles`. */
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({
    viewport: options.viewport ?? {width: 1200, height: 760},
    colorScheme: options.dark ? 'dark' : 'light',
    deviceScaleFactor: options.scale ?? 1,
    hasTouch: options.touch ?? false,
    isMobile: options.touch ?? false,
    reducedMotion: options.reducedMotion ?? 'reduce',
  });
  const page = await context.newPage();
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !options.mayFail?.test(message.text())) troubles.push(`console: ${message.text()}`);
  });
  const origin = new URL(address).origin;
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:') && !url.startsWith(origin.replace('http', 'ws'))) troubles.push(`request to elsewhere: ${url}`);
  });
  if (options.storage) {
    await page.addInitScript((storage) => {
      for (const [key, value] of Object.entries(storage)) if (localStorage.getItem(`tactus.${key}`) === null) localStorage.setItem(`tactus.${key}`, JSON.stringify(value));
    }, options.storage);
  }
  await page.goto(address, {waitUntil: 'commit', timeout: 120_000});
  return {page, context, troubles, close: () => context.close()};
}

/** Waits for a condition in the page; says what was waited for where it does not come. */
export async function until(page, what, condition, argument, timeout = 90_000) {
  try {
    return await page.waitForFunction(condition, argument, {timeout, polling: 100});
  } catch (error) {
    throw new Error(`waited for: ${what} (${error.message.split('\n')[0]})`);
  }
}

export const ready = (page, model) =>
  until(page, `the scene${model ? ` of ${model}` : ''} and its frames`, (name) => {
    const t = window.tactus;
    return t?.app.scene.value && (!name || t.app.scene.value.model.name === name) && (t.stage.history.length > 3 || (t.stage.history.length > 0 && t.app.status.value?.state === 'paused')) && t.app.status.value?.scene === t.app.scene.value.id;
  }, model);

/** Pauses, and waits until the picture shows where it stands. */
export async function still(page) {
  await page.evaluate(() => window.tactus.link.ask({type: 'time', do: 'pause'}));
  await until(page, 'a pause', () => window.tactus.app.status.value.state === 'paused');
  await until(page, 'the picture to stand still', () => {
    const {stage} = window.tactus;
    const {poses} = stage.history.newest;
    return stage.poses.every((x, i) => Math.abs(x - poses[i]) < 1e-6);
  });
}

/** Where a point of a body is on the screen: its mass centre, or the first place on it that the mouse would take hold of. */
export async function screenOf(page, name) {
  return page.evaluate((wanted) => {
    const {stage, app} = window.tactus;
    const bodies = app.scene.value.bodies;
    const index = bodies.findIndex((b, i) => (wanted === undefined ? i > 0 && !b.hidden && !b.fixed : b.name === wanted));
    const box = stage.canvas.getBoundingClientRect();
    const seen = (x, y) => stage.pick(x, y, 0)?.body === index;
    const v = stage.eye.target.clone();
    stage.view.worldOf(index, v.fromArray(bodies[index].com));
    const p = stage.eye.project(v).clone();
    for (let r = 0; r < 260; r += 6) {
      for (let k = 0; k < (r === 0 ? 1 : 12); ++k) {
        const x = p.x + r * Math.cos((k * Math.PI) / 6), y = p.y + r * Math.sin((k * Math.PI) / 6);
        if (x > 2 && y > 2 && x < box.width - 2 && y < box.height - 2 && seen(x, y)) return {x: x + box.left, y: y + box.top, body: index};
      }
    }
    return {x: p.x + box.left, y: p.y + box.top, body: index, hidden: true};
  }, name);
}

/** Sends a message as the page would, and waits for its answer. */
export const ask = (page, message) => page.evaluate((m) => window.tactus.link.ask(m).then((a) => ({ok: true, answer: a}), (e) => ({ok: false, what: e.message})), message);

/** `tactus serve` on a free port. */
export async function startProgram(model, options = {}) {
  const args = ['serve', ...(model ? [model] : []), '--port', String(options.port ?? 0), '--page', join(web, 'dist'), '--models', join(web, '..', 'models'), '--priority', options.priority ?? '0', ...(options.args ?? [])];
  const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe']});
  let said = '';
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`tactus serve said no address within 60 s:\n${said}`)), 60_000);
    const hear = (data) => {
      said += data;
      const found = /https?:\/\/[^\s"]+/.exec(said);
      if (found) {
        clearTimeout(timer);
        resolve(found[0]);
      }
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`tactus serve ended with ${code}:\n${said}`));
    });
  });
  return {
    address, child, said: () => said,
    stop: () => new Promise((done) => {
      if (child.exitCode !== null || child.signalCode !== null) return done();
      const force = setTimeout(() => child.kill('SIGKILL'), 8000);
      child.removeAllListeners('exit');
      child.on('exit', () => {
        clearTimeout(force);
        done();
      });
      child.kill('SIGINT');
    }),
  };
}
