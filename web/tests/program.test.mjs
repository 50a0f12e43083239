// The page in front of the program itself. Long runs: TACTUS_LONG_TESTS=1 (ten minutes of soak, all models dragged for longer).
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {ask, hasProgram, openBrowser, openPage, ready, screenOf, startProgram, still, until} from './support.mjs';

const long = process.env.TACTUS_LONG_TESTS === '1';
const skip = hasProgram ? false : 'the program is not built';
const CONSTRAINT_LIMIT = 1e-6; // [m or rad] under violent dragging
const STEPPING_LIMIT = 1e-4; // the same, by whole steps
const GROWTH = 1.25; // of the memory in use, over a soak: collection is never complete

let browser, server;
before(async () => {
  if (skip) return;
  browser = await openBrowser();
  server = await startProgram();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function withPage(work, options = {}) {
  const opened = await openPage(browser, options.address ?? server.address, options);
  try {
    await work(opened.page, opened);
    if (!options.mayFail) assert.deepEqual(opened.troubles, []);
  } finally {
    await opened.close();
  }
}
const open = async (page, model) => {
  const done = await ask(page, {type: 'open', model});
  assert.ok(done.ok, `${model}: ${done.what}`);
  await ready(page, model);
};
const order = async (page, message) => {
  const done = await ask(page, message);
  assert.ok(done.ok, `${JSON.stringify(message)}: ${done.what}`);
};
const force = (page) => page.evaluate(() => Math.hypot(...window.tactus.app.frame.force));

test('The first mechanism moves at once and is grabbed: it follows the hand, and the hand feels it', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    const t = await page.evaluate(() => window.tactus.stage.history.newest.t);
    await until(page, 'motion', (old) => window.tactus.stage.history.newest.t > old + 0.2, t);
    await open(page, 'four_bar');
    await still(page);
    const at = await screenOf(page, 'coupler');
    assert.ok(!at.hidden, 'the coupler is seen');
    await ask(page, {type: 'time', do: 'run'});
    await page.mouse.move(at.x, at.y);
    await still(page);
    const there = await screenOf(page, 'coupler');
    await page.mouse.move(there.x, there.y);
    await page.mouse.down();
    await ask(page, {type: 'time', do: 'run'});
    await until(page, 'the hold', () => window.tactus.app.frame.held > 0);
    await page.mouse.move(there.x + 40, there.y + 10, {steps: 8});
    await until(page, 'a force', () => Math.hypot(...window.tactus.app.frame.force) > 0.05);
    await until(page, 'a delay that was measured', () => Number.isFinite(window.tactus.hand.delay.value));
    // Where the hand rests, the held point comes to it as far as the linkage lets it.
    await page.waitForTimeout(800);
    await page.mouse.up();
    await until(page, 'letting go', () => window.tactus.app.frame.held <= 0);
  }));

test('Dragging across the reach of a linkage is resisted, and its constraints hold', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'four_bar');
    await still(page);
    const at = await screenOf(page, 'rocker');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await ask(page, {type: 'time', do: 'run'});
    await page.mouse.move(at.x + 320, at.y - 200, {steps: 20});
    await until(page, 'more than a newton of reaction', () => Math.hypot(...window.tactus.app.frame.force) > 1);
    await page.waitForTimeout(500);
    assert.ok((await force(page)) > 0.5, 'and it lasts');
    const worst = await page.evaluate(() => window.tactus.app.status.value.errors.worst_position);
    assert.ok(worst < CONSTRAINT_LIMIT, `constraint error ${worst}`);
    await page.mouse.up();
  }));

test('A chain pushed against its wall touches it: contacts are shown, with forces', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'chain_in_enclosure');
    const touched = await page.evaluate(async () => {
      const {app, link} = window.tactus;
      const bodies = app.scene.value.bodies;
      const index = bodies.findIndex((b) => b.name === 'link_3');
      link.send({type: 'grab', body: index, point: bodies[index].com, target: [0.085, 0.03, 0], sequence: 1});
      for (let i = 0; i < 60; ++i) {
        link.send({type: 'move', target: [0.12, 0.03, 0], sequence: 2 + i});
        await new Promise((r) => setTimeout(r, 50));
        if (app.frame.contacts > 0) break;
      }
      const {contacts, contactWords} = app.frame;
      return {contacts, force: Math.hypot(contactWords[7], contactWords[8], contactWords[9])};
    });
    assert.ok(touched.contacts > 0, 'a contact');
    assert.ok(touched.force > 0, 'with a force');
    await until(page, 'an event in the timeline', () => window.tactus.app.events.length > 0);
  }));

