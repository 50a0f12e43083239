// The room in which the mechanism is seen: light, shadow, floor, camera; and the picture, sixty times per second.
import {
  DirectionalLight, Group, HemisphereLight, NeutralToneMapping, PMREMGenerator, Raycaster, Scene as Room, SRGBColorSpace, Vector3, VSMShadowMap, WebGLRenderer,
  Mesh, MeshBasicMaterial, RingGeometry, SphereGeometry, type Texture,
} from 'three';
import {RoomEnvironment} from 'three/examples/jsm/environments/RoomEnvironment.js';
import {tidy} from '../base/numbers';
import {Flag, type FrameData} from '../link/frame';
import type {Felt, Scene, Shapes} from '../link/messages';
import {firstBall, firstView} from './anatomy';
import {Arrows} from './arrows';
import {dark, light, type SceneColours} from './colours';
import {coil, Curves} from './curves';
import {Eye} from './eye';
import {FeltView} from './felt';
import {Floor} from './floor';
import {History, type Moment, type Replay} from './history';
import {FatLine, halfCanvas} from './lines';
import {MechanismView, type Hit} from './mechanism';
import {fetchMeshes, type Meshes} from './meshes';
import {placeOf, turnOf, vectorOf} from './poses';
import {Trails} from './trails';

const BEHIND = 0.02; // [s] a little more than the distance of two frames: there is always one after what is drawn
const SETTLE = 0.25; // [s] after the last change that pictures are still made
const SLOW_PICTURE = 0.03; // [s] on average: below 33 pictures per second
const LONGEST_ARROW = 1.1; // of the scene's size

/** Pictures for fast machines and slow ones: device pixels per CSS pixel at most, edge of the shadow's map, light from all around. */
const LEVELS = [
  {pixels: 2, shadow: 1024, around: true},
  {pixels: 1.25, shadow: 768, around: true},
  {pixels: 1, shadow: 0, around: true},
  {pixels: 1, shadow: 0, around: false},
  {pixels: 0.7, shadow: 0, around: false},
];

export interface Shown {
  curves: boolean;
  contacts: boolean;
  traces: boolean;
  grid: boolean;
  ghost: boolean;
  felt: boolean;
}

export class Stage {
  readonly eye = new Eye();
  readonly history = new History();
  readonly canvas: HTMLCanvasElement;
  scene: Scene | null = null;
  view: MechanismView | null = null;
  /** [s] simulated: looks back; null: live. */
  lookBack: number | null = null;
  /** A recording that is played instead. */
  replay: Replay | null = null;
  /** What the keys push, and how. */
  pushed: {body: number; force: Vector3} | null = null;
  clockOffset: () => number = () => NaN;
  /** After each picture. */
  onPicture: (moment: Moment | undefined, dt: number) => void = () => {};
  shown: Shown = {curves: true, contacts: true, traces: true, grid: true, ghost: true, felt: true};
  /** What is felt where the hand holds, and at a point that is looked at: as the newest status has it. */
  felt: Felt | null = null;
  probe: {body: number; point: number[]; felt: Felt | null} | null = null;
  follow = false;
  /** Where the hand wants the point, as the page knows it: ahead of the server's. */
  wanted: Vector3 | null = null;
  newtonLength = 1; // [m/N]
  pictures = 0;

  private readonly renderer: WebGLRenderer;
  private readonly room = new Room();
  private readonly world = new Group();
  private readonly floor = new Floor();
  private readonly lamp = new DirectionalLight(0xffffff, 2.5);
  private readonly contactArrows: Arrows;
  private readonly handArrows: Arrows;
  private readonly feltHere = new FeltView(light.felt);
  private readonly feltThere = new FeltView(light.felt);
  private readonly trails = new Trails();
  private readonly spring: FatLine;
  private readonly grip: Mesh;
  private readonly handle: Mesh;
  private curves: Curves | null = null;
  private meshes: Meshes = new Map();
  private colours: SceneColours = light;
  private raycaster = new Raycaster();
  private poses = new Float32Array(0);
  private lastTime = 0;
  private busyUntil = 0;
  private followed = new Vector3();
  private hoveredBody = -1;
  private choices: string[] = [];
  private trailedUntil = 0;
  private shownTime = NaN; // [s] of the newest frame, where the picture shows it
  private level = 0; // of economy: 0 is the best picture
  private slow = 0; // [s] mean time of a picture, weighted to the newest
  private waited = 0; // [s] on this level
  private environment: Texture | null = null;
  private readonly sky = new HemisphereLight(0xffffff, 0xb8b4ac, 1.9);

