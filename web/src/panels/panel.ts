// A panel that folds, and is remembered folded or open. Its content is made when it is first opened.
import type {App} from '../app';
import {h, icon} from '../base/dom';

export interface Panel {
  element: HTMLElement;
  /** Is it open, and seen? */
  readonly seen: boolean;
}

export function makePanel(app: App, key: string, title: string, build: (body: HTMLElement) => void, tools: HTMLElement[] = []): Panel {
  const body = h('div', {class: 'panelbody', id: `panelbody-${key}`});
  const toggle = h(
    'button',
    {class: 'paneltoggle', type: 'button', 'aria-controls': body.id, click: () => set(!isOpen())},
    icon('fold'), title,
  );
  const element = h('section', {class: 'panel', id: `panel-${key}`, 'data-panel': key}, h('h2', {class: 'panelhead'}, toggle, ...tools), body);
  let built = false;
  const isOpen = () => app.settings.open.value[key] === true;
  const set = (on: boolean) => app.settings.open.set({...app.settings.open.value, [key]: on});
  app.settings.open.watch(() => {
    const on = isOpen();
    toggle.setAttribute('aria-expanded', String(on));
    body.hidden = !on;
    element.classList.toggle('open', on);
    if (on && !built) {
      built = true;
      build(body);
    }
  });
  return {
    element,
    get seen() {
      return isOpen() && app.settings.side.value;
    },
  };
}

/** A slider with its name, number and unit. */
export interface SliderOptions {
  label: string;
  hint?: string;
  least: number;
  most: number;
  value: number;
  log?: boolean;
  show: (value: number) => string;
  input: (value: number) => void;
  /** A mark on the track, with a word. */
  mark?: {value: number; word: string};
  /** Exact numbers by keyboard, in this unit. */
  unit?: string;
}
export interface Slider {
  element: HTMLElement;
  set: (value: number) => void;
  setMark: (value: number, word: string) => void;
  setRange: (least: number, most: number) => void;
  readonly busy: boolean;
}

const STEPS = 1000;
let sliders = 0;

export function makeSlider(o: SliderOptions): Slider {
  const id = `slider-${++sliders}`;
  let {least, most} = o;
  let value = o.value;
  let shown: {value: number; word: string} | null = o.mark ?? null;
  const to = (x: number) => {
    const s = o.log ? Math.log(x / least) / Math.log(most / least) : (x - least) / (most - least);
    return Math.max(0, Math.min(1, Number.isFinite(s) ? s : 0));
  };
  const from = (s: number) => (o.log ? least * (most / least) ** s : least + (most - least) * s);
  const output = h('output', {class: 'num', for: id});
  const mark = h('span', {class: 'slidermark', hidden: true});
  const markWord = h('span', {class: 'sliderword', hidden: true});
  let touched = -Infinity;
  const input = h('input', {
    type: 'range', id, min: 0, max: STEPS, step: 1, title: o.hint ?? '',
    input: () => {
      value = round(from(Number(input.value) / STEPS));
      touched = performance.now();
      paint();
      o.input(value);
    },
  });
  // Three digits are enough for a slider.
  const round = (x: number) => Number(x.toPrecision(3));
  function paint(): void {
    const s = to(value);
    input.style.setProperty('--fill', `${(100 * s).toFixed(1)}%`);
    const text = o.show(value);
    output.textContent = text;
    output.title = o.unit ? `${Number(value.toPrecision(6))} ${o.unit}` : '';
    input.setAttribute('aria-valuetext', text);
    mark.hidden = markWord.hidden = shown === null;
    if (shown) {
      const at = to(shown.value);
      mark.style.left = markWord.style.left = `calc(8px + ${at} * (100% - 16px))`;
      markWord.textContent = shown.word;
      markWord.classList.toggle('end', at > 0.6);
    }
  }
  const element = h(
    'div', {class: 'slider'},
    h('label', {for: id, title: o.hint ?? ''}, o.label), output,
    h('div', {class: 'track'}, input, mark, markWord),
  );
  const place = () => {
    input.value = String(Math.round(STEPS * to(value)));
    paint();
  };
  place();
  return {
    element,
    set(next) {
      if (performance.now() - touched < 700 || next === value) return;
      value = next;
      place();
    },
    setMark(next, word) {
      shown = {value: next, word};
      paint();
    },
    setRange(a, b) {
      if (a === least && b === most) return;
      least = a;
      most = b;
      place();
    },
    get busy() {
      return performance.now() - touched < 700;
    },
  };
}

/** At most so often, the newest value last. */
export function calmly<T>(every: number, act: (value: T) => void): (value: T) => void {
  let next = 0, timer = 0;
  return (value) => {
    const now = performance.now();
    clearTimeout(timer);
    if (now >= next) {
      next = now + every;
      act(value);
    } else {
      timer = window.setTimeout(() => {
        next = performance.now() + every;
        act(value);
      }, next - now);
    }
  };
}

export function check(label: string, value: boolean, change: (on: boolean) => void, hint = ''): HTMLLabelElement {
  const box = h('input', {type: 'checkbox', checked: value, change: () => change(box.checked)});
  return h('label', {class: 'check', title: hint}, box, h('span', {}, label));
}