test('A parameter is changed while it runs, and reset', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'slider_crank');
    const name = await page.evaluate(() => window.tactus.app.scene.value.parameters.find((p) => p.adjustable)?.name);
    assert.ok(name, 'one is adjustable');
    const slider = page.locator('#panel-model input[type=range]').first();
    await slider.focus();
    for (let i = 0; i < 40; ++i) await slider.press('ArrowRight');
    const initial = await page.evaluate((n) => window.tactus.app.scene.value.parameters.find((p) => p.name === n).initial, name);
    await until(page, 'the new value', ([n, old]) => {
      const now = window.tactus.app.status.value.parameters[n];
      return now !== undefined && Math.abs(now - old) > 1e-3 * Math.abs(old);
    }, [name, initial]);
    await page.getByRole('button', {name: 'As in the file'}).click();
    await until(page, 'the old value', ([n, old]) => Math.abs((window.tactus.app.status.value.parameters[n] ?? old) - old) < 1e-9, [name, initial]);
  }));

test('A model file is broken and mended in the page; the error stands at its line, in the program\'s words', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'four_bar');
    await page.evaluate(() => window.tactus.app.openPanel('file'));
    await until(page, 'the text', () => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')?.textContent.includes('four'));
    const edit = (from, to) => page.evaluate(([a, b]) => {
      const content = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
      const {view} = content.cmTile ?? content.cmView.rootView ?? content.cmView;
      const text = view.state.doc.toString();
      const at = text.indexOf(a);
      if (at < 0) throw new Error(`no ${a}`);
      view.dispatch({changes: {from: at, to: at + a.length, insert: b}});
    }, [from, to]);
    await edit('child: coupler', 'child: coupleur');
    await until(page, 'the error in words', () => /coupleur/.test(document.querySelector('.editormessage')?.textContent ?? ''));
    assert.match(await page.locator('.editormessage').textContent(), /line \d+/);
    assert.equal(await page.getByRole('button', {name: 'Apply'}).isDisabled(), true);
    await until(page, 'the mark in the text', () => document.querySelector('.editor').shadowRoot.querySelector('.cm-lintRange-error'));
    await edit('child: coupleur', 'child: coupler');
    await edit('value: 2, unit: kg/m', 'value: 3, unit: kg/m');
    await until(page, 'no error', () => document.querySelector('.editormessage .bad') === null && !document.querySelector('.filebody .primary').disabled);
    const t = await page.evaluate(() => window.tactus.stage.history.newest.t);
    await page.getByRole('button', {name: 'Apply'}).click();
    await until(page, 'the edited model', () => window.tactus.app.scene.value.parameters.find((p) => p.name === 'density')?.initial === 3);
    await until(page, 'its motion', () => window.tactus.stage.history.length > 3);
    assert.ok((await page.evaluate(() => window.tactus.stage.history.newest.t)) > 0.5 * t, 'it goes on from where it stood');
  }));

