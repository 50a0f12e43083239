// The foot of the page: the timeline, what is kept of the motion, the plots.
import type {App} from '../app';
import {fill, h, iconButton, relabel} from '../base/dom';
import {clock, digits} from '../base/numbers';
import {readMotion} from '../link/frame';
import {Replay} from '../scene/history';
import {Plots} from './plots';
import {Timeline} from './timeline';

export class Dock {
  readonly element: HTMLElement;
  readonly timeline: Timeline;
  readonly plots: Plots;

  constructor(private readonly app: App) {
    this.timeline = new Timeline(app);
    this.plots = new Plots(app);
    const record = iconButton('record', 'Record', () => void this.record(), 'O');
    record.classList.add('record');
    const keep = iconButton('flag', 'Keep this moment', () => void this.keep(), 'K');
    const plots = iconButton('plot', 'Plots', () => app.settings.plots.set(!app.settings.plots.value), 'L');
    const live = iconButton('live', 'Back to now', () => this.live(), 'End');
    const files = h('div', {class: 'recordings', hidden: true, id: 'recordings'});
    const filesButton = iconButton('download', 'Recordings and snapshots', () => {
      files.hidden = !files.hidden;
      filesButton.setAttribute('aria-expanded', String(!files.hidden));
      this.fillFiles(files);
    });
    filesButton.setAttribute('aria-controls', 'recordings');
    filesButton.setAttribute('aria-expanded', 'false');
    const tools = h('div', {class: 'docktools', role: 'toolbar', 'aria-label': 'Record and plot'}, record, keep, filesButton, plots, live);

    const pause = iconButton('pause', 'Hold the plots', () => {
      this.plots.paused = !this.plots.paused;
      relabel(pause, this.plots.paused ? 'play' : 'pause', this.plots.paused ? 'Let the plots run' : 'Hold the plots');
    });
    const span = h('select', {'aria-label': 'Seconds shown', change: () => {
      this.plots.seconds = Number(span.value);
      this.plots.live();
    }});
    for (const s of [2, 5, 10, 30, 60]) span.append(h('option', {value: s}, `${s} s`));
    span.value = '10';
    const choose = h('button', {class: 'btn small', type: 'button', 'aria-expanded': 'false', 'aria-controls': 'chooser', click: () => {
      this.plots.chooser.hidden = !this.plots.chooser.hidden;
      choose.setAttribute('aria-expanded', String(!this.plots.chooser.hidden));
    }}, 'Channels');
    const save = iconButton('download', 'Save what is plotted as CSV', () => this.saveCsv());
    const plotBox = h(
      'div', {class: 'plotbox', hidden: true},
      h('div', {class: 'plotgrip', role: 'separator', 'aria-orientation': 'horizontal', 'aria-label': 'Height of the plots', tabindex: 0, 'aria-valuenow': app.settings.plotHeight.value, 'aria-valuemin': 120, 'aria-valuemax': 600}),
      h('div', {class: 'plothead'}, choose, span, pause, save, h('span', {class: 'muted small plothint'}, 'Drag to zoom, double-click to go on.')),
      h('div', {class: 'plotarea'}, this.plots.chooser, this.plots.element),
    );
    this.element = h('footer', {class: 'dock', 'aria-label': 'Timeline and plots'}, plotBox, h('div', {class: 'dockline'}, tools, this.timeline.element), files);
    this.grip(plotBox.querySelector('.plotgrip')!, plotBox);

    app.settings.plots.watch((on) => {
      plotBox.hidden = !on;
      plots.setAttribute('aria-pressed', String(on));
    });
    app.settings.plotHeight.watch((px) => plotBox.style.setProperty('--plot-height', `${px}px`));
    app.status.watch((status) => {
      const on = status?.recording ?? null;
      record.classList.toggle('on', on !== null);
      relabel(record, on ? 'stop' : 'record', on ? `End the recording` : 'Record', 'O');
      live.classList.toggle('urgent', app.stage.lookBack !== null || app.stage.replay !== null || this.plots.zoomed);
      live.disabled = app.stage.lookBack === null && app.stage.replay === null && !this.plots.zoomed && !this.plots.paused;
      if (!files.hidden) this.fillFiles(files);
    });
    addEventListener('pointerdown', (e) => {
      if (!files.hidden && !files.contains(e.target as Node) && !filesButton.contains(e.target as Node)) files.hidden = true;
    });
  }

