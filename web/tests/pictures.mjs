// Pictures of the page for the documents, and of the models for the gallery. Not a test: run by hand after the look has changed.
//   node tests/pictures.mjs gallery [NAME...]            public/pictures/NAME.webp, from the program's scenes
//   node tests/pictures.mjs page [SIZE] [THEME] [NAME]   docs/page/NAME-SIZE-THEME.webp
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {ask, openBrowser, openPage, ready, startProgram, until, web} from './support.mjs';

const sizes = {
  desktop: {viewport: {width: 1440, height: 900}},
  projector: {viewport: {width: 1920, height: 1080}},
  phone: {viewport: {width: 390, height: 844}, touch: true, scale: 2},
};
const plain = {touched: true, picture: 'best', panels: {hand: true, model: true}};
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const open = async (page, model) => {
  await ready(page);
  if ((await page.evaluate(() => window.tactus.app.scene.value?.model.name)) !== model) {
    const done = await ask(page, {type: 'open', model});
    if (!done.ok) throw new Error(done.what);
  }
  await ready(page, model);
  await ask(page, {type: 'time', do: 'reset'});
  await ask(page, {type: 'time', do: 'run'});
};
/** Takes hold of a body at a point, and leads it along places of the world. */
const lead = (page, name, point, places, every) => page.evaluate(async ([n, p, list, ms]) => {
  const {app, link, stage, hand} = window.tactus;
  const index = app.scene.value.bodies.findIndex((b) => b.name === n);
  const v = stage.eye.target.clone();
  const start = stage.view.worldOf(index, v.fromArray(p)).toArray();
  let sequence = 1e6;
  link.send({type: 'grab', body: index, point: p, target: start, sequence: ++sequence});
  hand.holding.set(index);
  for (const place of list) {
    stage.wanted = v.clone().fromArray(place);
    for (let t = 0; t < ms; t += 50) {
      link.send({type: 'move', target: place, sequence: ++sequence});
      await new Promise((r) => setTimeout(r, 50));
    }
  }
  window.keepHolding = setInterval(() => link.send({type: 'move', target: list.at(-1), sequence: ++sequence}), 200);
}, [name, point, places, every]);

