// The camera: where it looks, from where, how much it sees. It moves when it is told to, and never by itself but to follow.
import {OrthographicCamera, PerspectiveCamera, Plane, Ray, Vector2, Vector3, type Camera} from 'three';

const FIELD = (28 * Math.PI) / 180; // of view, vertical: a long lens distorts little
const STEEPEST = Math.PI / 2;
const GLIDE = 0.28; // [s] from one preset to another

interface Look {
  target: Vector3;
  azimuth: number;
  elevation: number;
  height: number; // [m] that is seen at the target, from top to bottom
  flat: number; // 0: perspective, 1: parallel
}

export class Eye {
  private readonly perspective = new PerspectiveCamera((FIELD * 180) / Math.PI, 1, 0.01, 100);
  private readonly parallel = new OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
  private look: Look = {target: new Vector3(), azimuth: -1, elevation: 0.4, height: 1, flat: 0};
  private goal: {from: Look; to: Look; time: number} | null = null;
  private home: Look = {...this.look, target: new Vector3()};
  private aspect = 1;
  private room = 1; // [m] the largest distance of anything from the target
  readonly size = new Vector2(1, 1);
  onChange: () => void = () => {};

  get camera(): Camera {
    return this.look.flat > 0.5 ? this.parallel : this.perspective;
  }
  get flat(): boolean {
    return (this.goal?.to ?? this.look).flat > 0.5;
  }
  get target(): Vector3 {
    return this.look.target;
  }
  /** [m] per CSS pixel, at the target. */
  get pixel(): number {
    return this.look.height / this.size.y;
  }

  resize(width: number, height: number): void {
    this.size.set(width, height);
    this.aspect = width / Math.max(1, height);
    this.place();
  }

  /** The first look at a mechanism: a ball of it is seen whole, from a direction. `flat`: square to a plane, without perspective. */
  setHome(centre: Vector3, radius: number, direction: Vector3, flat: boolean): void {
    this.room = radius;
    const d = direction.clone().normalize();
    this.home = {
      target: centre.clone(),
      azimuth: Math.hypot(d.x, d.y) < 1e-6 ? -Math.PI / 2 : Math.atan2(d.y, d.x),
      elevation: Math.asin(Math.max(-1, Math.min(1, d.z))),
      height: this.heightFor(radius),
      flat: flat ? 1 : 0,
    };
    this.look = {...this.home, target: centre.clone()};
    this.goal = null;
    this.place();
  }
  private heightFor(radius: number): number {
    return (2.35 * radius) / Math.min(1, this.aspect);
  }

  goHome(): void {
    this.glide({...this.home, target: this.home.target.clone(), height: this.heightFor(this.room)});
  }
  goTo(direction: Vector3, flat: boolean): void {
    const d = direction.clone().normalize();
    const level = Math.hypot(d.x, d.y);
    this.glide({
      ...this.look,
      target: this.look.target.clone(),
      azimuth: level < 1e-6 ? -Math.PI / 2 : Math.atan2(d.y, d.x),
      elevation: Math.asin(Math.max(-1, Math.min(1, d.z))),
      flat: flat ? 1 : 0,
    });
  }
  setFlat(flat: boolean): void {
    this.look.flat = flat ? 1 : 0;
    this.place();
  }

