// What stands over the picture: the hand's newtons, names, the scale, words about trouble.
import {Vector3} from 'three';
import type {App} from '../app';
import {fill, h, iconButton, relabel, say} from '../base/dom';
import {clock, digits, quantity, tidy} from '../base/numbers';
import type {Hand} from '../hand/hand';

const CALM = 100; // [ms] between two changes of a number

export class Overlay {
  readonly stage = h('main', {class: 'stage'});
  private readonly tag = h('div', {class: 'tag num', hidden: true});
  private readonly tagNumber = h('b', {});
  private readonly tagName = h('span', {});
  private readonly name = h('div', {class: 'name', hidden: true});
  private readonly hint = h('div', {class: 'hint', hidden: true});
  private readonly scaleBar = h('span', {class: 'bar-m'});
  private readonly scaleText = h('span', {class: 'num'});
  private readonly forceBar = h('span', {class: 'bar-n'});
  private readonly forceText = h('span', {class: 'num'});
  private readonly forceKey = h('div', {class: 'key force'}, this.forceBar, this.forceText);
  private readonly toast = h('div', {class: 'toast', hidden: true, role: 'status'});
  private readonly alarm = h('div', {class: 'alarm', hidden: true, role: 'alert'});
  private readonly banner = h('div', {class: 'banner', hidden: true});
  private readonly player = new Player();
  private readonly spoken = h('div', {class: 'away', 'aria-live': 'polite'});
  private nextNumber = 0;
  private toastTimer = 0;
  private lastSpoken = 0;
  private readonly at = new Vector3();
  private alarmKey = '';

  constructor(private readonly app: App, private readonly hand: Hand) {
    const {stage} = app;
    stage.canvas.tabIndex = 0;
    stage.canvas.setAttribute('role', 'application');
    stage.canvas.setAttribute('aria-label', 'The mechanism. Tab chooses a body, arrow keys push it, question mark shows all keys.');
    this.tag.append(this.tagNumber, this.tagName);
    const {eye} = stage;
    const threeD = iconButton('cube', 'Turn freely or flat', () => this.toggleFlat(), '5');
    const fit = iconButton('fit', 'Whole mechanism', () => eye.goHome(), 'F');
    const views = h('div', {class: 'views', role: 'group', 'aria-label': 'Camera'}, fit, threeD);
    this.stage.append(
      stage.canvas, this.name, this.tag, this.hint, views,
      h('div', {class: 'keys', 'aria-hidden': 'true'}, h('div', {class: 'key'}, this.scaleBar, this.scaleText), this.forceKey),
      this.banner, this.player.element, this.toast, this.alarm, this.spoken,
    );
    const touch = matchMedia('(pointer: coarse)').matches;
    fill(
      this.hint,
      h('b', {}, 'Drag any part.'),
      touch ? ' Two fingers zoom and turn.' : h('span', {}, ' Scroll to zoom, ', h('kbd', {}, '?'), ' for keys.'),
    );
    app.settings.touched.watch(() => this.showHint());
    app.scene.listen((scene) => {
      this.showHint();
      if (scene) this.speak(`${scene.model.title || scene.model.name}. ${scene.model.sentence}`);
    });
    app.notice.listen((notice) => {
      clearTimeout(this.toastTimer);
      this.toast.hidden = notice === null;
      if (!notice) return;
      this.toast.dataset['kind'] = notice.kind;
      fill(
        this.toast, h('span', {}, h('b', {}, notice.text), notice.remedy ? ` ${notice.remedy}` : ''),
        iconButton('close', 'Close', () => app.notice.set(null)),
      );
      this.toastTimer = window.setTimeout(() => app.notice.set(null), Math.max(5000, 90 * (notice.text.length + notice.remedy.length)));
    });
    app.status.listen(() => this.alarms());
    app.link.state.watch(() => this.alarms());
    app.link.retry.listen(() => this.alarms());
    hand.over.listen(() => this.showName());
    hand.chosen.listen((body) => {
      this.showName();
      const name = app.scene.value?.bodies[body]?.name;
      if (name) this.speak(`${name}. Arrow keys push it.`);
    });
    stage.canvas.addEventListener('pointermove', (e) => {
      const box = this.stage.getBoundingClientRect();
      this.name.style.transform = `translate(${e.clientX - box.left + 16}px, ${e.clientY - box.top + 18}px)`;
    });
  }

