// Time as a strip: the felt force, impacts, changes of contact, new equations; snapshots to go back to; a place to look back at.
import type {App} from '../app';
import {fill, h} from '../base/dom';
import {clock, quantity} from '../base/numbers';
import type {Happening} from '../link/messages';

const FOOT = 18; // [px] for the axis
const NEAR = 7; // [px] from an event
const LANES = ['contact', 'equations', 'changes'] as const;
const KINDS: Record<string, {lane: number; word: string; shape: 'dot' | 'tick' | 'box' | 'tri' | 'cross'; colour: string}> = {
  impact: {lane: 0, word: 'impact', shape: 'dot', colour: '--force'},
  rests: {lane: 0, word: 'comes to rest', shape: 'tick', colour: '--text-2'},
  sticks: {lane: 0, word: 'sticks', shape: 'tick', colour: '--good'},
  slides: {lane: 0, word: 'slides', shape: 'tick', colour: '--late'},
  leaves: {lane: 0, word: 'leaves', shape: 'tick', colour: '--text-2'},
  transition: {lane: 1, word: 'changes its mode', shape: 'tri', colour: '--accent'},
  constraint: {lane: 1, word: 'constraint', shape: 'tri', colour: '--accent'},
  rederived: {lane: 1, word: 'equations for a new set', shape: 'box', colour: '--accent'},
  swapped: {lane: 1, word: 'new equations', shape: 'box', colour: '--accent'},
  parameter: {lane: 2, word: 'parameter', shape: 'tick', colour: '--accent'},
  reset: {lane: 2, word: 'began again', shape: 'box', colour: '--text-2'},
  loaded: {lane: 2, word: 'went back', shape: 'box', colour: '--text-2'},
  engine: {lane: 1, word: 'another engine', shape: 'box', colour: '--late'},
  went_back: {lane: 2, word: 'went back', shape: 'cross', colour: '--late'},
  fault: {lane: 2, word: 'fault', shape: 'cross', colour: '--bad'},
  let_go: {lane: 2, word: 'let go', shape: 'cross', colour: '--late'},
};