test('A file that is dropped on the page is opened; a broken one is shown with its mistake', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    const drop = (name, text) => page.evaluate(([n, x]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([x], n, {type: 'text/yaml'}));
      for (const kind of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }, [name, text]);
    await drop('mine.yaml', 'name: mine\nbodies:\n  bob: {mass: 1, com: [0, 0, -1]}\njoints:\n  q: {type: revolute, parent: world, child: bob, axis: y}\ninitial: {q: {q: 1}}\n');
    await until(page, 'my own model', () => window.tactus.app.scene.value.model.name.includes('mine') && window.tactus.stage.history.length > 2);
    await drop('broken.yaml', 'name: broken\nbodies:\n  bob: {mas: 1}\n');
    const mistake = () => until(page, 'the mistake', () => /mas/.test(document.querySelector('.editormessage')?.textContent ?? ''));
    await mistake();
    // Again, with the editor open on what runs: its text may arrive later than the mistake, and does not take the place of it.
    await drop('other.yaml', 'name: other\nbodies:\n  bob: {mass: 2, com: [0, 0, -1]}\njoints:\n  q: {type: revolute, parent: world, child: bob, axis: y}\n');
    await until(page, 'the other model', () => window.tactus.app.scene.value.model.name.includes('other'));
    await drop('broken.yaml', 'name: broken\nbodies:\n  bob: {mas: 1}\n');
    await mistake();
    await page.waitForTimeout(600); // longer than the panel waits before it checks a text
    assert.match(await page.evaluate(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-content').textContent), /mas: 1/);
    assert.match(await page.evaluate(() => document.querySelector('.editormessage').textContent), /mas/);
  }));

test('Two pages: one holds, the other looks, is told who holds, and may take it over', {skip}, () =>
  withPage(async (first) => {
    await ready(first);
    await open(first, 'four_bar');
    await withPage(async (second) => {
      await ready(second, 'four_bar');
      const [a, b] = await Promise.all([first, second].map((p) => p.evaluate(() => window.tactus.link.you.value)));
      assert.notEqual(a, b);
      await first.evaluate(() => window.tactus.link.send({type: 'grab', body: 2, point: [0.15, 0, 0], target: [0.2, 0, 0.3], sequence: 1}));
      await until(second, 'the force of the first in the second', () => window.tactus.app.frame.held === 2);
      const refused = await ask(second, {type: 'time', do: 'reset'});
      assert.equal(refused.ok, false);
      await until(second, 'words about who holds', () => /holds/.test(document.querySelector('.holder')?.textContent ?? ''));
      await first.evaluate(() => window.tactus.link.send({type: 'release'}));
      await first.evaluate(() => window.tactus.link.send({type: 'leave'}));
      await until(second, 'nobody holds', () => window.tactus.app.status.value.holder === null);
      await order(second, {type: 'take'});
      await until(first, 'the second holds', (you) => window.tactus.app.status.value.holder === you, b);
    });
  }));

test('The page heals after the server was started again', {skip}, async () => {
  let own = await startProgram('four_bar');
  const {port} = new URL(own.address);
  const {page, close} = await openPage(browser, own.address);
  try {
    await ready(page, 'four_bar');
    await own.stop();
    await until(page, 'the loss to be said', () => !document.querySelector('.alarm').hidden && /does not answer/.test(document.querySelector('.alarm').textContent));
    own = await startProgram('four_bar', {port});
    await until(page, 'motion again', () => window.tactus.link.open && window.tactus.stage.history.length > 3 && document.querySelector('.alarm').hidden, undefined, 30_000);
  } finally {
    await close();
    await own.stop();
  }
});

test('Equations are shown as the server says them, and again when a constraint is switched', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'shopping_cart');
    await page.evaluate(() => window.tactus.app.openPanel('equations'));
    await until(page, 'equations', () => document.querySelectorAll('#panel-equations .katex').length > 3, undefined, 60_000);
    assert.equal(await page.locator('#panel-equations .katex-error').count(), 0);
    const acts = await page.locator('#panel-equations .acts').count();
    await order(page, {type: 'constraint', name: 'stick', on: true});
    await until(page, 'one more constraint that acts', (n) => document.querySelectorAll('#panel-equations .acts').length > n, acts, 60_000);
  }));