  toggleFlat(): void {
    const {eye, view} = this.app.stage;
    const plane = view?.anatomy.plane;
    if (eye.flat) {
      const {back, right, up} = eye.axes();
      eye.goTo(back.addScaledVector(right, 0.55).addScaledVector(up, Math.abs(back.z) > 0.9 ? -0.7 : 0.4), false);
    } else if (plane) eye.goTo(plane.normal, true);
    else eye.setFlat(true);
  }

  private speak(text: string): void {
    say(this.spoken, text);
  }
  private showHint(): void {
    this.hint.hidden = this.app.settings.touched.value || this.app.scene.value === null;
  }
  private showName(): void {
    const {over, chosen, holding} = this.hand;
    const body = holding.value >= 0 ? -1 : chosen.value >= 0 ? chosen.value : over.value?.body ?? -1;
    const name = this.app.scene.value?.bodies[body]?.name;
    this.name.hidden = !name;
    if (name) say(this.name, name.replace(/_/g, ' '));
  }

  /** Each picture. */
  draw(): void {
    const {stage} = this.app;
    const {eye, held} = stage;
    const now = performance.now();
    const {chosen, pushed} = this.hand;
    if (chosen.value > 0 && stage.view) {
      const body = this.app.scene.value?.bodies[chosen.value];
      if (body) {
        stage.view.worldOf(chosen.value, this.at.fromArray(body.com));
        eye.project(this.at, this.at);
        this.name.style.transform = `translate(${this.at.x + 14}px, ${this.at.y + 14}px)`;
        const push = pushed.length();
        say(this.name, body.name.replace(/_/g, ' ') + (push > 0 ? `  ${quantity(push, 'N')}` : ''));
      }
    }
    this.tag.hidden = !held.on;
    if (held.on) {
      eye.project(held.tip, this.at);
      // Beside the arrow's tip; above it where there is no room.
      const room = eye.size.x - 130;
      const x = Math.max(10, Math.min(room, this.at.x + 14));
      const y = Math.max(10, Math.min(eye.size.y - 58, this.at.y - (this.at.x + 14 > room ? 78 : 20)));
      this.tag.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
      if (now > this.nextNumber) {
        this.nextNumber = now + CALM;
        say(this.tagNumber, quantity(held.force.length(), 'N'));
        say(this.tagName, (this.app.scene.value?.bodies[held.body]?.name ?? '').replace(/_/g, ' '));
        if (now - this.lastSpoken > 1500) {
          this.lastSpoken = now;
          this.speak(`${quantity(held.force.length(), 'N')} at ${this.tagName.textContent}`);
        }
      }
    }
    this.player.draw(this.app);
    this.drawKeys();
  }

  private drawKeys(): void {
    const {stage} = this.app;
    const {eye} = stage;
    const metres = tidy(110 * eye.pixel);
    this.scaleBar.style.width = `${metres / eye.pixel}px`;
    say(this.scaleText, quantity(metres, 'm', 1));
    const perPixel = eye.pixel / stage.newtonLength;
    const newtons = tidy(90 * perPixel);
    this.forceBar.style.width = `${newtons / perPixel}px`;
    say(this.forceText, quantity(newtons, 'N', 1));
    const anyForce = stage.held.on || (this.app.status.value?.contacts ?? 0) > 0;
    this.forceKey.classList.toggle('off', !anyForce);
  }