  /** `best`: soft edges and no saving whatever it costs. */
  constructor(canvas: HTMLCanvasElement, private readonly best = false) {
    this.canvas = canvas;
    const software = drawnBySoftware();
    this.renderer = new WebGLRenderer({canvas, antialias: best || !software, alpha: true, powerPreference: 'high-performance'});
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.type = VSMShadowMap;
    this.lamp.shadow.radius = 3;
    this.lamp.shadow.blurSamples = 8;
    this.contactArrows = new Arrows(light.contact, 120);
    this.handArrows = new Arrows(light.force, 4);
    this.spring = new FatLine(160, light.force, 2.4, {onTop: true});
    const round = new MeshBasicMaterial({color: light.force, depthTest: false, transparent: true, toneMapped: false});
    this.grip = new Mesh(new SphereGeometry(1, 20, 14), round);
    this.handle = new Mesh(new RingGeometry(0.7, 1, 40), round);
    for (const mesh of [this.grip, this.handle]) {
      mesh.renderOrder = 22;
      mesh.visible = false;
    }
    this.room.add(
      this.world, this.floor.group, this.lamp, this.lamp.target, this.sky,
      this.contactArrows.group, this.handArrows.group, this.trails.group, this.spring.mesh, this.grip, this.handle,
      this.feltHere.group, this.feltThere.group,
    );
    this.setLevel(software ? 3 : 0);
    this.eye.onChange = () => this.touch();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    requestAnimationFrame((now) => this.picture(now));
  }

  /** Something changed: pictures are made. */
  touch(seconds = SETTLE): void {
    this.busyUntil = Math.max(this.busyUntil, performance.now() / 1000 + seconds);
  }

  private resize(): void {
    const {clientWidth: w, clientHeight: h} = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setPixelRatio(Math.min(LEVELS[this.level]!.pixels, devicePixelRatio));
    this.renderer.setSize(w, h, false);
    halfCanvas.set(w / 2, h / 2);
    this.eye.resize(w, h);
    // At once: a canvas that was resized is empty until the next picture.
    if (this.scene) this.renderer.render(this.room, this.eye.camera);
  }

  setTheme(darkness: boolean): void {
    this.colours = darkness ? dark : light;
    this.floor.setColours(this.colours);
    this.lamp.intensity = this.colours.key;
    this.room.environmentIntensity = this.colours.around;
    this.contactArrows.setColour(this.colours.contact);
    this.handArrows.setColour(this.colours.force);
    this.spring.setStyle(this.colours.force, 1);
    this.feltHere.setColour(this.colours.felt);
    this.feltThere.setColour(this.colours.felt);
    (this.grip.material as MeshBasicMaterial).color.copy(this.colours.force);
    if (this.scene) this.build(this.scene);
    this.touch();
  }

  setScene(scene: Scene, keepCamera: boolean): void {
    this.scene = scene;
    this.history.clear();
    this.lookBack = null;
    this.replay = null;
    this.wanted = null;
    this.felt = this.probe = null;
    this.poses = new Float32Array(7 * scene.bodies.length);
    this.setMeshes(new Map());
    this.build(scene);
    void this.bringMeshes(scene);
    this.newtonLength = (0.28 * this.view!.anatomy.size) / referenceForce(scene);
    if (!keepCamera) this.aim(scene);
    this.follow = scene.camera?.follow !== null && scene.camera?.follow !== undefined;
    this.followed.copy(this.followedPlace());
    this.touch(1);
  }

  private setMeshes(meshes: Meshes): void {
    for (const mesh of this.meshes.values()) mesh.dispose();
    this.meshes = meshes;
  }
  private async bringMeshes(scene: Scene): Promise<void> {
    if (!scene.bodies.some((body) => body.shapes.some((shape) => shape.mesh !== null))) return;
    const meshes = await fetchMeshes(scene);
    if (this.scene?.id !== scene.id || meshes.size === 0) return;
    this.setMeshes(meshes);
    this.build(this.scene);
    this.touch();
  }

  /** Lengths changed while it runs. */
  setShapes(change: Shapes): void {
    const scene = this.scene;
    if (!scene || change.scene !== scene.id) return;
    const bodies = [...scene.bodies];
    for (const {index, com, shapes} of change.bodies) if (bodies[index]) bodies[index] = {...bodies[index]!, com, shapes};
    const next = {
      ...scene, bodies,
      joints: change.joints ?? scene.joints, frames: change.frames ?? scene.frames, constraints: change.constraints ?? scene.constraints,
    };
    this.scene = next;
    this.build(next);
  }