  private glide(to: Look): void {
    const turn = to.azimuth - this.look.azimuth;
    to.azimuth = this.look.azimuth + Math.atan2(Math.sin(turn), Math.cos(turn));
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.look = to;
      this.place();
      return;
    }
    this.goal = {from: {...this.look, target: this.look.target.clone()}, to, time: 0};
    if (to.flat < 0.5) this.look.flat = 0;
  }

  /** Each display frame. */
  advance(dt: number): void {
    if (this.goal === null) return;
    const {from, to} = this.goal;
    this.goal.time = Math.min(1, this.goal.time + dt / GLIDE);
    const s = this.goal.time;
    const k = s * s * (3 - 2 * s);
    const mix = (a: number, b: number) => a + (b - a) * k;
    this.look.target.lerpVectors(from.target, to.target, k);
    this.look.azimuth = mix(from.azimuth, to.azimuth);
    this.look.elevation = mix(from.elevation, to.elevation);
    this.look.height = mix(from.height, to.height);
    if (s >= 1) {
      this.look.flat = to.flat;
      this.goal = null;
    }
    this.place();
  }

  orbit(dx: number, dy: number): void {
    this.goal = null;
    this.look.flat = 0;
    this.look.azimuth -= (dx / this.size.y) * Math.PI;
    this.look.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, this.look.elevation + (dy / this.size.y) * Math.PI));
    this.place();
  }
  pan(dx: number, dy: number): void {
    this.goal = null;
    const {right, up} = this.axes();
    this.look.target.addScaledVector(right, -dx * this.pixel).addScaledVector(up, dy * this.pixel);
    this.place();
  }
  /** Around a place on the screen, in CSS pixels from the canvas's corner. */
  zoom(factor: number, x: number, y: number): void {
    this.goal = null;
    const height = Math.min(this.room * 60, Math.max(this.room * 0.02, this.look.height * factor));
    const k = height / this.look.height;
    const {right, up} = this.axes();
    const sx = (x - this.size.x / 2) * this.pixel;
    const sy = (this.size.y / 2 - y) * this.pixel;
    this.look.target.addScaledVector(right, sx * (1 - k)).addScaledVector(up, sy * (1 - k));
    this.look.height = height;
    this.place();
  }
  follow(shift: Vector3): void {
    this.look.target.add(shift);
    this.home.target.add(shift);
    if (this.goal) {
      this.goal.from.target.add(shift);
      this.goal.to.target.add(shift);
    }
    this.place();
  }

  /** Of the screen, in the world: right, up, towards the viewer. */
  axes(): {right: Vector3; up: Vector3; back: Vector3} {
    const {azimuth: a, elevation: e} = this.look;
    const back = new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    const up = new Vector3(-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e));
    return {back, up, right: up.clone().cross(back)};
  }

  ray(x: number, y: number, result = new Ray()): Ray {
    const {right, up, back} = this.axes();
    const sx = (x - this.size.x / 2) * this.pixel;
    const sy = (this.size.y / 2 - y) * this.pixel;
    const there = this.look.target.clone().addScaledVector(right, sx).addScaledVector(up, sy);
    const distance = this.distance();
    if (this.look.flat > 0.5) return result.set(there.addScaledVector(back, distance), back.negate());
    const origin = this.look.target.clone().addScaledVector(back, distance);
    return result.set(origin, there.sub(origin).normalize());
  }
  /** Where a place on the screen lies in the plane through a point that faces the viewer, or in a given plane. */
  onPlane(x: number, y: number, point: Vector3, normal?: Vector3): Vector3 | null {
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal ?? this.axes().back, point);
    return this.ray(x, y).intersectPlane(plane, new Vector3());
  }
  /** CSS pixels from the canvas's corner; z > 1: behind the viewer. */
  project(p: Vector3, result = new Vector3()): Vector3 {
    result.copy(p).project(this.camera);
    return result.set(((result.x + 1) / 2) * this.size.x, ((1 - result.y) / 2) * this.size.y, result.z);
  }

  private distance(): number {
    return this.look.height / (2 * Math.tan(FIELD / 2));
  }

  private place(): void {
    const {back, up} = this.axes();
    const distance = this.distance();
    const half = this.look.height / 2;
    const reach = 40 * this.room + 10 * this.look.height;
    for (const camera of [this.perspective, this.parallel]) {
      camera.position.copy(this.look.target).addScaledVector(back, distance);
      camera.up.copy(up);
      camera.lookAt(this.look.target);
      camera.far = distance + reach;
    }
    this.perspective.aspect = this.aspect;
    this.perspective.near = distance * 0.02;
    this.perspective.updateProjectionMatrix();
    Object.assign(this.parallel, {
      left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half, near: -reach,
    });
    this.parallel.updateProjectionMatrix();
    this.perspective.updateMatrixWorld();
    this.parallel.updateMatrixWorld();
    this.onChange();
  }
}
