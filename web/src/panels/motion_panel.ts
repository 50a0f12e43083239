// How it moves: formulation, integrator, step, contact, controller, device, hand; how the loop does.
import type {App} from '../app';
import {fill, h, say} from '../base/dom';
import {digits, quantity} from '../base/numbers';
import {Refused} from '../link/connection';
import type {Scene, Times} from '../link/messages';

const ORDER = ['formulation', 'integrator', 'step', 'contact', 'controller', 'device', 'hand', 'port'];
const WORDS: Record<string, string> = {
  formulation: 'Constraints by', integrator: 'Integrator', step: 'Step', contact: 'Contact', controller: 'Controller', device: 'Device', hand: 'Hand', port: 'Held at',
};

export function buildMotion(app: App, body: HTMLElement): void {
  const choices = h('div', {class: 'fields'});
  const trouble = h('p', {class: 'note late', hidden: true});
  const engine = h('p', {class: 'muted'});
  const facts = h('dl', {class: 'facts'});
  const canvas = h('canvas', {class: 'histogram', role: 'img', 'aria-label': 'How long the ticks of the last ten seconds took'});
  const times = h('table', {class: 'counts num'});
  fill(
    body, choices, trouble, engine, h('h3', {}, 'The loop'), times, canvas, facts,
  );

  app.scene.watch((scene) => {
    trouble.hidden = true;
    if (!scene) return;
    buildChoices(scene);
    const how: Record<string, string> = {
      smooth: 'Moves smoothly: no contact in this model.', events: 'Contact by events: impacts are located in time.', stepping: 'Contact by whole steps.',
    };
    say(engine, how[scene.engine] ?? '');
  });

  function buildChoices(scene: Scene): void {
    const parts: Node[] = [];
    const keys = [...ORDER.filter((k) => k in scene.choices), ...Object.keys(scene.choices).filter((k) => !ORDER.includes(k))];
    for (const key of keys) {
      const options = scene.choices[key] ?? [];
      if (options.length === 0) continue;
      const chosen = scene.chosen[key];
      const select = h('select', {id: `choose-${key}`, change: () => void choose(key, select)});
      for (const option of options) {
        const value = typeof option === 'number' ? String(option) : option.name;
        const word = typeof option === 'number' ? quantity(option, 's', 2) : option.name.replace(/_/g, ' ');
        const item = h('option', {value, title: typeof option === 'number' ? '' : option.meaning}, word);
        if (typeof option !== 'number' && option.allowed === false) {
          item.disabled = true;
          item.title = option.why;
        }
        select.append(item);
      }
      if (chosen === null || chosen === undefined) select.prepend(h('option', {value: ''}, '–'));
      select.value = String(chosen ?? '');
      const current = options.find((o) => typeof o !== 'number' && o.name === chosen);
      const meaning = current && typeof current !== 'number' ? current.meaning : '';
      parts.push(h('label', {for: select.id}, WORDS[key] ?? key), select);
      if (meaning) parts.push(h('span', {class: 'muted small meaning'}, meaning));
    }
    fill(choices, ...parts);
    if (typeof scene.chosen['weightless'] === 'boolean') {
      const box = h('input', {type: 'checkbox', checked: scene.chosen['weightless'] === true, change: () => void send('weightless', box.checked)});
      choices.append(h('label', {class: 'check wide'}, box, 'Without gravity'));
    }
  }

  async function choose(key: string, select: HTMLSelectElement): Promise<void> {
    if (select.value === '') return;
    const number = app.scene.value?.choices[key]?.some((o) => typeof o === 'number');
    const done = await send(key, number ? Number(select.value) : select.value);
    if (!done) select.value = String(app.scene.value?.chosen[key] ?? '');
  }
  async function send(key: string, value: unknown): Promise<boolean> {
    try {
      await app.link.ask({type: 'choose', [key]: value});
      trouble.hidden = true;
      return true;
    } catch (error) {
      trouble.hidden = false;
      if (error instanceof Refused) fill(trouble, h('b', {}, error.trouble.what), error.trouble.remedy ? ` ${error.trouble.remedy}` : '');
      else say(trouble, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  const cells = new Map<string, HTMLElement>();
  const fact = (label: string, text: string) => {
    let cell = cells.get(label);
    if (!cell) {
      cell = h('dd', {class: 'num'});
      cells.set(label, cell);
      facts.append(h('dt', {}, label), cell);
    }
    say(cell, text);
  };
  const timeCells = (['p50', 'p99', 'p999', 'most'] as const).map((key) => ({key, compute: h('td', {}), wake: h('td', {})}));
  times.append(
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Last ten seconds'), ...['50 %', '99 %', '99.9 %', 'most'].map((w) => h('th', {scope: 'col'}, w)))),
    h('tbody', {}, h('tr', {}, h('th', {scope: 'row'}, 'compute'), ...timeCells.map((c) => c.compute)), h('tr', {}, h('th', {scope: 'row'}, 'wake late'), ...timeCells.map((c) => c.wake))),
  );
  app.status.watch((status) => {
    if (!status || body.hidden) return;
    const {loop, errors, energy, rederived, frames} = status;
    const set = (cell: HTMLElement, t: Times | null | undefined, key: keyof Times) => say(cell, t ? quantity(t[key], 's', 2) : '–');
    for (const c of timeCells) {
      set(c.compute, loop?.compute, c.key);
      set(c.wake, loop?.wake, c.key);
    }
    if (loop) {
      fact('Rate', quantity(loop.hz, 'Hz'));
      fact('Ticks', loop.ticks.toLocaleString('en').replace(/,/g, '\u202f'));
      fact('Missed periods', String(loop.missed));
      fact('Real-time priority', loop.priority ? 'yes' : 'no');
    }
    fact('Real time factor', digits(status.factor));
    if (errors?.position !== null && errors?.position !== undefined) fact('Constraint error', `${digits(errors.position, 2)}`);
    if (errors?.worst_position !== null && errors?.worst_position !== undefined) fact('Largest since the start', `${digits(errors.worst_position, 2)}`);
    if (energy) fact('Energy', quantity(energy.kinetic + energy.potential, 'J'));
    fact('Contacts', String(status.contacts));
    if (rederived && rederived.sets > 0) {
      fact('Equations made for contact sets', String(rederived.sets));
      fact('Longest derivation', quantity(rederived.derive, 's', 2));
      fact('Longest compilation', quantity(rederived.compile, 's', 2));
    }
    if (frames) fact('Frames left out for this page', `${frames.dropped} of ${frames.sent + frames.dropped}`);
    fact('From the server', `${quantity(app.bytesPerSecond, 'B/s', 2)}`);
  });

  app.loop.listen((loop) => {
    if (!loop || body.hidden || canvas.clientWidth === 0) return;
    drawHistogram(canvas, loop.compute, loop.wake);
  });
}

/** Bars over a logarithmic axis of time; heights are logarithms of counts, so that rare late ticks are seen. */
function drawHistogram(canvas: HTMLCanvasElement, compute: number[][], wake: number[][]): void {
  const ratio = Math.min(2, devicePixelRatio);
  const w = canvas.clientWidth, H = canvas.clientHeight;
  canvas.width = w * ratio;
  canvas.height = H * ratio;
  const g = canvas.getContext('2d');
  if (!g) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  g.scale(ratio, ratio);
  g.font = `${11}px ${style.fontFamily}`;
  const low = -7, high = -2; // 100 ns to 10 ms
  const foot = 16;
  const x = (seconds: number) => ((Math.log10(Math.max(seconds, 1e-8)) - low) / (high - low)) * w;
  const most = Math.max(1, ...compute.map((b) => b[1]!), ...wake.map((b) => b[1]!));
  const y = (count: number) => (H - foot) * (Math.log(1 + count) / Math.log(1 + most)) * 0.92;
  g.strokeStyle = colour('--line');
  g.fillStyle = colour('--text-2');
  for (let d = low; d <= high; ++d) {
    const at = Math.round(x(10 ** d)) + 0.5;
    g.beginPath();
    g.moveTo(at, 0);
    g.lineTo(at, H - foot);
    g.stroke();
    g.textAlign = d === low ? 'left' : d === high ? 'right' : 'center';
    g.fillText(quantity(10 ** d, 's', 1), Math.max(1, Math.min(w - 1, at)), H - 3);
  }
  const bars = (list: number[][], c: string, alpha: number) => {
    g.fillStyle = c;
    g.globalAlpha = alpha;
    for (const [start, count] of list) {
      if (!count) continue;
      const left = x(start!), right = x(start! * 2 ** 0.25);
      g.fillRect(left, H - foot - y(count), Math.max(1.5, right - left - 1), y(count));
    }
    g.globalAlpha = 1;
  };
  bars(wake, colour('--late'), 0.45);
  bars(compute, colour('--accent'), 0.85);
  g.textAlign = 'right';
  g.fillStyle = colour('--accent');
  g.fillText('compute', w - 4, 12);
  g.fillStyle = colour('--late');
  g.fillText('wake late', w - 4, 26);
}