  private build(scene: Scene): void {
    this.curves?.dispose();
    this.view?.dispose();
    this.trails.removeAll();
    this.view = new MechanismView(scene, this.colours, this.meshes);
    this.world.add(this.view.group);
    this.curves = new Curves(scene, this.view, this.colours, this.trails);
    this.world.add(this.curves.group);
    this.placeFloor(scene);
    this.setTrails(this.choices);
    if (this.hoveredBody >= 0) this.view.hover(this.hoveredBody);
    const newest = this.history.newest;
    if (newest && newest.poses.length === 7 * scene.bodies.length) this.view.setPoses(newest.poses);
  }

  /** Frames whose paths are drawn, by name. */
  setTrails(names: string[]): void {
    this.choices = names;
    const {scene, view} = this;
    if (!scene || !view) return;
    for (const name of this.trails.names()) if (!name.startsWith('trace:')) this.trails.remove(name);
    names.forEach((name, i) => {
      const frame = scene.frames.find((f) => f.name === name);
      if (!frame) return;
      const local = vectorOf(frame.pose);
      const colour = this.colours.bodies[i % this.colours.bodies.length]!;
      this.trails.set(name, view.anatomy.size, colour, 2.4, 0.75, (poses, result) =>
        result.copy(local).applyQuaternion(turnOf(poses, 7 * frame.body)).add(placeOf(poses, 7 * frame.body)));
    });
  }

  private placeFloor(scene: Scene): void {
    const {view} = this;
    if (!view) return;
    const {plane, size} = view.anatomy;
    if (plane) {
      const low = view.lowest(plane.normal);
      const origin = plane.point.clone();
      const behind = Number.isFinite(low) ? Math.min(low, origin.dot(plane.normal)) - 0.02 * size : origin.dot(plane.normal) - 0.05 * size;
      origin.addScaledVector(plane.normal, behind - origin.dot(plane.normal));
      this.floor.setPlane(origin, plane.normal, plane.up);
    } else {
      const z = new Vector3(0, 0, 1);
      const low = view.lowest(z);
      const height = scene.ground?.height ?? (Number.isFinite(low) ? low - 0.02 * size : 0);
      this.floor.setPlane(new Vector3(0, 0, height - 0.002 * size), z, new Vector3(0, 1, 0));
    }
    this.floor.setColours(this.colours);
  }

  private aim(scene: Scene): void {
    const {direction, flat} = firstView(scene);
    const {centre, radius} = firstBall(scene, this.view!.bounds());
    this.eye.setHome(centre, radius, direction, flat);
  }

  private followedPlace(): Vector3 {
    const body = this.scene?.camera?.follow;
    return body !== null && body !== undefined && this.view?.bodies[body] ? this.view.bodies[body]!.position : new Vector3();
  }

  addFrame(frame: FrameData): void {
    if (!this.scene || frame.scene !== this.scene.id || frame.poses.length !== 7 * this.scene.bodies.length) return;
    const newest = this.history.newest;
    if (newest && frame.t < newest.t - 1e-9) this.trails.clear();
    if (!newest || frame.t !== newest.t || frame.flags !== newest.flags || frame.held >= 0) this.touch();
    this.history.add(frame);
  }

  setActive(active: boolean[]): void {
    this.curves?.setActive(active);
    this.touch();
  }

  pick(x: number, y: number, reach = 0): Hit | null {
    if (!this.view) return null;
    const tries: [number, number][] = [[0, 0]];
    // Fingers and thin rods: around the place too.
    if (reach > 0) for (let k = 0; k < 8; ++k) tries.push([reach * Math.cos((k * Math.PI) / 4), reach * Math.sin((k * Math.PI) / 4)]);
    for (const [dx, dy] of tries) {
      this.raycaster.ray.copy(this.eye.ray(x + dx, y + dy));
      const hit = this.view.pick(this.raycaster);
      if (hit) return hit;
    }
    return null;
  }
  hover(body: number): void {
    if (body === this.hoveredBody) return;
    this.hoveredBody = body;
    this.view?.hover(body);
    this.touch();
  }

  /** The picture as an image, at once. */
  snapshot(): string {
    this.renderer.render(this.room, this.eye.camera);
    return this.canvas.toDataURL('image/png');
  }

