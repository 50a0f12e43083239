// The page in front of a mock of the server: what a real one does not do on demand.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import axe from 'axe-core';
import {arm, start, swarm} from './mock.mjs';
import {openBrowser, openPage, ready, screenOf, still, until} from './support.mjs';

let browser;
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
});
const missing = /404/; // the mock has no pictures

test('The page loads, moves and takes hold; nothing leaves the machine, no error is said', async () => {
  const server = await start();
  const {page, troubles, close} = await openPage(browser, server.address, {mayFail: missing});
  try {
    await ready(page, 'four_bar');
    assert.equal(await page.locator('.hint').isVisible(), true, 'the first visit has a line of advice');
    await still(page);
    const at = await screenOf(page, 'coupler');
    await page.mouse.move(at.x, at.y);
    await until(page, 'the name of what would be grabbed', () => document.querySelector('.name')?.textContent === 'coupler' && !document.querySelector('.name').hidden);
    await page.mouse.down();
    await page.mouse.move(at.x + 60, at.y - 40, {steps: 5});
    await until(page, 'newtons at the hand', () => !document.querySelector('.tag').hidden && /N/.test(document.querySelector('.tag b').textContent));
    assert.equal(await page.locator('.hint').isVisible(), false, 'the advice goes at the first grab');
    const grab = server.state.log.find((m) => m.type === 'grab');
    assert.equal(grab.body, 2);
    assert.ok(server.state.log.some((m) => m.type === 'move' && Number.isFinite(m.target[0]) && m.sequence > 0));
    await page.mouse.up();
    await until(page, 'letting go', () => window.tactus.hand.holding.value === -1);
    assert.ok(server.state.log.some((m) => m.type === 'release'));
    await page.evaluate(() => window.tactus.app.toggleTime());
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('.hint').isVisible(), false, 'and does not come back');
    assert.deepEqual(troubles, []);
  } finally {
    await close();
    await server.stop();
  }
});

test('A fault is said in words, with a way on', async () => {
  const server = await start();
  const {page, close} = await openPage(browser, server.address);
  try {
    await ready(page);
    server.state.fault = {what: 'The force stayed at its limit for 2 s.', why: 'The hand pulled at a wall.', remedy: 'Let go, then go on.', t: 1};
    await until(page, 'the alarm', () => document.querySelector('.alarm')?.textContent.includes('limit for 2 s') && !document.querySelector('.alarm').hidden);
    assert.equal(await page.locator('.dot').getAttribute('data-state'), 'bad');
    await page.getByRole('button', {name: 'Go on'}).click();
    await until(page, 'the alarm to go', () => document.querySelector('.alarm').hidden);
    assert.ok(server.state.log.some((m) => m.type === 'clear_fault'));
  } finally {
    await close();
    await server.stop();
  }
});

test('Messages and frames that do not fit are passed over, the page goes on', async () => {
  const server = await start();
  const {page, troubles, close} = await openPage(browser, server.address, {mayFail: missing});
  try {
    await ready(page);
    server.everyone({type: 'status', scene: 'one', t: null});
    server.everyone({type: 'scene', id: 9, bodies: 'none'});
    server.everyone({type: 'tomorrow'});
    for (const socket of server.sockets.clients) {
      socket.send('{"type": ');
      socket.send('[1, 2, 3]');
      socket.send('null');
      socket.send(new Uint8Array([1, 2, 3]));
      socket.send(new Uint8Array(400));
    }
    const t = await page.evaluate(() => window.tactus.stage.history.newest.t);
    await until(page, 'frames after that', (old) => window.tactus.stage.history.newest.t > old + 0.3, t);
    assert.deepEqual(troubles, []);
  } finally {
    await close();
    await server.stop();
  }
});

test('A name from a model is text, never markup', async () => {
  const server = await start();
  server.state.motion.scene.model = {name: 'evil', title: '<img src=x onerror="window.broken=1">', sentence: '<script>window.broken=1</script>', paper: '<b>b</b>', file: ''};
  const {page, close} = await openPage(browser, server.address);
  try {
    await ready(page, 'evil');
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.match(await page.locator('.model .title').textContent(), /<img/);
  } finally {
    await close();
    await server.stop();
  }
});