  /** Trouble that stops the play: in words, with what to do. */
  private alarms(): void {
    const {link, status} = this.app;
    const fault = status.value?.fault ?? null;
    const building = status.value?.state === 'building' ? status.value.building : null;
    this.banner.hidden = !(building && building.seconds > 0.3);
    if (building) say(this.banner, `${building.what || 'Building'} … ${digits(building.seconds, 2)} s`);
    let key = '';
    if (link.state.value === 'lost') key = `lost ${link.why.value}`;
    else if (link.state.value === 'refused') key = 'refused';
    else if (link.open && fault) key = `fault ${fault.what} ${fault.why}`;
    this.stage.classList.toggle('dimmed', link.state.value === 'lost');
    if (key === this.alarmKey) return;
    this.alarmKey = key;
    this.alarm.hidden = key === '';
    if (link.state.value === 'lost') {
      fill(
        this.alarm, h('h2', {}, 'The server does not answer'),
        h('p', {}, `${link.why.value ? `${link.why.value} ` : ''}The page tries again by itself and goes on where it was. If the program was ended, start it again: `, h('code', {}, './run')),
        h('div', {class: 'row'}, h('button', {class: 'btn primary', type: 'button', click: () => link.hurry()}, 'Try now')),
      );
      this.alarm.dataset['kind'] = 'late';
    } else if (link.state.value === 'refused') {
      fill(this.alarm, h('h2', {}, 'Page and server do not fit'), h('p', {}, 'They speak different versions of the protocol. Load the page again; if that does not help, build it anew: ', h('code', {}, './run')));
      this.alarm.dataset['kind'] = 'bad';
    } else if (fault) {
      fill(
        this.alarm, h('h2', {}, 'Safe state: the hand is switched off'),
        h('p', {}, fault.what, fault.why ? ` ${fault.why}` : ''),
        fault.remedy ? h('p', {class: 'muted'}, fault.remedy) : null,
        h(
          'div', {class: 'row'},
          h('button', {class: 'btn primary', type: 'button', click: () => void this.app.order({type: 'clear_fault'})}, 'Go on'),
          h('button', {class: 'btn', type: 'button', click: () => void this.restart()}, 'Begin again'),
        ),
      );
      this.alarm.dataset['kind'] = 'bad';
    }
  }
  private async restart(): Promise<void> {
    await this.app.order({type: 'time', do: 'reset'});
    await this.app.order({type: 'clear_fault'});
  }
}

/** Controls of a recording that is played: they stand over the picture while it is. */
class Player {
  readonly element: HTMLElement;
  private readonly play = iconButton('pause', 'Hold the replay', () => this.toggle());
  private readonly slider = h('input', {type: 'range', min: 0, max: 1000, step: 1, 'aria-label': 'Time of the recording', input: () => this.slide()});
  private readonly text = h('span', {class: 'num'});
  private readonly title = h('b', {});
  private app: App | null = null;
  constructor() {
    this.element = h('div', {class: 'player', hidden: true, role: 'group', 'aria-label': 'Replay'}, this.title, this.play, this.slider, this.text, iconButton('close', 'End the replay', () => this.end()));
  }
  private toggle(): void {
    const replay = this.app?.stage.replay;
    if (replay) replay.running = !replay.running;
  }
  private slide(): void {
    const replay = this.app?.stage.replay;
    if (!replay) return;
    replay.running = false;
    replay.t = (Number(this.slider.value) / 1000) * replay.length;
  }
  private end(): void {
    if (this.app) this.app.stage.replay = null;
  }
  draw(app: App): void {
    this.app = app;
    const {replay} = app.stage;
    this.element.hidden = replay === null;
    if (!replay) return;
    say(this.title, replay.name);
    say(this.text, `${clock(replay.t)} of ${clock(replay.length)}`);
    relabel(this.play, replay.running ? 'pause' : 'play', replay.running ? 'Hold the replay' : 'Play');
    if (document.activeElement !== this.slider || replay.running) this.slider.value = String(Math.round((1000 * replay.t) / replay.length));
    this.slider.style.setProperty('--fill', `${(100 * replay.t) / replay.length}%`);
    this.slider.setAttribute('aria-valuetext', clock(replay.t));
  }
}