const scenes = {
  first: {storage: {...plain, touched: false}, make: async (page) => {
    await ready(page);
    await wait(2500);
  }},
  grab: {storage: plain, make: async (page) => {
    await open(page, 'four_bar');
    await wait(1500);
    await lead(page, 'rocker', [0.25, 0, 0], [[0.35, 0, 0.25], [0.368, 0, 0.246]], 900);
    await wait(700);
  }},
  chain: {storage: plain, make: async (page) => {
    await open(page, 'chain_in_enclosure');
    await lead(page, 'link_3', [0.03, 0, 0], [[0.08, 0.02, 0], [0.1, 0.05, 0], [0.108, 0.055, 0]], 900);
    await wait(700);
  }},
  equations: {storage: {...plain, panels: {equations: true}, sideWidth: 560}, make: async (page) => {
    await open(page, 'shopping_cart');
    await page.evaluate(() => window.tactus.app.settings.side.set(true));
    await until(page, 'equations', () => document.querySelectorAll('#panel-equations .katex').length > 3, undefined, 90_000);
    await ask(page, {type: 'time', do: 'reset'});
    await wait(2500);
  }},
  plots: {storage: {...plain, panels: {motion: true}, plots: true, plotHeight: 230}, make: async (page) => {
    await open(page, 'puma560');
    await lead(page, 'link_6', [0, 0, 0], [[0.55, 0.3, 0.45], [0.45, -0.25, 0.35], [0.5, 0.05, 0.62], [0.58, -0.12, 0.5]], 1700);
    // The motion stays in sight while the best picture is made.
    await page.selectOption('select[aria-label="Seconds shown"]', '30');
    await page.evaluate(() => document.querySelector('.plothead button[aria-label*="ause"], .plothead button[title*="ause"]')?.click());
    await wait(300);
  }},
  felt: {storage: {...plain, panels: {hand: true}}, make: async (page) => {
    await open(page, 'planar_2r');
    await lead(page, 'forearm', [0.4, 0, 0], [[0.6, 0, 0.2], [0.55, 0, 0.4]], 900);
    await wait(700);
  }},
  control: {storage: {...plain, panels: {control: true}, sideWidth: 440}, make: async (page) => {
    await open(page, 'puma560');
    await page.evaluate(() => window.tactus.app.settings.side.set(true));
    await ask(page, {type: 'parameter', name: 'gravity', value: 9.81});
    await wait(300);
    await ask(page, {type: 'control', law: 'pole-placement', poles: [-12, 45], target: 'slew', seconds: 2});
    await until(page, 'gains', () => /\d/.test(document.querySelector('.heat td + td')?.textContent ?? ''), undefined, 60_000);
    await until(page, 'limits', () => /Stable/.test(document.querySelector('#panel-control')?.textContent ?? ''), undefined, 60_000);
    const tool = await page.evaluate(() => window.tactus.app.scene.value.frames.find((f) => f.name === 'tool').body);
    await ask(page, {type: 'probe', body: tool, point: [0, 0, 0]});
    await wait(1500);
  }},
  loci: {storage: {...plain, panels: {control: true}, sideWidth: 440}, make: async (page) => {
    await scenes.control.make(page);
    await page.evaluate(() => document.querySelector('.locus').parentElement.querySelector('h3').scrollIntoView());
    await wait(600);
  }},
  payload: {storage: {...plain, panels: {hand: true}}, make: async (page) => {
    await open(page, 'payload');
    await lead(page, 'box', [0, 0, 0], [[-0.06, 0, 0], [-0.12, 0, 0], [-0.18, 0, 0], [-0.22, 0.02, 0]], 1200);
    await wait(600);
  }},
  broken: {storage: {...plain, panels: {file: true}, sideWidth: 560}, make: async (page) => {
    await open(page, 'four_bar');
    await page.evaluate(() => window.tactus.app.settings.side.set(true));
    await until(page, 'the text', () => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')?.textContent.includes('four'));
    await page.evaluate(() => {
      const content = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
      const {view} = content.cmTile ?? content.cmView.rootView ?? content.cmView;
      const at = view.state.doc.toString().indexOf('child: coupler');
      view.dispatch({changes: {from: at, to: at + 14, insert: 'child: coupleur'}});
    });
    await until(page, 'the error', () => document.querySelector('.editormessage .bad'), undefined, 30_000);
    await wait(1500);
  }},
  safe: {storage: plain, make: async (page) => {
    await open(page, 'chain_in_enclosure');
    await wait(1200);
    // A fault as the server words it; a real one is hard to bring about on demand.
    await page.evaluate(() => {
      const {link} = window.tactus;
      const hear = link.onMessage;
      link.onMessage = (m) => {
        if (m.type === 'status') {
          m.value.state = 'faulted';
          m.value.fault = {what: 'The force was at its limit for two seconds.', why: 'The hand pulls where the mechanism cannot follow.', remedy: 'Let go, then go on: the mechanism stands where it stood.', t: 1};
        }
        hear(m);
      };
    });
    await wait(1500);
  }},
};

const [what = 'page', ...rest] = process.argv.slice(2);
const browser = await openBrowser();
const server = process.env.TACTUS_ADDRESS ? null : await startProgram(undefined, {priority: '20'});
const address = process.env.TACTUS_ADDRESS ?? server.address;
try {
  if (what === 'gallery') {
    const {page, close} = await openPage(browser, address, {viewport: {width: 800, height: 600}});
    await ready(page);
    const names = rest.length > 0 ? rest : await page.evaluate(() => window.tactus.app.gallery.value.models.filter((m) => !m.problem).map((m) => m.name));
    mkdirSync(join(web, 'public', 'pictures'), {recursive: true});
    for (const name of names) {
      try {
        const url = await page.evaluate((n) => window.tactus.thumbs.paint(n), name);
        writeFileSync(join(web, 'public', 'pictures', `${name}.webp`), Buffer.from(url.split(',')[1], 'base64'));
      } catch (error) {
        console.log(`${name}: ${error.message.split('\n')[0]}`);
      }
    }
    await close();
  } else {
    const folder = process.env.TACTUS_PICTURES ?? join(web, '..', 'docs', 'page');
    mkdirSync(folder, {recursive: true});
    const [onlySize = '', onlyTheme = '', onlyName = ''] = rest;
    for (const [size, options] of Object.entries(sizes)) {
      for (const theme of ['light', 'dark']) {
        for (const [name, scene] of Object.entries(scenes)) {
          if ((onlySize && onlySize !== 'all' && onlySize !== size) || (onlyTheme && onlyTheme !== 'all' && onlyTheme !== theme) || (onlyName && onlyName !== name)) continue;
          const {page, close} = await openPage(browser, address, {...options, dark: theme === 'dark', storage: scene.storage});
          page.setDefaultTimeout(120_000);
          try {
            await scene.make(page);
            // Quick pictures on the way, the best one at the end.
            const pictures = await page.evaluate((fast) => {
              if (!fast) window.tactus.stage.setLevel(0);
              return window.tactus.stage.pictures;
            }, Boolean(process.env.TACTUS_FAST));
            await until(page, 'a picture', (n) => {
              window.tactus.stage.touch();
              return window.tactus.stage.pictures > n;
            }, pictures, 120_000);
            const png = await page.screenshot({timeout: 120_000});
            const webp = await page.evaluate(async (data) => {
              const image = new Image();
              image.src = data;
              await image.decode();
              const canvas = document.createElement('canvas');
              canvas.width = image.width;
              canvas.height = image.height;
              canvas.getContext('2d').drawImage(image, 0, 0);
              return canvas.toDataURL('image/webp', 0.9);
            }, `data:image/png;base64,${png.toString('base64')}`).catch(() => null);
            if (webp) writeFileSync(join(folder, `${name}-${size}-${theme}.webp`), Buffer.from(webp.split(',')[1], 'base64'));
            if (process.env.TACTUS_PNG) writeFileSync(join(process.env.TACTUS_PNG, `${name}-${size}-${theme}.png`), png);
            console.log(`${name}-${size}-${theme}`);
          } catch (error) {
            console.log(`${name}-${size}-${theme}: ${error.message}`);
          }
          await close();
        }
      }
    }
  }
} finally {
  await browser.close();
  await server?.stop();
}