test('A silent server is noticed and said, and the page heals when it speaks again', async () => {
  const server = await start();
  const {page, close} = await openPage(browser, server.address);
  try {
    await ready(page);
    server.state.silent = true;
    for (const socket of server.sockets.clients) socket.terminate();
    await until(page, 'the loss to be said', () => document.querySelector('.alarm')?.textContent.includes('does not answer') && !document.querySelector('.alarm').hidden);
    server.state.silent = false;
    await until(page, 'the connection again', () => window.tactus.link.open && document.querySelector('.alarm').hidden);
  } finally {
    await close();
    await server.stop();
  }
});

test('Two hundred bodies: every frame is taken in, and the processor has time to spare for 60 pictures per second', async () => {
  const server = await start({motion: swarm(200)});
  const {page, close} = await openPage(browser, server.address);
  try {
    await ready(page);
    // Without a graphics processor drawing itself is slow; what the page does besides is measured: placing 200 bodies and all else of a picture.
    const milliseconds = await page.evaluate(() => {
      const {stage} = window.tactus;
      const n = 60;
      const begin = performance.now();
      for (let i = 0; i < n; ++i) stage.place();
      return (performance.now() - begin) / n;
    });
    assert.ok(milliseconds < 16.6, `placing everything takes ${milliseconds} ms`);
    const rate = await page.evaluate(() => window.tactus.app.bytesPerSecond / 200);
    assert.ok(rate < 20_000, `${rate} bytes per second and body`);
  } finally {
    await close();
    await server.stop();
  }
});

test('The keyboard alone chooses a body, pushes it, pauses, and opens every panel', async () => {
  const server = await start();
  const {page, close} = await openPage(browser, server.address);
  try {
    await ready(page);
    await page.locator('.stage canvas').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.down('ArrowRight');
    await until(page, 'a push', () => window.tactus.hand.pushed.length() > 0);
    await page.waitForTimeout(300);
    await page.keyboard.up('ArrowRight');
    // The release travels to the server: it is waited for, and is the last.
    const pushed = () => server.state.log.filter((m) => m.type === 'push');
    for (let i = 0; i < 100 && pushed().at(-1)?.force.some((x) => x !== 0); ++i) await page.waitForTimeout(50);
    const pushes = pushed();
    assert.ok(pushes.length >= 2 && pushes[0].body === 1 && pushes[0].force[0] > 0);
    assert.deepEqual(pushes.at(-1).force, [0, 0, 0]);
    for (let i = 0; i < 4; ++i) await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'CANVAS', 'the focus is not caught');
    await page.locator('.stage canvas').focus();
    await page.keyboard.press('Space');
    await until(page, 'a pause', () => window.tactus.app.status.value.state === 'paused');
    await page.keyboard.press('.');
    await until(page, 'a step', () => true);
    for (const [key, panel] of [['u', 'control'], ['e', 'equations'], ['n', 'motion'], ['i', 'file']]) {
      await page.keyboard.press(key);
      await until(page, `panel ${panel}`, (name) => !document.getElementById(`panelbody-${name}`).hidden, panel);
    }
    await page.keyboard.press('Shift+?');
    assert.equal(await page.locator('dialog.help').isVisible(), true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    assert.equal(await page.locator('dialog.sheet').isVisible(), true);
    await page.keyboard.type('puma');
    await until(page, 'one model', () => document.querySelectorAll('dialog.sheet .card').length === 1);
  } finally {
    await close();
    await server.stop();
  }
});

