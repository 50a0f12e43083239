// Paths of chosen points over the last seconds, and the traces that rolling contacts leave.
import {Color, Group, Vector3} from 'three';
import {FatLine} from './lines';

const POINTS = 420;
const LEAST_STEP = 0.004; // of the scene's size, between two points of a trail
const GAP = 0.12; // [s] without a frame: what happened meanwhile is not known, and not drawn
const JUMP = 0.6; // of the scene's size: no motion, a reset

export class Trail {
  readonly line: FatLine;
  private readonly points = new Float32Array(3 * POINTS);
  private count = 0;
  private readonly broken = new Uint8Array(POINTS); // 1: not joined with the one before
  private changed = false;

  constructor(private readonly size: number, colour: Color, width: number, strength: number) {
    this.line = new FatLine(POINTS, colour, width, {strength});
    this.line.mesh.renderOrder = 4;
  }

  clear(): void {
    this.count = 0;
    this.line.set(this.points, 0);
  }

  add(p: Vector3, gap: boolean): void {
    const {points} = this;
    if (this.count > 0) {
      const at = 3 * (this.count - 1);
      const step = Math.hypot(p.x - points[at]!, p.y - points[at + 1]!, p.z - points[at + 2]!);
      if (step < LEAST_STEP * this.size) return;
      if (step > JUMP * this.size) this.count = 0;
    }
    if (this.count === POINTS) {
      points.copyWithin(0, 3);
      this.broken.copyWithin(0, 1);
      --this.count;
    }
    p.toArray(points, 3 * this.count);
    this.broken[this.count] = gap ? 1 : 0;
    ++this.count;
    this.changed = true;
  }
  show(): void {
    if (!this.changed) return;
    this.changed = false;
    const n = this.count;
    this.line.set(this.points, n, (i) => (i / n) ** 1.3, (i) => this.broken[i + 1] === 1);
  }
}

/** A point of the mechanism at some poses (7 numbers per body). */
export type Where = (poses: Float32Array, result: Vector3) => Vector3 | null;

export class Trails {
  readonly group = new Group();
  private readonly list = new Map<string, {trail: Trail; where: Where}>();
  private readonly at = new Vector3();
  private t = 0;

  set(name: string, size: number, colour: Color, width: number, strength: number, where: Where): void {
    this.remove(name);
    const trail = new Trail(size, colour, width, strength);
    this.list.set(name, {trail, where});
    this.group.add(trail.line.mesh);
  }
  remove(name: string): void {
    const old = this.list.get(name);
    if (!old) return;
    old.trail.line.mesh.removeFromParent();
    old.trail.line.dispose();
    this.list.delete(name);
  }
  removeAll(): void {
    for (const name of [...this.list.keys()]) this.remove(name);
  }
  names(): string[] {
    return [...this.list.keys()];
  }
  clear(): void {
    for (const {trail} of this.list.values()) trail.clear();
  }
  add(poses: Float32Array, t: number): void {
    const gap = t - this.t > GAP;
    this.t = t;
    for (const {trail, where} of this.list.values()) {
      const p = where(poses, this.at);
      if (p) trail.add(p, gap);
    }
  }
  show(): void {
    for (const {trail} of this.list.values()) trail.show();
  }
}
