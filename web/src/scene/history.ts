// What the page remembers of the motion: to draw between two frames, and to look back.
import {Flag, type FrameData, type Motion} from '../link/frame';

const MOST_SECONDS = 120;
const MOST_BYTES = 24e6;

export interface Moment {
  t: number;
  clock: number;
  flags: number;
  force: number;
  hand: Float32Array; // point, target, force
  held: number;
  handle: Float32Array | null; // pose of a device's handle
  poses: Float32Array;
  contacts: Float32Array; // 10 words each
  contactPairs: Uint32Array;
}

export class History {
  private moments: Moment[] = [];
  private bytes = 0;
  private first = 0; // of the list that is still kept

  clear(): void {
    this.moments = [];
    this.bytes = 0;
    this.first = 0;
  }
  get length(): number {
    return this.moments.length - this.first;
  }
  at(i: number): Moment | undefined {
    return this.moments[this.first + i];
  }
  get newest(): Moment | undefined {
    return this.moments[this.moments.length - 1];
  }
  get oldest(): Moment | undefined {
    return this.moments[this.first];
  }

  add(frame: FrameData): void {
    const hand = new Float32Array(9);
    hand.set(frame.point, 0);
    hand.set(frame.target, 3);
    hand.set(frame.force, 6);
    const last = this.newest;
    let clock = frame.clock;
    // Time went back (a reset, a snapshot): what came later is another story.
    if (last && frame.t < last.t - 1e-9) {
      while (this.length > 0 && this.newest!.t > frame.t) this.bytes -= size(this.moments.pop()!);
    } else if (last && frame.t === last.t) {
      // It stands still: only the newest look counts, from when it first stood there.
      clock = last.clock;
      this.bytes -= size(this.moments.pop()!);
    }
    const moment: Moment = {
      t: frame.t,
      clock,
      flags: frame.flags,
      force: Math.hypot(frame.force[0]!, frame.force[1]!, frame.force[2]!),
      hand,
      held: frame.held,
      handle: frame.flags & Flag.handle ? frame.handle.slice() : null,
      poses: frame.poses.slice(),
      contacts: frame.contactWords.slice(),
      contactPairs: frame.contactPairs.slice(),
    };
    this.moments.push(moment);
    this.bytes += size(moment);
    while (this.length > 2 && (this.bytes > MOST_BYTES || moment.clock - this.oldest!.clock > MOST_SECONDS)) {
      this.bytes -= size(this.oldest!);
      this.moments[this.first] = undefined as unknown as Moment;
      ++this.first;
    }
    if (this.first > 4096) {
      this.moments = this.moments.slice(this.first);
      this.first = 0;
    }
  }

  /** The last moment that is not after t. */
  before(t: number, by: 't' | 'clock' = 't'): number {
    let low = 0, high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at(middle)![by] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Poses between two moments, into `result`; the moment before. */
  between(t: number, by: 't' | 'clock', result: Float32Array): Moment | undefined {
    const i = this.before(t, by);
    const a = this.at(i), b = this.at(i + 1);
    if (!a) return undefined;
    const span = b ? b[by] - a[by] : 0;
    const k = b && span > 0 ? Math.max(0, Math.min(1, (t - a[by]) / span)) : 0;
    if (!b || k === 0 || b.poses.length !== a.poses.length) {
      result.set(a.poses.subarray(0, result.length));
      return a;
    }
    blend(a.poses, b.poses, k, result);
    return k > 0.5 ? b : a;
  }
}

const size = (m: Moment): number => 200 + m.poses.byteLength + m.contacts.byteLength + m.contactPairs.byteLength;

/** Straight for places, along the short way for quaternions. */
export function blend(a: Float32Array, b: Float32Array, k: number, result: Float32Array): void {
  const n = Math.min(a.length, b.length, result.length);
  for (let i = 0; i + 6 < n; i += 7) {
    for (let j = i; j < i + 3; ++j) result[j] = a[j]! + k * (b[j]! - a[j]!);
    let dot = 0;
    for (let j = i + 3; j < i + 7; ++j) dot += a[j]! * b[j]!;
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let j = i + 3; j < i + 7; ++j) {
      const q = a[j]! + k * (sign * b[j]! - a[j]!);
      result[j] = q;
      norm += q * q;
    }
    norm = Math.sqrt(norm) || 1;
    for (let j = i + 3; j < i + 7; ++j) result[j]! /= norm;
  }
}

/** A recording that is played: poses at equal distances in time. */
export class Replay {
  t = 0;
  running = true;
  readonly length: number; // [s]
  constructor(readonly name: string, private readonly motion: Motion) {
    this.length = (motion.frames - 1) / motion.rate;
  }
  advance(dt: number): void {
    if (this.running) this.t = this.t + dt > this.length ? 0 : this.t + dt;
  }
  poses(result: Float32Array): void {
    const {motion} = this;
    const n = 7 * motion.bodies;
    const s = Math.max(0, Math.min(motion.frames - 1, this.t * motion.rate));
    const i = Math.min(motion.frames - 2, Math.floor(s));
    blend(motion.poses.subarray(i * n, (i + 1) * n), motion.poses.subarray((i + 1) * n, (i + 2) * n), s - i, result);
  }
}
