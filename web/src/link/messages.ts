// Messages of the server, as docs/protocol.md has them. What is not read here is not used.
import {anything, list, map, maybe, number, object, or, text, truth, tuple, word, type Read, type Reader} from './checked';

const vector = tuple(3);
const pose = tuple(7);
const place = object({file: or(text, ''), line: or(number, 0), column: or(number, 0)});
export type Place = Read<typeof place>;

const welcome = object({version: number, server: text, you: number, color: or(number, 0)});

const galleryModel = object({
  name: text,
  title: text,
  group: or(text, ''),
  sentence: or(text, ''),
  paper: maybe(text),
  featured: or(truth, false),
  bodies: maybe(number),
  freedoms: maybe(number),
  planar: or(truth, false),
  problem: maybe(text),
});
export type GalleryModel = Read<typeof galleryModel>;
const gallery = object({groups: list(text, 50), models: list(galleryModel, 1000)});
export type Gallery = Read<typeof gallery>;

const shape = object({
  kind: text,
  size: list(number, 6),
  pose,
  color: maybe(text),
  contact: or(truth, false),
  hollow: or(truth, false),
  mesh: or(maybe(number), null),
});
export type Shape = Read<typeof shape>;

const body = object({
  name: text,
  mass: or(number, 0),
  com: vector,
  hidden: or(truth, false),
  fixed: or(truth, false),
  pose,
  shapes: list(shape, 10_000),
});
export type Body = Read<typeof body>;

const joint = object({
  name: text,
  type: text,
  parent: number,
  child: number,
  pose,
  child_pose: pose,
  axes: or(list(vector, 6), [] as number[][]),
  limits: or(list(list(maybe(number), 2), 6), []),
  stops: or(truth, false),
  actuated: or(truth, false),
});
export type Joint = Read<typeof joint>;

const frame = object({name: text, body: number, pose, grasp: or(truth, false), description: or(text, '')});
export type Frame = Read<typeof frame>;

const side = object({body: number, pose});
const curve = object({kind: text, radius: maybe(number), length: maybe(number), body: or(number, 0), pose: maybe(pose)});
const constraint = object({
  name: text,
  type: text,
  joint: maybe(text),
  active: or(truth, true),
  rows: or(list(text, 64), []),
  description: or(text, ''),
  a: maybe(side),
  b: maybe(side),
  curve: maybe(curve),
});
export type Constraint = Read<typeof constraint>;

const springEnd = object({body: number, point: vector});
const spring = object({name: text, a: springEnd, b: springEnd});

const parameter = object({
  name: text,
  value: number,
  initial: number,
  least: maybe(number),
  most: maybe(number),
  unit: or(text, ''),
  description: or(text, ''),
  adjustable: or(truth, false),
  why: or(text, ''),
});
export type Parameter = Read<typeof parameter>;

const channel = object({name: text, group: or(text, ''), unit: or(text, ''), label: or(text, '')});
export type Channel = Read<typeof channel>;

const option = object({name: text, meaning: or(text, ''), allowed: or(truth, true), why: or(text, '')});
export type Option = Read<typeof option>;
const options: Reader<(Option | number)[]> = list((v, w) => (typeof v === 'number' ? v : option(v, w)), 200);

const controlJoint = object({name: text, unit: or(text, 'rad'), effort: or(text, 'N m'), most: maybe(number)});
export type ControlJoint = Read<typeof controlJoint>;
const controllable = object({why: or(text, ''), remedy: or(text, ''), laws: or(list(option, 50), []), joints: or(list(controlJoint, 64), [])});