  private grip(grip: HTMLElement, box: HTMLElement): void {
    const {plotHeight} = this.app.settings;
    const set = (px: number) => {
      const value = Math.round(Math.max(120, Math.min(0.7 * innerHeight, px)));
      plotHeight.set(value);
      grip.setAttribute('aria-valuenow', String(value));
    };
    grip.addEventListener('pointerdown', (e) => {
      grip.setPointerCapture(e.pointerId);
      const start = e.clientY, height = box.clientHeight;
      const move = (m: PointerEvent) => set(height + start - m.clientY);
      grip.addEventListener('pointermove', move);
      grip.addEventListener('pointerup', () => grip.removeEventListener('pointermove', move), {once: true});
    });
    grip.addEventListener('keydown', (e) => {
      if (e.key === 'ArrowUp') set(plotHeight.value + 20);
      else if (e.key === 'ArrowDown') set(plotHeight.value - 20);
      else return;
      e.preventDefault();
    });
  }

  live(): void {
    this.app.stage.replay = null;
    this.timeline.lookAt(null);
    this.plots.live();
  }
  async record(): Promise<void> {
    const on = this.app.status.value?.recording ?? null;
    if (!(await this.app.order({type: 'record', on: on === null}))) return;
    if (on !== null) this.app.notice.set({kind: 'word', text: `Recording ${on.id} is kept.`, remedy: 'Download it as CSV, MCAP or a script beside the timeline.'});
  }
  async keep(): Promise<void> {
    if (await this.app.order({type: 'snapshot', do: 'save'})) this.app.notice.set({kind: 'word', text: 'This moment is kept.', remedy: 'A click on its flag in the timeline goes back to it.'});
  }

  private fillFiles(box: HTMLElement): void {
    const status = this.app.status.value;
    const key = JSON.stringify([status?.recordings, status?.snapshots]);
    if (box.dataset['key'] === key) return;
    box.dataset['key'] = key;
    const link = (id: number, ext: string, word: string) =>
      h('a', {class: 'btn small', href: `./recordings/${id}.${ext}`, download: `tactus-${id}.${ext}`}, word);
    const recordings = [...(status?.recordings ?? [])].reverse();
    const snapshots = [...(status?.snapshots ?? [])].reverse();
    fill(
      box,
      h('h3', {}, 'Recordings'),
      recordings.length === 0 ? h('p', {class: 'muted'}, 'None yet.') : h('ul', {class: 'stack'}, ...recordings.map((r) =>
        h('li', {class: 'row'}, h('span', {class: 'num grow'}, `${r.model.replace(/_/g, ' ')}, ${digits(r.seconds)} s`, r.problem ? h('span', {class: 'note late small'}, r.problem) : r.ready ? '' : h('span', {class: 'muted small'}, ' being written')), h('button', {class: 'btn small', type: 'button', disabled: r.model !== this.app.scene.value?.model.name, title: 'Play it in the picture', click: () => void this.replay(r.id)}, 'Replay'), link(r.id, 'csv', 'CSV'), link(r.id, 'mcap', 'MCAP'), link(r.id, 'json', 'Script')))),
      h('h3', {}, 'Snapshots'),
      snapshots.length === 0 ? h('p', {class: 'muted'}, 'None yet.') : h('ul', {class: 'stack'}, ...snapshots.map((s) =>
        h('li', {class: 'row'}, h('span', {class: 'num grow'}, `at ${clock(s.t)}`),
          h('button', {class: 'btn small', type: 'button', click: () => void this.app.order({type: 'snapshot', do: 'load', id: s.id})}, 'Go back'),
          iconButton('trash', `Drop the snapshot at ${clock(s.t)}`, () => void this.app.order({type: 'snapshot', do: 'drop', id: s.id}))))),
    );
  }

  private async replay(id: number): Promise<void> {
    try {
      const answer = await fetch(`./recordings/${id}.poses`);
      if (!answer.ok) throw new Error(`The recording could not be fetched (${answer.status}).`);
      const motion = readMotion(await answer.arrayBuffer());
      if (motion.bodies !== this.app.scene.value?.bodies.length || motion.frames < 2) throw new Error('The recording is of another mechanism, or too short to be played.');
      this.app.stage.replay = new Replay(`Recording ${id}`, motion);
      this.app.stage.touch();
    } catch (error) {
      this.app.complain(error);
    }
  }

  private saveCsv(): void {
    const url = URL.createObjectURL(new Blob([this.plots.csv()], {type: 'text/csv'}));
    h('a', {href: url, download: `${this.app.scene.value?.model.name ?? 'plot'}.csv`}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  draw(): void {
    this.timeline.draw();
    this.plots.draw();
  }
}