  private picture(now: number): void {
    requestAnimationFrame((next) => this.picture(next));
    const seconds = now / 1000;
    const dt = Math.min(0.5, seconds - this.lastTime);
    this.lastTime = seconds;
    this.eye.advance(dt);
    this.replay?.advance(dt);
    const settled = this.history.newest === undefined || this.shownTime === this.history.newest.t;
    if (settled && performance.now() / 1000 > this.busyUntil && this.lookBack === null && this.replay === null) {
      this.onPicture(undefined, dt);
      return;
    }
    const moment = this.place();
    this.light();
    this.renderer.render(this.room, this.eye.camera);
    ++this.pictures;
    this.save(dt);
    this.onPicture(moment, dt);
  }

  /** A machine that cannot keep up gets a simpler picture: fewer pixels, then no shadows, then plain light. */
  private save(dt: number): void {
    if (this.best || dt <= 0 || document.visibilityState !== 'visible') return;
    this.slow += (dt - this.slow) * 0.15;
    this.waited += dt;
    if (this.waited < 1.2 || this.slow < SLOW_PICTURE || this.level >= LEVELS.length - 1) return;
    this.setLevel(Math.min(LEVELS.length - 1, this.level + (this.slow > 0.12 ? 2 : 1)));
  }
  /** 0 is the best picture. */
  setLevel(level: number): void {
    this.level = level;
    this.waited = this.slow = 0;
    const {shadow, around} = LEVELS[level]!;
    this.renderer.shadowMap.enabled = this.lamp.castShadow = shadow > 0;
    if (shadow > 0) this.lamp.shadow.mapSize.set(shadow, shadow);
    this.lamp.shadow.map?.dispose();
    this.lamp.shadow.map = null;
    this.room.environment = around ? this.surroundings() : null;
    this.sky.visible = !around;
    this.resize();
  }
  private surroundings(): Texture {
    if (!this.environment) {
      const pmrem = new PMREMGenerator(this.renderer);
      this.environment = pmrem.fromScene(new RoomEnvironment(), 0.06).texture;
      pmrem.dispose();
    }
    return this.environment;
  }

  private place(): Moment | undefined {
    const {view, history} = this;
    if (!view || !this.scene) return undefined;
    let moment: Moment | undefined;
    if (this.lookBack !== null) moment = history.between(this.lookBack, 't', this.poses);
    else {
      const offset = this.clockOffset();
      const newest = history.newest;
      const now = performance.now() / 1000 + offset - BEHIND;
      const wished = Number.isFinite(now) && newest && newest.clock - now < 0.5 ? now : newest?.clock ?? 0;
      moment = history.between(wished, 'clock', this.poses);
      this.shownTime = newest && wished >= newest.clock ? newest.t : NaN;
    }
    if (!moment) return undefined;
    if (this.replay) {
      this.replay.poses(this.poses);
      moment = {...moment, held: -1, handle: null, contacts: new Float32Array(0)};
    }
    view.setPoses(this.poses);
    if (this.follow && this.wanted === null && this.lookBack === null && this.replay === null) {
      const place = this.followedPlace();
      const shift = place.clone().sub(this.followed);
      if (shift.lengthSq() > 0) this.eye.follow(shift);
    }
    this.followed.copy(this.followedPlace());
    this.curves?.advance();
    if (this.curves) this.curves.group.visible = this.shown.curves;
    this.trails.group.visible = this.shown.traces;
    if (this.lookBack === null && this.replay === null) this.advanceTrails(moment);
    this.drawContacts(moment);
    this.drawHand(moment);
    this.drawFelt();
    return moment;
  }

  /** Every frame that came, not only those that were drawn: paths are smooth on slow screens too. */
  private advanceTrails(moment: Moment): void {
    const {history, trails} = this;
    for (let i = Math.max(0, history.before(this.trailedUntil, 'clock')); i < history.length; ++i) {
      const m = history.at(i)!;
      if (m.clock > moment.clock) break;
      if (m.clock > this.trailedUntil) trails.add(m.poses, m.t);
    }
    this.trailedUntil = moment.clock;
    trails.add(this.poses, moment.t);
    trails.show();
  }

  private arrowOf(force: Vector3): Vector3 {
    const longest = LONGEST_ARROW * this.view!.anatomy.size;
    return force.multiplyScalar(this.newtonLength).clampLength(0, longest);
  }

  private drawContacts(moment: Moment): void {
    this.contactArrows.begin();
    if (this.shown.contacts) {
      const w = moment.contacts;
      for (let i = 0; i + 9 < w.length; i += 10) {
        const at = new Vector3(w[i + 1], w[i + 2], w[i + 3]);
        const force = new Vector3(w[i + 7], w[i + 8], w[i + 9]);
        // The force on the body that can move.
        const pair = this.scene!.pairs[moment.contactPairs[i]!];
        if (pair && pair.b === 0) force.negate();
        this.contactArrows.add(at, this.arrowOf(force), this.eye.pixel, {dot: true});
      }
    }
    this.contactArrows.end();
  }