export function describe(e: Happening): string {
  const kind = KINDS[e.kind];
  const parts = [kind?.word ?? e.kind, e.what.replace(/_/g, ' ')];
  if (e.kind === 'rederived' && e.set) parts.push(e.set.replace(/_/g, ' '));
  if (e.name) parts.push(`${e.name}${e.value === null ? '' : ` = ${e.value}`}`);
  if (e.impulse !== null) parts.push(quantity(e.impulse, 'N s'));
  if (e.derive !== null) parts.push(`derived in ${quantity(e.derive, 's', 2)}`);
  if (e.compile !== null) parts.push(`compiled in ${quantity(e.compile, 's', 2)}`);
  if (e.why) parts.push(e.why);
  return parts.filter(Boolean).join(', ');
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', {class: 'timecanvas'});
  private readonly card = h('div', {class: 'timecard', hidden: true});
  private readonly slider: HTMLInputElement;
  private window = 20; // [s]
  private left = 90; // [px] for the lanes' names
  private scrubbing = false;
  private drawn = 0;
  private colours: Record<string, string> = {};

  constructor(private readonly app: App) {
    this.slider = h('input', {
      type: 'range', class: 'timeslider', min: 0, max: 1000, step: 1, value: 1000, 'aria-label': 'Look back in time',
      input: () => this.slide(Number(this.slider.value)),
    });
    this.element = h('div', {class: 'timeline'}, this.canvas, this.slider, this.card);
    this.canvas.addEventListener('pointerdown', (e) => this.down(e));
    this.canvas.addEventListener('pointermove', (e) => this.move(e));
    this.canvas.addEventListener('pointerup', () => (this.scrubbing = false));
    this.canvas.addEventListener('pointerleave', () => (this.card.hidden = true));
    this.canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      this.window = Math.max(1, Math.min(120, this.window * Math.exp(e.deltaY * 0.0015)));
      this.draw(true);
    }, {passive: false});
    app.settings.theme.listen(() => (this.colours = {}));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => (this.colours = {}));
  }

  private colour(name: string): string {
    return (this.colours[name] ??= getComputedStyle(this.element).getPropertyValue(name).trim());
  }
  /** [s] at the right edge. */
  private get end(): number {
    const newest = this.app.stage.history.newest?.t ?? this.app.status.value?.t ?? 0;
    const back = this.app.stage.lookBack;
    return back !== null ? Math.max(Math.min(newest, back + 0.5 * this.window), this.window) : Math.max(newest, this.window);
  }
  private get width(): number {
    return Math.max(10, this.canvas.clientWidth - this.left - 14);
  }
  private x(t: number): number {
    return this.left + this.width * (1 - (this.end - t) / this.window);
  }
  private t(x: number): number {
    return this.end - (1 - (x - this.left) / this.width) * this.window;
  }

  private slide(value: number): void {
    const {history} = this.app.stage;
    const first = history.oldest?.t, last = history.newest?.t;
    if (first === undefined || last === undefined) return;
    this.lookAt(value >= 1000 ? null : first + ((last - first) * value) / 1000);
  }
  lookAt(t: number | null): void {
    const {history} = this.app.stage;
    const first = history.oldest?.t ?? 0;
    this.app.stage.lookBack = t === null ? null : Math.max(first, t);
    if (t === null) this.slider.value = '1000';
    this.app.stage.touch();
    this.draw(true);
  }

  private down(event: PointerEvent): void {
    const {x, y} = this.at(event);
    const flag = this.flagAt(x, y);
    if (flag !== null) {
      this.lookAt(null);
      void this.app.order({type: 'snapshot', do: 'load', id: flag});
      return;
    }
    this.canvas.setPointerCapture(event.pointerId);
    this.scrubbing = true;
    this.move(event);
  }
  private at(event: PointerEvent): {x: number; y: number} {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }
  private move(event: PointerEvent): void {
    const {x, y} = this.at(event);
    if (this.scrubbing) {
      const t = this.t(x);
      const newest = this.app.stage.history.newest?.t ?? 0;
      this.lookAt(t >= newest - 0.005 * this.window ? null : t);
    }
    this.showCard(x, y);
    this.draw(true);
  }
  private flagAt(x: number, y: number): number | null {
    if (y > 20) return null;
    for (const s of this.app.status.value?.snapshots ?? []) if (Math.abs(this.x(s.t) - x) < NEAR + 2) return s.id;
    return null;
  }

  private showCard(x: number, y: number): void {
    const near = this.app.events.filter((e) => Math.abs(this.x(e.t) - x) < NEAR);
    const flag = this.flagAt(x, y);
    this.canvas.style.cursor = flag !== null ? 'pointer' : 'ew-resize';
    const lines = near.slice(-5).map((e) => h('div', {}, h('span', {class: 'num muted'}, clock(e.t)), ` ${describe(e)}`));
    if (near.length > 5) lines.unshift(h('div', {class: 'muted'}, `${near.length - 5} more`));
    if (flag !== null) lines.unshift(h('div', {}, h('b', {}, 'Go back to this snapshot')));
    this.card.hidden = lines.length === 0;
    if (lines.length === 0) return;
    fill(this.card, ...lines);
    const w = this.card.offsetWidth;
    this.card.style.left = `${Math.max(4, Math.min(x - w / 2, this.canvas.clientWidth - w - 4))}px`;
  }

  draw(force = false): void {
    const now = performance.now();
    if (!force && now - this.drawn < 33) return;
    this.drawn = now;
    const {canvas} = this;
    const w = canvas.clientWidth, H = canvas.clientHeight;
    if (w === 0 || H === 0) return;
    const ratio = Math.min(2, devicePixelRatio);
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(H * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(H * ratio);
    }
    const g = canvas.getContext('2d')!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, H);
    const size = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.82;
    this.left = Math.round(7.6 * size);
    g.font = `${size}px "Inter Variable", sans-serif`;
    g.textBaseline = 'middle';
    const top = 6, lane = (H - FOOT - top) / LANES.length;
    const {end} = this;
    this.drawForce(g, H, end);
    g.textAlign = 'left';
    LANES.forEach((name, i) => {
      const y = top + lane * (i + 0.5);
      g.strokeStyle = this.colour('--line');
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(this.left, Math.round(y) + 0.5);
      g.lineTo(w - 14, Math.round(y) + 0.5);
      g.stroke();
      g.fillStyle = this.colour('--text-2');
      g.fillText(name, 12, y);
    });
    this.drawAxis(g, w, H, end);
    for (const e of this.app.events) {
      if (e.t < end - this.window || e.t > end + 1e-9) continue;
      const kind = KINDS[e.kind] ?? {lane: 2, word: e.kind, shape: 'tick' as const, colour: '--text-2'};
      this.drawEvent(g, this.x(e.t), top + lane * (kind.lane + 0.5), kind.shape, this.colour(kind.colour), e, lane);
    }
    for (const s of this.app.status.value?.snapshots ?? []) {
      const x = this.x(s.t);
      if (x < this.left || x > w) continue;
      g.strokeStyle = g.fillStyle = this.colour('--accent');
      g.lineWidth = 1.5;
      g.beginPath();
      g.moveTo(x, 3);
      g.lineTo(x, H - FOOT);
      g.stroke();
      g.beginPath();
      g.moveTo(x, 2);
      g.lineTo(x + 11, 6.5);
      g.lineTo(x, 11);
      g.fill();
    }
    const back = this.app.stage.lookBack;
    const newest = this.app.stage.history.newest;
    if (newest && newest.t < end - 1e-9) {
      g.fillStyle = this.colour('--line-strong');
      g.fillRect(Math.round(this.x(newest.t)), 2, 1, H - FOOT - 2);
    }
    if (back !== null) {
      const x = this.x(back);
      g.fillStyle = this.colour('--text');
      g.fillRect(x - 1, 0, 2, H - FOOT);
      g.beginPath();
      g.arc(x, H - FOOT, 4.5, 0, 7);
      g.fill();
      const {history} = this.app.stage;
      const first = history.oldest?.t ?? 0, last = history.newest?.t ?? 1;
      if (document.activeElement !== this.slider) this.slider.value = String(Math.round((1000 * (back - first)) / Math.max(1e-9, last - first)));
      this.slider.setAttribute('aria-valuetext', clock(back));
    }
  }

  private drawForce(g: CanvasRenderingContext2D, H: number, end: number): void {
    const {history} = this.app.stage;
    if (history.length < 2) return;
    const first = history.before(end - this.window);
    let most = 0;
    for (let i = first; i < history.length; ++i) most = Math.max(most, history.at(i)!.force);
    if (most <= 0) return;
    const floor = H - FOOT;
    g.beginPath();
    g.moveTo(Math.max(this.left, this.x(history.at(first)!.t)), floor);
    for (let i = first; i < history.length; ++i) {
      const m = history.at(i)!;
      const x = this.x(m.t);
      if (x < this.left) continue;
      g.lineTo(x, floor - (m.force / most) * (floor - 4));
    }
    g.lineTo(this.x(history.newest!.t), floor);
    g.closePath();
    g.fillStyle = this.colour('--force');
    g.globalAlpha = 0.16;
    g.fill();
    g.globalAlpha = 1;
    g.textAlign = 'right';
    g.fillStyle = this.colour('--force');
    g.fillText(quantity(most, 'N'), this.canvas.clientWidth - 14, 9);
  }

  private drawAxis(g: CanvasRenderingContext2D, w: number, H: number, end: number): void {
    const wish = this.window / Math.max(3, this.width / 110);
    const power = 10 ** Math.floor(Math.log10(wish));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= wish) ?? wish;
    g.fillStyle = this.colour('--text-2');
    g.textAlign = 'center';
    for (let t = Math.max(0, Math.ceil((end - this.window) / step) * step); t <= end + 1e-9; t += step) {
      const x = this.x(t);
      if (x < this.left || x > w - 20) continue;
      g.fillRect(Math.round(x), H - FOOT, 1, 4);
      g.fillText(`${Number(t.toFixed(3))} s`, x, H - 6);
    }
  }

  private drawEvent(g: CanvasRenderingContext2D, x: number, y: number, shape: string, colour: string, e: Happening, lane: number): void {
    if (x < this.left) return;
    g.fillStyle = g.strokeStyle = colour;
    g.beginPath();
    if (shape === 'dot') {
      const r = 2.5 + Math.min(3.5, 2 * Math.sqrt(Math.abs(e.impulse ?? 0)));
      g.arc(x, y, r, 0, 7);
      g.fill();
    } else if (shape === 'tick') {
      g.fillRect(x - 1, y - 0.32 * lane, 2, 0.64 * lane);
    } else if (shape === 'box') {
      g.fillRect(x - 4, y - 4, 8, 8);
    } else if (shape === 'tri') {
      g.moveTo(x - 5, y + 4.5);
      g.lineTo(x + 5, y + 4.5);
      g.lineTo(x, y - 5);
      g.fill();
    } else {
      g.lineWidth = 2.5;
      g.moveTo(x - 4.5, y - 4.5);
      g.lineTo(x + 4.5, y + 4.5);
      g.moveTo(x + 4.5, y - 4.5);
      g.lineTo(x - 4.5, y + 4.5);
      g.stroke();
    }
  }
}