test('What is held shows its masses: numbers in the panel, an ellipsoid at the point, blocked where it cannot move', async () => {
  const server = await start();
  const {page, troubles, close} = await openPage(browser, server.address, {mayFail: missing});
  try {
    await ready(page, 'four_bar');
    await still(page);
    const table = () => page.locator('.felttable tbody th').allTextContents();
    assert.deepEqual(await table(), ['–', '–', '–']);
    const at = await screenOf(page, 'coupler');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 40, at.y, {steps: 4});
    await until(page, 'three masses', () => document.querySelector('.felttable tbody th')?.textContent === '410 g');
    assert.deepEqual(await table(), ['410 g', '2.60 kg', 'blocked']);
    assert.deepEqual(await page.locator('.felttable tbody tr').nth(1).locator('td').allTextContents(), ['0.60', '0', '−0.80'], 'signs begin with plus');
    await until(page, 'the ellipsoid', () => window.tactus.stage.feltHere.group.visible);
    // Along its axes it is as long as 1/sqrt(m), where it has come to rest.
    await page.waitForTimeout(400);
    const lengths = await page.evaluate(() => {
      const {shape} = window.tactus.stage.feltHere;
      const along = (d) => Math.hypot(...[0, 1, 2].map((i) => shape[3 * i] * d[0] + shape[3 * i + 1] * d[1] + shape[3 * i + 2] * d[2]));
      return [along([0.8, 0, 0.6]), along([-0.6, 0, 0.8]), along([0, 1, 0])];
    });
    assert.ok(Math.abs(lengths[1] / lengths[0] - Math.sqrt(0.41 / 2.6)) < 0.01, String(lengths));
    assert.ok(lengths[2] < 2, 'flat where it is blocked');
    await page.evaluate(() => window.tactus.app.settings.shown.set({felt: false}));
    await until(page, 'no ellipsoid', () => !window.tactus.stage.feltHere.group.visible);
    await page.evaluate(() => window.tactus.app.settings.shown.set({}));
    await page.mouse.up();
    await until(page, 'nothing felt', () => document.querySelector('.felttable tbody th')?.textContent === '–' && !window.tactus.stage.feltHere.group.visible);
    // And where a page looks without holding.
    await page.selectOption('#felt-at', 'middle');
    await until(page, 'masses at the frame', () => document.querySelector('.felttable tbody th')?.textContent === '410 g' && window.tactus.stage.feltThere.group.visible);
    assert.deepEqual(server.state.log.findLast((m) => m.type === 'probe').point, [0.15, 0, 0]);
    assert.deepEqual(troubles, []);
  } finally {
    await close();
    await server.stop();
  }
});

