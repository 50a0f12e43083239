// Live plots of chosen channels, one for each unit, with a common time; pause, zoom by dragging, back by a double click.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type {App} from '../app';
import {fill, h} from '../base/dom';
import {digits} from '../base/numbers';
import type {FrameData} from '../link/frame';
import type {Channel, Scene} from '../link/messages';

const ROOM = 16_000; // samples of each channel
const REDRAW = 40; // [ms]
const MOST_CHANNELS = 32;
const PALETTES = {
  light: ['#1a5fb4', '#b3590a', '#12776d', '#a13a6c', '#62539c', '#5d6670'],
  dark: ['#78b0f5', '#f0a860', '#5cc7bb', '#e58cb3', '#b3a5ea', '#a9b1ba'],
};

interface Plot {
  plot: uPlot;
  channels: number[];
  zoomed: boolean;
  log: boolean;
  write: (sample: number) => void; // numbers beside the names
}

export class Plots {
  readonly element = h('div', {class: 'plots'});
  readonly chooser = h('div', {class: 'chooser', hidden: true, id: 'chooser'});
  paused = false;
  seconds = 10;
  private chosen: string[] = [];
  private times = new Float64Array(ROOM);
  private values: Float64Array[] = [];
  private count = 0;
  private plots: Plot[] = [];
  private drawn = 0;
  private written = 0;
  private scene: Scene | null = null;
  private degrees = new Set<number>();

