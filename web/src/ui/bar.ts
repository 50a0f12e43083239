// The line at the top: what runs, time, how the loop does.
import type {App} from '../app';
import {h, icon, iconButton, relabel, say} from '../base/dom';
import {clock, digits, quantity} from '../base/numbers';

const RATES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

export function makeBar(app: App, actions: {gallery: () => void; help: () => void}): HTMLElement {
  const title = h('span', {class: 'title'});
  const paper = h('span', {class: 'paper'});
  const model = h('button', {class: 'model', type: 'button', title: 'All models (G)', click: actions.gallery}, title, paper);

  const play = iconButton('pause', 'Pause', () => app.toggleTime(), 'Space');
  play.classList.add('play');
  const step = iconButton('step', 'One step', () => void app.order({type: 'time', do: 'step'}), '.');
  const reset = iconButton('reset', 'Begin again', () => void app.order({type: 'time', do: 'reset'}), 'R');
  const rate = h('select', {
    class: 'rate', 'aria-label': 'Speed of time', title: 'Speed of time',
    change: () => void app.order({type: 'time', rate: Number(rate.value)}),
  });
  for (const r of RATES) rate.append(h('option', {value: r}, `×${r}`));
  rate.value = '1';
  const time = h('span', {class: 'time num', title: 'Simulated time'}, '0:00.00');

  const dot = h('span', {class: 'dot'});
  const words = h('span', {class: 'num loop-words'}, 'connecting');
  const state = h('button', {class: 'loop', type: 'button', click: () => app.openPanel('motion')}, dot, words);
  const people = h('span', {class: 'people', hidden: true});

  const help = iconButton('help', 'Help and keys', actions.help, '?');
  const theme = iconButton('theme', 'Light or dark', () => app.settings.theme.set(app.dark ? 'light' : 'dark'), 'T');
  const panels = iconButton('panel', 'Panels', () => app.settings.side.set(!app.settings.side.value), 'P');
  app.settings.side.watch((on) => panels.setAttribute('aria-pressed', String(on)));

  app.scene.watch((scene) => {
    say(title, scene ? scene.model.title || scene.model.name : 'Tactus');
    say(paper, scene?.model.paper ?? (scene?.model.own ? 'your file' : ''));
    paper.hidden = paper.textContent === '';
    document.title = scene ? `${title.textContent} · Tactus` : 'Tactus';
  });
  app.status.watch((status) => {
    const on = app.link.open && status !== null;
    for (const control of [play, step, reset, rate]) control.toggleAttribute('disabled', !on);
    if (!status) return;
    const paused = status.state === 'paused' || status.state === 'faulted';
    relabel(play, paused ? 'play' : 'pause', paused ? 'Run' : 'Pause', 'Space');
    if (document.activeElement !== rate && Number(rate.value) !== status.rate) {
      if (![...rate.options].some((o) => Number(o.value) === status.rate)) rate.append(h('option', {value: status.rate}, `×${digits(status.rate, 2)}`));
      rate.value = String(status.rate);
    }
    const others = status.clients.length;
    people.hidden = others < 2;
    const holder = status.clients.find((c) => c.id === status.holder);
    const mine = status.holder === app.link.you.value;
    say(people, `${others} pages${status.holder === null ? '' : mine ? ', you hold' : `, ${holder?.name || 'another'} ${holder ? `#${holder.id} ` : ''}holds`}`);
    time.textContent = clock(app.stage.lookBack ?? status.t);
    light();
  });
  app.link.state.listen(light);

  function light(): void {
    const status = app.status.value;
    const {loop} = status ?? {};
    let colour = 'good', text = '';
    if (!app.link.open) [colour, text] = ['bad', app.link.state.value === 'connecting' ? 'connecting' : 'not connected'];
    else if (!status || !loop) [colour, text] = ['late', 'starting'];
    else if (status.fault) [colour, text] = ['bad', 'safe state'];
    else if (status.state === 'building') [colour, text] = ['late', status.building?.what || 'building'];
    else {
      const recent = loop.missed + loop.late > 0 && status.factor < 0.98;
      colour = recent ? 'late' : 'good';
      text = `${quantity(loop.hz, 'Hz', 2).replace(/\.0 /, ' ')}, ${loop.missed.toLocaleString('en').replace(/,/g, ' ')} missed`;
    }
    dot.dataset['state'] = colour;
    say(words, text);
    const p = loop?.compute;
    state.title = p
      ? `Compute time of a tick: ${quantity(p.p50, 's')} median, ${quantity(p.p999, 's')} at 99.9 %. Real time factor ${digits(status!.factor)}.`
      : 'The loop';
    state.setAttribute('aria-label', `Loop: ${text}`);
  }

  const brand = h('span', {class: 'brand'});
  brand.append(mark(), h('span', {}, 'Tactus'));
  return h(
    'header', {class: 'bar'},
    h('h1', {class: 'brandline'}, brand),
    model,
    h('div', {class: 'transport', role: 'group', 'aria-label': 'Time'}, play, step, reset, rate, time),
    h('div', {class: 'right'}, people, state, help, theme, panels),
  );
}

function mark(): SVGSVGElement {
  const svg = icon('none');
  svg.setAttribute('viewBox', '0 0 32 32');
  svg.setAttribute('class', 'mark');
  const ns = 'http://www.w3.org/2000/svg';
  const add = (tag: string, attributes: Record<string, string>) => {
    const e = document.createElementNS(ns, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    svg.append(e);
  };
  svg.replaceChildren();
  add('path', {d: 'M5 26 L11 8 L27 13', class: 'mark-a'});
  add('path', {d: 'M27 13 L23 26', class: 'mark-b'});
  for (const [x, y] of [[5, 26], [11, 8], [27, 13], [23, 26]]) add('circle', {cx: String(x), cy: String(y), r: '3', class: 'mark-c'});
  return svg;
}