test('Snapshots, recordings, single steps, slow motion, looking back', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'double_pendulum');
    await order(page, {type: 'record', on: true});
    await page.waitForTimeout(500);
    await order(page, {type: 'snapshot', do: 'save'});
    await page.waitForTimeout(500);
    await order(page, {type: 'record', on: false});
    await until(page, 'a recording', () => window.tactus.app.status.value.recordings.some((r) => r.ready));
    const files = await page.evaluate(async () => {
      const {id} = window.tactus.app.status.value.recordings.at(-1);
      return Promise.all(['csv', 'mcap', 'json'].map(async (ext) => (await fetch(`./recordings/${id}.${ext}`)).status));
    });
    assert.deepEqual(files, [200, 200, 200]);
    const kept = await page.evaluate(() => window.tactus.app.status.value.snapshots.at(-1));
    await order(page, {type: 'snapshot', do: 'load', id: kept.id});
    await still(page);
    const t = await page.evaluate(() => window.tactus.app.status.value.t);
    await page.getByRole('button', {name: 'One step'}).click();
    await until(page, 'one step', (old) => Math.abs(window.tactus.app.status.value.t - old - 0.001) < 1e-6, t);
    await page.evaluate(() => window.tactus.dock.timeline.lookAt(0.3));
    await until(page, 'the past', () => window.tactus.stage.lookBack !== null);
    await page.getByRole('button', {name: 'Back to now'}).click();
    await until(page, 'the present', () => window.tactus.stage.lookBack === null);
  }));

test('A law leads the PUMA: forces, errors, gains and limits come from the program', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'puma560');
    await page.evaluate(() => window.tactus.app.openPanel('control'));
    await until(page, 'laws', () => document.querySelectorAll('#control-law option').length === 7);
    await page.selectOption('#control-law', 'pole-placement');
    await until(page, 'the law', () => window.tactus.app.status.value.control?.law === 'pole-placement');
    await page.selectOption('#control-target', 'slew');
    await until(page, 'forces', () => Math.max(...(window.tactus.app.status.value.control?.torque ?? [0]).map(Math.abs)) > 5);
    await until(page, 'small errors', () => Math.max(...window.tactus.app.status.value.control.largest) < 2e-3);
    await until(page, 'gains', () => document.querySelectorAll('.heat tbody td').length === 72 && /\d/.test(document.querySelector('.heat tbody td').textContent));
    await until(page, 'limits', () => /Stable/.test(document.querySelector('#panelbody-control').textContent));
    await page.selectOption('#control-law', 'off');
    await until(page, 'off', () => window.tactus.app.status.value.control === null);
    await open(page, 'four_bar');
    await until(page, 'why not', () => /has constraints/.test(document.querySelector('#panelbody-control').textContent));
  }));

test('A payload of 150 kg is put into its slot: its mass is felt, the walls answer, and their forces are logged', {skip}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'payload');
    const before = await page.evaluate(() => window.tactus.app.status.value.recordings.length);  // of the tests before
    await order(page, {type: 'record', on: true});
    const seen = await page.evaluate(async () => {
      const {app, link} = window.tactus;
      const body = app.scene.value.bodies.findIndex((b) => b.name === 'box');
      let sequence = 1, force = 0, contacts = 0, mass = null;
      link.send({type: 'grab', body, point: [0, 0, 0], target: [0, 0, 0], sequence});
      // Straight in, and against a wall only once it is inside, however slow the machine is; then on to the end.
      for (let i = 0, after = 0; i < 600 && after < 20; ++i) {
        const x = app.frame.poses[7 * body];
        after += x < -0.32 ? 1 : 0;
        link.send({type: 'move', target: [Math.max(-0.4, x - 0.04), x < -0.15 ? 0.012 : 0, 0], sequence: ++sequence});
        await new Promise((r) => setTimeout(r, 50));
        const f = app.frame;
        contacts = Math.max(contacts, f.contacts);
        for (let k = 0; k < f.contacts; ++k) force = Math.max(force, Math.hypot(...f.contactWords.slice(10 * k + 7, 10 * k + 10)));
        mass ??= app.status.value.hand?.felt?.masses[1] ?? null;
      }
      return {force, contacts, mass, x: app.frame.poses[7 * body]};
    });
    assert.ok(Math.abs(seen.mass - 150) < 1, `felt ${seen.mass} kg`);
    assert.ok(seen.x < -0.3, `it is at ${seen.x}`);
    assert.ok(seen.contacts > 0 && seen.force > 1, `${seen.contacts} contacts, ${seen.force} N`);
    await page.evaluate(() => window.tactus.link.send({type: 'release'}));
    await order(page, {type: 'record', on: false});
    await until(page, 'its files', (count) => {
      const {recordings} = window.tactus.app.status.value;
      return recordings.length > count && recordings.at(-1).ready;
    }, before);
    const most = await page.evaluate(async () => {
      const {id} = window.tactus.app.status.value.recordings.at(-1);
      const lines = (await (await fetch(`./recordings/${id}.csv`)).text()).trim().split('\n').map((l) => l.split(','));
      const column = lines[0].findIndex((n) => n.endsWith('.normal'));
      return Math.max(...lines.slice(1).map((l) => Number(l[column])));
    });
    assert.ok(most > 1, `${most} N in the table`);
  }));

