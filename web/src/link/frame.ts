// The binary frame (docs/protocol.md, "The frame"): where everything is at one display tick.
import {Misfit} from './checked';

const MAGIC = 0x46434154;
const LEAST_HEADER = 160;
const CONTACT_WORDS = 10;

export const enum Flag {
  paused = 1,
  faulted = 2,
  holds = 4,
  turns = 8,
  pushes = 16,
  handle = 32,
  recording = 64,
  clamped = 128,
}

export interface FrameData {
  scene: number;
  sequence: number;
  t: number;
  clock: number;
  flags: number;
  events: number;
  handSequence: number;
  handDelay: number;
  held: number;
  holder: number;
  point: Float32Array;
  target: Float32Array;
  force: Float32Array;
  torque: Float32Array;
  stiffness: number;
  impulse: number;
  handle: Float32Array;
  push: Float32Array;
  poses: Float32Array; // 7 per body
  contacts: number;
  contactPairs: Uint32Array; // every tenth is a pair
  contactWords: Float32Array; // 10 per contact: pair, point, normal, force
  channels: number;
  samples: number;
  values: Float32Array; // (1 + channels) per sample
}

export function readFrame(buffer: ArrayBuffer): FrameData {
  if (buffer.byteLength < LEAST_HEADER) throw new Misfit('frame: too short');
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC) throw new Misfit('frame: another magic number');
  if (view.getUint16(4, true) !== 1) throw new Misfit('frame: another version');
  const header = view.getUint16(6, true);
  const bodies = view.getUint16(32, true);
  const contacts = view.getUint16(34, true);
  const channels = view.getUint16(36, true);
  const samples = view.getUint16(38, true);
  const words = 7 * bodies + CONTACT_WORDS * contacts + samples * (1 + channels);
  if (header < LEAST_HEADER || header % 4 !== 0 || buffer.byteLength < header + 4 * words) {
    throw new Misfit('frame: its length does not fit its counts');
  }
  const contactsAt = header + 28 * bodies;
  const valuesAt = contactsAt + 4 * CONTACT_WORDS * contacts;
  return {
    scene: view.getUint32(8, true),
    sequence: view.getUint32(12, true),
    t: view.getFloat64(16, true),
    clock: view.getFloat64(24, true),
    flags: view.getUint32(40, true),
    events: view.getUint32(44, true),
    handSequence: view.getUint32(48, true),
    handDelay: view.getFloat32(52, true),
    held: view.getInt32(56, true),
    holder: view.getUint32(60, true),
    point: new Float32Array(buffer, 64, 3),
    target: new Float32Array(buffer, 76, 3),
    force: new Float32Array(buffer, 88, 3),
    torque: new Float32Array(buffer, 100, 3),
    stiffness: view.getFloat32(112, true),
    impulse: view.getFloat32(116, true),
    handle: new Float32Array(buffer, 120, 7),
    push: new Float32Array(buffer, 148, 3),
    poses: new Float32Array(buffer, header, 7 * bodies),
    contacts,
    contactPairs: new Uint32Array(buffer, contactsAt, CONTACT_WORDS * contacts),
    contactWords: new Float32Array(buffer, contactsAt, CONTACT_WORDS * contacts),
    channels,
    samples,
    values: new Float32Array(buffer, valuesAt, samples * (1 + channels)),
  };
}

/** Some seconds of a motion: /previews/NAME, /recordings/ID.poses. */
export interface Motion {
  bodies: number;
  frames: number;
  rate: number;
  poses: Float32Array;
}
export function readMotion(buffer: ArrayBuffer): Motion {
  if (buffer.byteLength < 16) throw new Misfit('motion: too short');
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x50434154 || view.getUint16(4, true) !== 1) throw new Misfit('motion: another format');
  const bodies = view.getUint16(6, true);
  const frames = view.getUint32(8, true);
  if (buffer.byteLength < 16 + 28 * bodies * frames) throw new Misfit('motion: cut off');
  return {bodies, frames, rate: view.getFloat32(12, true), poses: new Float32Array(buffer, 16, 7 * bodies * frames)};
}