test('A mechanism that no law leads says why; an arm is led, watched and its loop analysed', async () => {
  const server = await start();
  const {page, troubles, close} = await openPage(browser, server.address, {mayFail: missing, storage: {panels: {control: true}}});
  try {
    await ready(page, 'four_bar');
    await until(page, 'the reason', () => /has constraints/.test(document.querySelector('#panelbody-control .note')?.textContent ?? ''));
    assert.equal(await page.locator('#control-law').isVisible(), false);
    server.state.motion = arm();
    server.state.sceneId = 2;
    server.everyone({type: 'scene', id: 2, why: 'open', ...server.state.motion.scene, channels: [], choices: {}, chosen: {}, coupling: null});
    await until(page, 'laws to choose', () => document.querySelectorAll('#control-law option').length === 4);
    await until(page, 'gains before a law is on', () => document.querySelector('.heat td:not(:empty) ~ td, .heat tbody td')?.textContent === '1200');
    assert.equal(await page.locator('.heat').count(), 2);
    await page.selectOption('#control-law', 'pole-placement');
    await until(page, 'the law', () => window.tactus.app.status.value.control?.law === 'pole-placement');
    const sent = server.state.log.findLast((m) => m.type === 'control');
    assert.deepEqual([sent.law, sent.poles, sent.target], ['pole-placement', [-12, 45], 'stand']);
    await page.selectOption('#control-target', 'slew');
    await until(page, 'the target', () => window.tactus.app.status.value.control?.target === 'slew');
    await until(page, 'errors', () => document.querySelector('.jointtable tbody tr:nth-child(2)')?.textContent.includes('−200 mrad'));
    assert.match(await page.locator('.jointtable tbody tr').first().textContent(), /0\.042 mrad/);
    await until(page, 'limits', () => /from −0\.3082 to 2\.571/.test(document.querySelector('#panelbody-control').textContent));
    assert.equal(await page.locator('select[aria-label="Error of the model"]').inputValue(), 'alpha', 'the one that is borne least');
    await page.selectOption('select[aria-label="Error of the model"]', 'beta');
    assert.match(await page.locator('#panelbody-control').textContent(), /β below 2\.571/);
    // Something is drawn: roots in the stable and in the other colour.
    const inked = await page.evaluate(() => {
      const canvas = document.querySelector('.locus');
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) colours.add(`${data[i] >> 5},${data[i + 1] >> 5},${data[i + 2] >> 5}`);
      return colours.size;
    });
    assert.ok(inked > 6, `${inked} colours`);
    // Another model than the one that the law knows: it is said, with what to do.
    server.state.knows = false;
    await page.getByRole('button', {name: 'Learn the new one'}).click();
    for (let i = 0; i < 100 && !server.state.log.some((m) => m.learn); ++i) await page.waitForTimeout(50);
    assert.ok(server.state.log.some((m) => m.type === 'control' && m.learn === true));
    server.everyone({type: 'events', scene: 2, events: [{number: 9, t: 1, kind: 'law_off', what: 'the control law was switched off', why: 'its forces were no numbers'}]});
    await until(page, 'the words about it', () => /switched off/.test(document.querySelector('.toast').textContent) && /no numbers/.test(document.querySelector('.toast').textContent));
    await page.selectOption('#control-law', 'off');
    await until(page, 'off', () => window.tactus.app.status.value.control === null && document.querySelector('.jointtable tbody td').textContent.startsWith('–'));
    assert.deepEqual(troubles, []);
  } finally {
    await close();
    await server.stop();
  }
});

for (const dark of [false, true]) {
  test(`axe finds no barrier in the ${dark ? 'dark' : 'light'} page, its panels, its gallery and its help`, async () => {
    const server = await start({motion: arm()});
    server.state.control = {law: 'pole-placement', poles: [-12, 45], target: 'slew', seconds: 1.5};
    const open = {hand: true, model: true, control: true, equations: true, motion: true, file: true};
    const {page, close} = await openPage(browser, server.address, {dark, storage: {panels: open, plots: true}, viewport: {width: 1440, height: 900}});
    try {
      await ready(page);
      await until(page, 'equations and editor', () => document.querySelector('.katex') && document.querySelector('.editor').shadowRoot?.querySelector('.cm-content'));
      const look = async (what) => {
        if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(axe.source);
        const result = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations'], rules: {'region': {enabled: true}}}));
        const found = result.violations.map((v) => `${v.id}: ${v.help}\n    ${v.nodes.slice(0, 4).map((n) => `${n.target.join(' ')} ${n.failureSummary?.split('\n')[1] ?? ''}`).join('\n    ')}`);
        assert.deepEqual(found, [], what);
      };
      await look('the page');
      await page.keyboard.press('g');
      await look('the gallery');
      await page.keyboard.press('Escape');
      await page.locator('.stage canvas').focus();
      await page.keyboard.press('Shift+?');
      await look('the help');
      await page.keyboard.press('Escape');
      server.state.fault = {what: 'A fault.', why: '', remedy: 'Go on.', t: 0};
      await until(page, 'the alarm', () => !document.querySelector('.alarm').hidden);
      await look('the safe state');
    } finally {
      await close();
      await server.stop();
    }
  });
}

test('Nothing jumps: the layout does not shift while it loads and while numbers change', async () => {
  const server = await start();
  const {page, close} = await openPage(browser, server.address);
  try {
    await page.evaluate(() => {
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({type: 'layout-shift', buffered: true});
    });
    await ready(page);
    await page.waitForTimeout(1500);
    const shift = await page.evaluate(() => window.shift);
    assert.ok(shift < 0.02, `layout shift ${shift}`);
  } finally {
    await close();
    await server.stop();
  }
});