  constructor(private readonly app: App) {
    app.scene.watch((scene) => {
      if (scene) this.setScene(scene);
    });
    app.frames.add((frame) => this.hear(frame));
    app.settings.theme.listen(() => this.rebuild());
    app.settings.plots.listen(() => this.rebuild());
    app.link.state.listen((state) => {
      if (state === 'open') this.tell();
    });
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  private setScene(scene: Scene): void {
    const same = this.scene?.model.name === scene.model.name;
    this.scene = scene;
    const known = new Set(scene.channels.map((c) => c.name));
    const stored = this.app.settings.channels.value[scene.model.name];
    const wish = stored ?? (same ? this.chosen : defaults(scene));
    this.chosen = wish.filter((n) => known.has(n)).slice(0, MOST_CHANNELS);
    this.tell();
    this.clear();
    this.fillChooser();
    this.rebuild();
  }
  private tell(): void {
    this.app.link.send({type: 'channels', names: this.chosen});
  }
  private clear(): void {
    this.count = 0;
    this.values = this.chosen.map(() => new Float64Array(ROOM));
  }

  private hear(frame: FrameData): void {
    if (frame.channels !== this.chosen.length || frame.channels === 0) return;
    const width = 1 + frame.channels;
    for (let s = 0; s < frame.samples; ++s) {
      const t = frame.t + frame.values[s * width]!;
      const last = this.count > 0 ? this.times[this.count - 1]! : -Infinity;
      if (t <= last) {
        if (t < last - 0.02) this.count = 0; // time went back
        else continue;
      }
      if (this.count === ROOM) {
        const drop = ROOM >> 2;
        this.times.copyWithin(0, drop);
        for (const v of this.values) v.copyWithin(0, drop);
        this.count -= drop;
      }
      this.times[this.count] = t;
      for (let c = 0; c < frame.channels; ++c) {
        const value = frame.values[s * width + 1 + c]!;
        this.values[c]![this.count] = this.degrees.has(c) ? (value * 180) / Math.PI : value;
      }
      ++this.count;
    }
  }

  private choose(name: string, on: boolean): void {
    this.chosen = on ? [...this.chosen, name].slice(-MOST_CHANNELS) : this.chosen.filter((n) => n !== name);
    if (this.scene) this.app.settings.channels.set({...this.app.settings.channels.value, [this.scene.model.name]: this.chosen});
    this.tell();
    this.clear();
    this.rebuild();
  }

  private fillChooser(): void {
    const groups = new Map<string, Channel[]>();
    for (const c of this.scene?.channels ?? []) groups.set(c.group, [...(groups.get(c.group) ?? []), c]);
    const parts: Node[] = [];
    for (const [group, list] of groups) {
      const box = h('fieldset', {}, h('legend', {}, group ? group.charAt(0).toUpperCase() + group.slice(1) : 'Others'));
      for (const c of list) {
        const input = h('input', {type: 'checkbox', checked: this.chosen.includes(c.name), change: () => this.choose(c.name, input.checked)});
        box.append(h('label', {class: 'check', title: c.name}, input, h('span', {}, c.label || c.name), c.unit ? h('span', {class: 'muted small'}, c.unit === 'rad' ? '°' : c.unit) : null));
      }
      parts.push(box);
    }
    fill(this.chooser, ...parts);
  }

  private rebuild(): void {
    for (const {plot} of this.plots) plot.destroy();
    this.plots = [];
    this.degrees = new Set();
    fill(this.element);
    if (!this.app.settings.plots.value || !this.scene) return;
    const byUnit = new Map<string, number[]>();
    this.chosen.forEach((name, i) => {
      const c = this.scene!.channels.find((x) => x.name === name);
      if (!c) return;
      if (c.unit === 'rad' || c.unit === 'rad/s') this.degrees.add(i);
      const key = `${c.unit}|${c.group}`;
      byUnit.set(key, [...(byUnit.get(key) ?? []), i]);
    });
    if (byUnit.size === 0) return fill(this.element, h('p', {class: 'muted noplots'}, 'No channels chosen.'));
    for (const [key, channels] of byUnit) this.plots.push(this.makePlot(key, channels));
    this.fit();
  }

  private makePlot(key: string, channels: number[]): Plot {
    const [unit = ''] = key.split('|');
    const shown = unit === 'rad' ? '°' : unit === 'rad/s' ? '°/s' : unit;
    const style = getComputedStyle(this.app.stage.canvas);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const palette = this.app.dark ? PALETTES.dark : PALETTES.light;
    const log = /error/.test(key) || channels.every((c) => /error/.test(this.chosen[c] ?? ''));
    const font = `${Math.round(0.82 * parseFloat(getComputedStyle(document.documentElement).fontSize))}px "Inter Variable", sans-serif`;
    const state: Plot = {plot: null as unknown as uPlot, channels, zoomed: false, log, write: () => undefined};
    const axis = {
      stroke: colour('--text-2'), font, ticks: {stroke: colour('--line'), width: 1, size: 4}, grid: {stroke: colour('--line'), width: 1},
    };
    const values = channels.map(() => h('span', {class: 'num value'}));
    const legend = h('div', {class: 'plotlegend'}, ...channels.map((c, i) => {
      const channel = this.scene!.channels.find((x) => x.name === this.chosen[c]);
      const swatch = h('span', {class: 'swatch'});
      swatch.style.background = palette[i % palette.length]!;
      return h('span', {class: 'entry', title: `${this.chosen[c]}: ${channel?.label ?? ''}`}, swatch, h('span', {class: 'label'}, short(this.chosen[c] ?? '', channel?.label ?? '')), values[i]!);
    }));
    const holder = h('div', {class: 'plot'});
    this.element.append(h('div', {class: 'plotcell'}, legend, holder));
    state.write = (at) => values.forEach((cell, i) => {
      const v = this.values[channels[i]!]?.[at];
      cell.textContent = v === undefined ? '' : `${digits(v)}${shown === '°' || shown === '°/s' ? shown : shown ? ` ${shown}` : ''}`;
    });
    state.plot = new uPlot(
      {
        width: 300, height: 150,
        legend: {show: false},
        cursor: {sync: {key: 'tactus', setSeries: false}, drag: {x: true, y: false, setScale: true}, points: {size: 6}},
        scales: {
          x: {time: false},
          y: log
            ? {distr: 3, range: (_u, low, high) => [Math.max(1e-18, 10 ** Math.floor(Math.log10(Math.max(low, 1e-17)))), 10 ** Math.ceil(Math.log10(Math.max(high, 1e-16)))]}
            : {range: (_u, low, high) => roomy(low, high)},
        },
        axes: [
          {...axis, size: 26, space: 70, values: (_u, ticks) => ticks.map((t) => `${Number(t.toFixed(3))} s`)},
          {
            ...axis, size: Math.round(4.2 * parseFloat(font)), space: log ? 18 : 30,
            values: (_u, ticks) => ticks.map((t) => (t === null ? '' : log ? power(t) : String(Number(t.toPrecision(4))).replace('-', '−'))),
          },
        ],
        series: [{}, ...channels.map((_, i) => ({stroke: palette[i % palette.length]!, width: 1.6, points: {show: false}}))],
        hooks: {
          setSelect: [(u) => {
            if (u.select.width > 2) state.zoomed = true;
          }],
          ready: [(u) => {
            u.over.addEventListener('dblclick', () => {
              for (const p of this.plots) p.zoomed = false;
              this.draw(true);
            });
          }],
        },
      },
      [[], ...channels.map(() => [])],
      holder,
    );
    return state;
  }

  private fit(): void {
    const n = this.plots.length;
    if (n === 0) return;
    for (const {plot} of this.plots) {
      const box = plot.root.parentElement!;
      const width = box.clientWidth, height = box.clientHeight;
      if (width > 60 && height > 40) plot.setSize({width, height});
    }
    this.draw(true);
  }

  get zoomed(): boolean {
    return this.plots.some((p) => p.zoomed);
  }
  live(): void {
    this.paused = false;
    for (const p of this.plots) p.zoomed = false;
    this.draw(true);
  }

  draw(force = false): void {
    const now = performance.now();
    if (!this.app.settings.plots.value || this.count < 2) return;
    if (!force && (this.paused || now - this.drawn < REDRAW)) return;
    this.drawn = now;
    const end = this.times[this.count - 1]!;
    let first = this.count - 1;
    const zoomed = this.zoomed;
    const from = end - (zoomed ? 120 : this.seconds);
    while (first > 0 && this.times[first - 1]! >= from) --first;
    const x = this.times.subarray(first, this.count);
    // No more points than pixels can show.
    const stride = Math.max(1, Math.floor(x.length / 3000));
    const thin = (v: Float64Array) => (stride === 1 ? v : v.filter((_, i) => i % stride === 0));
    const numbers = force || now - this.written > 200;
    if (numbers) this.written = now;
    for (const {plot, channels, zoomed: mine, log, write} of this.plots) {
      if (numbers) {
        const at = plot.cursor.idx;
        write(at === null || at === undefined ? this.count - 1 : Math.min(this.count - 1, first + at * stride));
      }
      const data = [thin(x), ...channels.map((c) => {
        const v = thin(this.values[c]!.subarray(first, this.count));
        return log ? v.map((y) => Math.max(Math.abs(y), 1e-18)) : v;
      })] as unknown as uPlot.AlignedData;
      plot.setData(data, false);
      if (!mine && !zoomed) plot.setScale('x', {min: Math.max(0, end - this.seconds), max: Math.max(end, this.seconds)});
      else plot.redraw();
    }
  }

  /** What the plots have in memory, as a table. */
  csv(): string {
    const lines = [['t', ...this.chosen].join(',')];
    for (let i = 0; i < this.count; ++i) {
      lines.push([this.times[i], ...this.values.map((v, c) => (this.degrees.has(c) ? (v[i]! * Math.PI) / 180 : v[i]))].join(','));
    }
    return `${lines.join('\n')}\n`;
  }
}

function roomy(low: number, high: number): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const span = Math.max(high - low, 2e-3 * Math.max(Math.abs(low), Math.abs(high)));
  if (span < 1e-9) return [-1, 1];
  return [low - 0.08 * span, high + 0.08 * span];
}

const LIFTED: Record<string, string> = {'-': '⁻', '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹'};
/** Powers of ten alone stand at a logarithmic axis. */
function power(x: number): string {
  const e = Math.log10(x);
  return Math.abs(e - Math.round(e)) < 1e-6 ? `10${[...String(Math.round(e))].map((c) => LIFTED[c] ?? c).join('')}` : '';
}
/** A name that fits beside a number: words where they are few, the channel's own name otherwise. */
const short = (name: string, label: string): string => (label !== '' && label.length <= 18 ? label : name);

/** Energies, the hand's force, the worst constraint error, the first coordinates. */
function defaults(scene: Scene): string[] {
  const of = (test: (c: Channel) => boolean, n: number) => scene.channels.filter(test).slice(0, n).map((c) => c.name);
  return [
    ...new Set([
      ...of((c) => /energ/.test(c.group), 3),
      ...of((c) => /coordinate|position/.test(c.group), 3),
      ...(scene.constraints.length > 0 ? of((c) => /constraint|error/.test(c.group), 1) : []),
      ...of((c) => c.name === 'hand.force' || c.name === 'force', 1),
    ]),
  ];
}