  /** The point that is held, the target, the force: the newest of each. */
  readonly held = {on: false, point: new Vector3(), target: new Vector3(), force: new Vector3(), tip: new Vector3(), body: -1};

  private drawHand(moment: Moment): void {
    const {held} = this;
    const view = this.view!;
    const holds = moment.held > 0 && (moment.flags & Flag.holds) !== 0;
    this.handArrows.begin();
    held.on = holds;
    this.spring.mesh.visible = this.grip.visible = holds;
    if (holds) {
      held.body = moment.held;
      held.point.fromArray(moment.hand, 0);
      held.target.fromArray(moment.hand, 3);
      held.force.fromArray(moment.hand, 6);
      if (this.wanted && this.lookBack === null) held.target.copy(this.wanted);
      const pixel = this.eye.pixel;
      const along = this.arrowOf(held.force.clone());
      this.handArrows.add(held.target, along, pixel, {dot: true});
      held.tip.copy(held.target).add(along);
      this.spring.set(coil(held.point, held.target, 5 * pixel, 9));
      this.grip.position.copy(held.point);
      this.grip.scale.setScalar(4.5 * pixel);
      if (this.shown.ghost) view.ghost(held.body, held.target.clone().sub(held.point));
      else view.ghost(-1, new Vector3());
    } else {
      view.ghost(-1, new Vector3());
    }
    if (this.pushed && this.pushed.force.lengthSq() > 0) {
      const com = vectorOf(this.scene!.bodies[this.pushed.body]?.com ?? [0, 0, 0]);
      this.handArrows.add(view.worldOf(this.pushed.body, com), this.arrowOf(this.pushed.force.clone()), this.eye.pixel, {into: true, dot: true});
    }
    this.handle.visible = moment.handle !== null;
    if (moment.handle) {
      placeOf(moment.handle, 0, this.handle.position);
      this.handle.quaternion.copy(this.eye.camera.quaternion);
      this.handle.scale.setScalar(9 * this.eye.pixel);
    }
    this.handArrows.end();
  }

  /** Masses at the held point and at the one that is looked at; only of now, which is all that is known of them. */
  private drawFelt(): void {
    const live = this.shown.felt && this.lookBack === null && this.replay === null;
    this.feltHere.show(live && this.held.on ? this.felt : null, this.held.point, this.eye);
    const there = live ? this.probe : null;
    this.feltThere.show(there?.felt ?? null, there ? this.view!.worldOf(there.body, this.there.fromArray(there.point)) : this.there, this.eye);
  }
  private readonly there = new Vector3();

  private light(): void {
    const {view, eye} = this;
    if (!view) return;
    const {plane, size} = view.anatomy;
    const reach = Math.max(1.5 * size, Math.min(4 * size, 0.6 * eye.size.y * eye.pixel));
    const from = plane
      ? plane.normal.clone().multiplyScalar(1.15).addScaledVector(plane.up, 0.75).addScaledVector(plane.right, -0.5)
      : new Vector3(-0.5, -0.55, 1.35);
    this.lamp.target.position.copy(eye.target);
    this.lamp.position.copy(eye.target).addScaledVector(from.normalize(), 6 * size);
    const c = this.lamp.shadow.camera;
    if (c.right !== reach) {
      Object.assign(c, {left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 14 * size});
      c.updateProjectionMatrix();
      this.lamp.shadow.normalBias = 0.004 * size;
      this.lamp.shadow.bias = -0.0004;
    }
    this.floor.group.visible = this.shown.grid;
    const cell = tidy((eye.size.y * eye.pixel) / 9);
    this.floor.follow(eye.target, cell, Math.max(9 * size, 1.6 * eye.size.length() * eye.pixel));
  }
}

/** [N] whose arrow is a quarter of the mechanism: its weight, or half of what the hand may give. */
function referenceForce(scene: Scene): number {
  const mass = scene.bodies.reduce((sum, b) => sum + (b.fixed ? 0 : b.mass), 0);
  return Math.max(1e-3, 9.81 * mass, 0.5 * (scene.coupling?.force ?? 0));
}

/** No graphics processor: a virtual machine, a remote desktop, a test. */
function drawnBySoftware(): boolean {
  const probe = document.createElement('canvas').getContext('webgl2');
  if (!probe) return false;
  const info = probe.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  probe.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