const scene = object({
  id: number,
  why: or(text, ''),
  model: object({
    name: text,
    title: or(text, ''),
    sentence: or(text, ''),
    paper: maybe(text),
    file: or(text, ''),
    own: or(truth, false),
    edited: or(truth, false),
  }),
  engine: or(text, ''),
  notes: or(list(text, 100), []),
  gravity: or(vector, [0, 0, 0]),
  center: vector,
  radius: number,
  planar: maybe(object({normal: vector, up: vector, point: or(vector, [0, 0, 0])})),
  ground: maybe(object({height: number, visible: or(truth, true)})),
  camera: maybe(object({direction: vector, follow: maybe(number)})),
  bodies: list(body, 10_000),
  joints: or(list(joint), []),
  frames: or(list(frame), []),
  constraints: or(list(constraint), []),
  springs: or(list(spring), []),
  pairs: or(list(object({name: text, a: number, b: number})), []),
  stops: or(list(text), []),
  transitions: or(list(object({name: text, description: or(text, '')})), []),
  parameters: or(list(parameter), []),
  channels: or(list(channel), []),
  control: maybe(controllable),
  choices: or(map(options), {}),
  chosen: or(map(anything), {}),
  coupling: maybe(object({stiffness: or(number, 0), damping: or(number, 1), force: or(number, 0), limit: maybe(number), designed: or(truth, true)})),
});
export type Scene = Read<typeof scene>;
export const readScene = (value: unknown): Scene => scene(value, 'scene');

const shapes = object({
  scene: number,
  bodies: or(list(object({index: number, com: vector, shapes: list(shape)})), []),
  joints: maybe(list(joint)),
  frames: maybe(list(frame)),
  constraints: maybe(list(constraint)),
});
export type Shapes = Read<typeof shapes>;

const times = object({p50: or(number, 0), p99: or(number, 0), p999: or(number, 0), most: or(number, 0)});
export type Times = Read<typeof times>;
/** Masses along three directions, the easiest first; null: it cannot move along that one. */
const felt = object({masses: list(maybe(number), 3), directions: list(vector, 3), own: or(truth, false), along: maybe(number)});
export type Felt = Read<typeof felt>;
const numbers = list(maybe(number), 64);
const control = object({
  law: text,
  poles: tuple(2),
  target: text,
  seconds: or(number, 1.5),
  cut: or(number, 0),
  torque: numbers,
  most: numbers,
  error: numbers,
  largest: numbers,
  knows: or(truth, true),
});
const fault = object({what: text, why: or(text, ''), remedy: or(text, ''), t: or(number, 0)});
const status = object({
  scene: number,
  t: number,
  clock: or(number, 0),
  state: word('running', 'paused', 'faulted', 'building'),
  rate: or(number, 1),
  factor: or(number, 1),
  loop: maybe(
    object({
      hz: number,
      ticks: or(number, 0),
      missed: or(number, 0),
      late: or(number, 0),
      compute: maybe(times),
      wake: maybe(times),
      held: or(number, 0),
      priority: or(truth, false),
    }),
  ),
  fault: maybe(fault),
  holder: maybe(number),
  clients: or(list(object({id: number, name: or(text, ''), color: or(number, 0)}), 2000), []),
  hand: maybe(
    object({
      by: or(number, 0),
      body: or(number, -1),
      mass: maybe(number),
      limit: maybe(number),
      stiffness: or(number, 0),
      damping: or(number, 1),
      force: or(number, 0),
      designed: or(truth, true),
      felt: maybe(felt),
    }),
  ),
  probe: maybe(object({body: number, point: vector, felt: maybe(felt)})),
  control: maybe(control),
  parameters: or(map(number), {}),
  active: or(list(truth), []),
  errors: maybe(object({position: maybe(number), velocity: maybe(number), worst_position: maybe(number)})),
  energy: maybe(object({kinetic: or(number, 0), potential: or(number, 0)})),
  contacts: or(number, 0),
  snapshots: or(list(object({id: number, t: number}), 64), []),
  recording: maybe(object({id: number, seconds: or(number, 0)})),
  recordings: or(list(object({id: number, seconds: number, ticks: or(number, 0), model: or(text, ''), ready: or(truth, true), problem: maybe(text)}), 1000), []),
  building: maybe(object({what: or(text, ''), seconds: or(number, 0)})),
  rederived: maybe(object({sets: or(number, 0), refused: or(number, 0), derive: or(number, 0), compile: or(number, 0)})),
  frames: maybe(object({sent: number, dropped: number})),
});
export type Status = Read<typeof status>;

