// The hand: mouse, fingers and keys take hold of bodies, and move the camera where there is none.
import {Vector3} from 'three';
import type {App} from '../app';
import {Signal} from '../base/signal';
import type {FrameData} from '../link/frame';
import type {Hit} from '../scene/mechanism';

const LEAST_GAP = 4; // [ms] between two messages: 250 per second at most
const KEEP = 1000; // [ms] after which a still hand says that it still holds
const REACH_MOUSE = 7; // [px] around the cursor
const REACH_TOUCH = 22;
const PUSH_EVERY = 120; // [ms]
const DELAYS = 240; // of the last moves that the 95th percentile is taken over

interface Hold {
  pointer: number;
  hit: Hit;
  centre: Vector3; // a point of the plane in which the target moves
  target: Vector3;
  turn: Vector3;
  x: number;
  y: number;
}

export class Hand {
  /** What would be grabbed. */
  readonly over = new Signal<Hit | null>(null);
  readonly holding = new Signal(-1);
  /** Chosen by the keyboard. */
  readonly chosen = new Signal(-1);
  /** [s] from the pointer's event to the tick that used it, 95th percentile. */
  readonly delay = new Signal(NaN);
  private hold: Hold | null = null;
  private readonly pointers = new Map<number, {x: number; y: number}>();
  private dragging: 'orbit' | 'pan' | null = null;
  private sequence = 0;
  private sentAt = 0;
  private waiting = 0;
  private readonly times = new Map<number, number>(); // sequence -> [s] from event to sending
  private delays: number[] = [];
  private acted = 0;
  private pointerAt: {x: number; y: number} | null = null;
  private pressed = false;
  private pushTimer = 0;
  private pushing = new Vector3();
  private readonly keys = new Set<string>();

  constructor(private readonly app: App) {
    const {canvas} = app.stage;
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    const raw = 'onpointerrawupdate' in canvas;
    if (raw) (canvas as HTMLElement).addEventListener('pointerrawupdate', (e) => this.drag(e as PointerEvent));
    canvas.addEventListener('pointermove', (e) => {
      if (!raw || !this.hold) this.move(e);
    });
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', (e) => this.up(e));
    canvas.addEventListener('lostpointercapture', (e) => this.up(e));
    canvas.addEventListener('pointerleave', () => {
      this.pointerAt = null;
      if (!this.hold) this.over.set(null);
    });
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('wheel', (e) => this.wheel(e), {passive: false});
    canvas.addEventListener('keydown', (e) => this.key(e));
    // The ring around the picture is for those who use the keys.
    canvas.addEventListener('focus', () => canvas.toggleAttribute('data-keys', !this.pressed));
    canvas.addEventListener('keydown', (e) => canvas.toggleAttribute('data-keys', e.key === 'Tab' || canvas.hasAttribute('data-keys')));
    canvas.addEventListener('keyup', (e) => this.keyUp(e));
    canvas.addEventListener('blur', () => {
      this.endPush();
      this.chosen.set(-1);
    });
    addEventListener('blur', () => this.release());
    app.frames.add((frame) => this.hear(frame));
    app.link.state.listen((state) => {
      if (state !== 'open') this.drop();
    });
    app.scene.listen(() => this.drop());
    this.over.listen((hit) => this.light(hit?.body ?? -1));
    this.chosen.listen((body) => this.light(body));
    setInterval(() => {
      if (this.hold && performance.now() - this.sentAt > KEEP) this.send(performance.now());
    }, 250);
  }

  /** Each picture: what is under a still cursor changes while the mechanism moves. */
  look(): void {
    if (this.hold || this.dragging || !this.pointerAt) return;
    this.over.set(this.app.stage.pick(this.pointerAt.x, this.pointerAt.y, REACH_MOUSE));
  }

  private light(body: number): void {
    const {stage} = this.app;
    stage.hover(this.hold ? this.hold.hit.body : body >= 0 ? body : this.chosen.value);
    stage.canvas.style.cursor = this.hold ? 'grabbing' : this.over.value ? 'grab' : 'default';
  }