test('Every model opens, runs and bears a violent hand: constraints hold, the loop lives', {skip, timeout: 1_800_000}, () =>
  withPage(async (page) => {
    await ready(page);
    const models = await page.evaluate(() => window.tactus.app.gallery.value.models.filter((m) => !m.problem).map((m) => m.name));
    assert.ok(models.length >= 40);
    const report = [];
    for (const model of models) {
      const opened = await ask(page, {type: 'open', model});
      if (!opened.ok) {
        report.push(`${model}: does not open: ${opened.what}`);
        continue;
      }
      await ready(page, model);
      const result = await page.evaluate(async (milliseconds) => {
        const {app, link, stage} = window.tactus;
        const {bodies, radius} = app.scene.value;
        const candidates = bodies.map((b, i) => i).filter((i) => i > 0 && !bodies[i].hidden && !bodies[i].fixed);
        const index = candidates[candidates.length - 1];
        const start = stage.view.worldOf(index, stage.eye.target.clone().fromArray(bodies[index].com)).toArray();
        let sequence = 0, held = 0, most = 0;
        link.send({type: 'grab', body: index, point: bodies[index].com, target: start, sequence: ++sequence});
        const begin = performance.now();
        // A slow machine needs longer for the first frames of a heavy model.
        while (performance.now() - begin < (held > 5 ? milliseconds : 20_000)) {
          const s = (performance.now() - begin) / 1000;
          // To and fro across twice the mechanism, four times per second, in all directions.
          const target = start.map((x, k) => x + 2 * radius * Math.sin(25 * s * (1 + 0.3 * k) + k));
          link.send({type: 'move', target, sequence: ++sequence});
          if (app.frame.held > 0) ++held;
          most = Math.max(most, Math.hypot(...app.frame.force));
          await new Promise((r) => setTimeout(r, 15));
        }
        link.send({type: 'release'});
        await new Promise((r) => setTimeout(r, 250));
        const {errors, fault, state} = app.status.value;
        return {held, most, worst: errors?.worst_position ?? 0, fault, state, engine: app.scene.value.engine, t: stage.history.newest.t};
      }, long ? 8000 : 1200);
      const limit = result.engine === 'stepping' ? STEPPING_LIMIT : CONSTRAINT_LIMIT;
      if (result.held === 0) report.push(`${model}: was not held`);
      if (!(result.most > 0)) report.push(`${model}: no force was felt`);
      if (!(result.worst <= limit)) report.push(`${model}: constraint error ${result.worst} (${result.engine})`);
      if (result.fault) report.push(`${model}: ${result.fault.what}`);
      await ask(page, {type: 'clear_fault'});
    }
    assert.deepEqual(report, []);
  }, {mayFail: /./}));

test('A soak without growth', {skip, timeout: 900_000}, () =>
  withPage(async (page) => {
    await ready(page);
    await open(page, 'newtons_cradle');
    const memory = () => page.evaluate(() => {
      window.gc?.();
      return performance.memory.usedJSHeapSize;
    });
    // The page's own memory of the motion fills first, where the run is long enough for it.
    await page.waitForTimeout(long ? 150_000 : 8000);
    const first = await memory();
    await page.waitForTimeout(long ? 600_000 : 12_000);
    const last = await memory();
    const room = long ? 0 : 8e6; // of the history that still fills
    assert.ok(last < GROWTH * first + room, `${first} bytes became ${last}`);
    const {history, pictures} = await page.evaluate(() => ({history: window.tactus.stage.history.length, pictures: window.tactus.stage.pictures}));
    assert.ok(history < 8000 && pictures > 0);
  }));