const histogram = list(tuple(2), 2000);
const loop = object({compute: or(histogram, [] as number[][]), wake: or(histogram, [] as number[][])});
export type Loop = Read<typeof loop>;

const event = object({
  number,
  t: number,
  kind: text,
  what: or(text, ''),
  pair: maybe(number),
  impulse: maybe(number),
  constraint: maybe(number),
  on: maybe(truth),
  set: maybe(text),
  derive: maybe(number),
  compile: maybe(number),
  name: maybe(text),
  value: maybe(number),
  why: maybe(text),
});
export type Happening = Read<typeof event>;
const events = object({scene: number, left_out: or(number, 0), events: list(event, 10_000)});

const counts = object({mul: or(number, 0), add: or(number, 0), div: or(number, 0), trig: or(number, 0), other: or(number, 0)});
export type Counts = Read<typeof counts>;
const equations = object({
  request: maybe(number),
  scene: number,
  form: text,
  threshold: maybe(number),
  notes: or(list(text, 100), []),
  coordinates: or(list(text), []),
  speeds: or(list(text), []),
  sections: list(
    object({
      key: text,
      title: text,
      elements: list(
        object({
          name: text,
          tex: or(text, ''),
          indices: or(list(number, 4), []),
          constraint: maybe(number),
          pair: maybe(number),
          operations: maybe(number),
          cut: or(truth, false),
        }),
        20_000,
      ),
    }),
    200,
  ),
  counts: or(list(object({what: text, exact: counts, abbreviated: maybe(counts)})), []),
  abbreviation: maybe(
    object({
      kept: number,
      of: number,
      proven: or(list(object({speed: text, bound: maybe(number), measured: maybe(number)})), []),
    }),
  ),
});
export type Equations = Read<typeof equations>;

const root = list(maybe(number), 2);
const roots = list(root, 64);
const matrix = list(numbers, 64);
const loci = object({
  request: maybe(number),
  scene: number,
  t: or(number, 0),
  law: text,
  poles: tuple(2),
  period: number,
  sampled: or(truth, true),
  now: or(truth, false),
  G1: matrix,
  G2: matrix,
  closed: roots,
  slowest: maybe(number),
  loci: list(
    object({error: text, stable: or(truth, false), lower: maybe(number), upper: maybe(number), farthest: tuple(2), values: list(number, 2000), roots: list(roots, 2000)}),
    8,
  ),
});
export type Loci = Read<typeof loci>;

const trouble = object({
  request: maybe(number),
  about: or(text, ''),
  what: text,
  remedy: or(text, ''),
  where: maybe(place),
});
export type Trouble = Read<typeof trouble>;

const checked = object({
  request: maybe(number),
  ok: truth,
  warnings: or(list(object({what: text, where: maybe(place)}), 200), []),
  summary: or(text, ''),
  what: or(text, ''),
  remedy: or(text, ''),
  where: maybe(place),
});
export type Checked = Read<typeof checked>;

const ok = object({
  request: maybe(number),
  about: or(text, ''),
  id: maybe(number),
  stiffness: maybe(number),
  notes: or(list(text, 100), []),
});
export type Ok = Read<typeof ok>;
const modelText = object({request: maybe(number), model: or(text, ''), file: or(text, ''), text});
export type ModelText = Read<typeof modelText>;
const pong = object({t: number, clock: number});

const readers = {welcome, gallery, scene, shapes, status, loop, events, equations, loci, error: trouble, checked, ok, text: modelText, pong};
export type Messages = {[K in keyof typeof readers]: Read<(typeof readers)[K]>};
export type Message = {[K in keyof Messages]: {type: K; value: Messages[K]}}[keyof Messages];

/** Null for types of later versions. Throws Misfit. */
export function readMessage(data: string): Message | null {
  const value = JSON.parse(data) as {type?: unknown};
  if (typeof value?.type !== 'string' || !Object.hasOwn(readers, value.type)) return null;
  const type = value.type as keyof typeof readers;
  return {type, value: readers[type](value, type)} as Message;
}