  private place(event: PointerEvent | WheelEvent): {x: number; y: number} {
    const box = this.app.stage.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  private down(event: PointerEvent): void {
    const {stage} = this.app;
    const {x, y} = this.place(event);
    this.pointers.set(event.pointerId, {x, y});
    this.pressed = true;
    stage.canvas.focus({preventScroll: true});
    stage.canvas.removeAttribute('data-keys');
    this.pressed = false;
    if (this.pointers.size > 1) {
      this.dragging = null;
      return;
    }
    const touch = event.pointerType !== 'mouse';
    const hit = event.button === 0 && stage.lookBack === null && stage.replay === null ? stage.pick(x, y, touch ? REACH_TOUCH : REACH_MOUSE) : null;
    try {
      stage.canvas.setPointerCapture(event.pointerId);
    } catch {
      // the pointer is gone already
    }
    if (hit) {
      this.hold = {pointer: event.pointerId, hit, centre: hit.point.clone(), target: hit.point.clone(), turn: new Vector3(), x, y};
      stage.wanted = hit.point.clone();
      this.holding.set(hit.body);
      this.over.set(hit);
      this.light(hit.body);
      this.app.settings.touched.set(true);
      this.times.set(++this.sequence, (performance.now() - event.timeStamp) / 1000);
      this.app.link.send({
        type: 'grab', body: hit.body, point: hit.local.toArray(), target: hit.point.toArray(), sequence: this.sequence,
      });
      this.sentAt = performance.now();
      return;
    }
    const other = event.button !== 0;
    this.dragging = stage.eye.flat !== other ? 'pan' : 'orbit';
  }

  private drag(event: PointerEvent): void {
    if (this.hold && event.pointerId === this.hold.pointer) this.move(event);
  }

  private move(event: PointerEvent): void {
    const {stage} = this.app;
    const {x, y} = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (this.hold && event.pointerId === this.hold.pointer) {
      this.pull(event, x, y);
      return;
    }
    if (before && this.pointers.size === 2 && !this.hold) {
      this.pinch(event.pointerId, before, {x, y});
      this.pointers.set(event.pointerId, {x, y});
      return;
    }
    if (before && this.dragging) {
      const dx = x - before.x, dy = y - before.y;
      if (this.dragging === 'orbit') stage.eye.orbit(dx, dy);
      else stage.eye.pan(dx, dy);
      this.pointers.set(event.pointerId, {x, y});
      return;
    }
    this.pointerAt = event.pointerType === 'mouse' ? {x, y} : null;
  }

  private pull(event: PointerEvent, x: number, y: number): void {
    const {eye, view} = this.app.stage;
    const hold = this.hold!;
    const dx = x - hold.x, dy = y - hold.y;
    hold.x = x;
    hold.y = y;
    const {right, up, back} = eye.axes();
    if (event.ctrlKey || event.metaKey) {
      const rate = Math.PI / Math.max(200, eye.size.y / 2);
      const plane = view?.anatomy.plane;
      if (plane && eye.flat) hold.turn.addScaledVector(plane.normal, dx * rate);
      else hold.turn.addScaledVector(up, dx * rate).addScaledVector(right, dy * rate);
    } else if (event.shiftKey && !eye.flat) {
      const along = back.multiplyScalar(dy * eye.pixel);
      hold.centre.add(along);
      hold.target.add(along);
    } else {
      const plane = view?.anatomy.plane;
      const target = eye.onPlane(x, y, hold.centre, plane && Math.abs(plane.normal.dot(back)) > 0.3 ? plane.normal : undefined);
      if (target) hold.target.copy(target);
    }
    this.app.stage.wanted = hold.target.clone();
    this.app.stage.touch();
    this.send(event.timeStamp);
  }

  private send(eventTime: number): void {
    if (!this.hold) return;
    const now = performance.now();
    clearTimeout(this.waiting);
    if (now - this.sentAt < LEAST_GAP) {
      this.waiting = window.setTimeout(() => this.send(eventTime), LEAST_GAP);
      return;
    }
    this.sentAt = now;
    this.times.set(++this.sequence, Math.max(0, (now - eventTime) / 1000));
    const {target, turn} = this.hold;
    this.app.link.send({
      type: 'move', target: target.toArray(), ...(turn.lengthSq() > 0 ? {turn: turn.toArray()} : {}), sequence: this.sequence,
    });
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    if (this.hold?.pointer === event.pointerId) this.release();
    if (this.pointers.size === 0) this.dragging = null;
  }

  release(): void {
    if (!this.hold) return;
    clearTimeout(this.waiting);
    this.app.link.send({type: 'release'});
    this.drop();
  }
  private drop(): void {
    this.hold = null;
    this.app.stage.wanted = null;
    this.holding.set(-1);
    this.over.set(null);
    this.light(-1);
    this.endPush();
  }

  private pinch(id: number, before: {x: number; y: number}, now: {x: number; y: number}): void {
    const {eye} = this.app.stage;
    const other = [...this.pointers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
    if (was > 10 && is > 10) eye.zoom(was / is, (now.x + other.x) / 2, (now.y + other.y) / 2);
    const dx = (now.x - before.x) / 2, dy = (now.y - before.y) / 2;
    if (eye.flat) eye.pan(dx, dy);
    else eye.orbit(dx, dy);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const {x, y} = this.place(event);
    const step = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.app.stage.eye.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY * step)) * 0.0016), x, y);
  }

  // ------------------------------------------------------------------------------------------------ keys

  /** Bodies that can be chosen, in order. */
  private bodies(): number[] {
    const bodies = this.app.scene.value?.bodies ?? [];
    return bodies.flatMap((b, i) => (i > 0 && !b.hidden && !b.fixed ? [i] : []));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Tab') {
      const list = this.bodies();
      const at = list.indexOf(this.chosen.value) + (event.shiftKey ? -1 : 1);
      const next = this.chosen.value < 0 ? (event.shiftKey ? undefined : list[0]) : list[at];
      this.endPush();
      if (next === undefined) {
        this.chosen.set(-1); // past the last body the focus goes on
        return;
      }
      event.preventDefault();
      this.chosen.set(next);
      return;
    }
    if (event.key === 'Escape') {
      this.endPush();
      this.chosen.set(-1);
      this.release();
      return;
    }
    if (!event.key.startsWith('Arrow') && event.key !== 'PageUp' && event.key !== 'PageDown') return;
    event.preventDefault();
    if (this.chosen.value < 0) this.chosen.set(this.bodies()[0] ?? -1);
    this.keys.add(event.key);
    this.app.settings.touched.set(true);
    this.push();
  }
  private keyUp(event: KeyboardEvent): void {
    if (!this.keys.delete(event.key)) return;
    if (this.keys.size === 0) this.endPush();
    else this.push();
  }

  /** [N] of a key. */
  get pushForce(): number {
    const own = this.app.settings.push.value;
    return own > 0 ? own : (0.08 * (this.app.stage.view?.anatomy.size ?? 1)) / this.app.stage.newtonLength;
  }

  private push(): void {
    const {right, up, back} = this.app.stage.eye.axes();
    const has = (key: string) => (this.keys.has(key) ? 1 : 0);
    this.pushing
      .set(0, 0, 0)
      .addScaledVector(right, has('ArrowRight') - has('ArrowLeft'))
      .addScaledVector(up, has('ArrowUp') - has('ArrowDown'))
      .addScaledVector(back, has('PageDown') - has('PageUp'));
    if (this.pushing.lengthSq() > 0) this.pushing.setLength(this.pushForce);
    this.sendPush();
    clearInterval(this.pushTimer);
    this.pushTimer = window.setInterval(() => this.sendPush(), PUSH_EVERY);
  }
  private sendPush(): void {
    if (this.chosen.value > 0) this.app.link.send({type: 'push', body: this.chosen.value, force: this.pushing.toArray()});
    this.app.stage.pushed = this.pushing.lengthSq() > 0 ? {body: this.chosen.value, force: this.pushing} : null;
    this.app.stage.touch();
  }
  private endPush(): void {
    if (this.pushTimer === 0) return;
    clearInterval(this.pushTimer);
    this.pushTimer = 0;
    this.keys.clear();
    this.pushing.set(0, 0, 0);
    this.sendPush();
  }
  /** [N] that the keys push with now. */
  get pushed(): Vector3 {
    return this.pushing;
  }

  // ------------------------------------------------------------------------------------------------ how late

  private hear(frame: FrameData): void {
    if (frame.handSequence === this.acted || frame.holder !== this.app.link.you.value) return;
    this.acted = frame.handSequence;
    const before = this.times.get(frame.handSequence);
    for (const key of this.times.keys()) if (key <= frame.handSequence) this.times.delete(key);
    const way = this.app.link.wayThere;
    if (before === undefined || !Number.isFinite(way)) return;
    // Event to sending, the way to the server, arrival to the tick that used it.
    this.delays.push(before + way + frame.handDelay);
    if (this.delays.length > DELAYS) this.delays.shift();
    const sorted = [...this.delays].sort((a, b) => a - b);
    this.delay.set(sorted[Math.min(sorted.length - 1, Math.floor(0.95 * sorted.length))] ?? NaN);
  }
}
