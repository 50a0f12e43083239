// What needs no browser: frames and messages are read or refused, numbers are for people, the history remembers.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {build} from 'esbuild';
import {web} from './support.mjs';

async function load(path) {
  const result = await build({entryPoints: [join(web, 'src', path)], bundle: true, format: 'esm', write: false, platform: 'neutral'});
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`);
}
const {readFrame, readMotion} = await load('link/frame.ts');
const {readMessage, readScene} = await load('link/messages.ts');
const numbers = await load('base/numbers.ts');
const {History, blend} = await load('scene/history.ts');

function frame({bodies = 2, contacts = 0, channels = 0, samples = 0, t = 1, scene = 3, header = 160, short = 0} = {}) {
  const words = 7 * bodies + 10 * contacts + samples * (1 + channels);
  const buffer = new ArrayBuffer(header + 4 * words - short);
  const v = new DataView(buffer);
  v.setUint32(0, 0x46434154, true);
  v.setUint16(4, 1, true);
  v.setUint16(6, header, true);
  v.setUint32(8, scene, true);
  v.setFloat64(16, t, true);
  v.setFloat64(24, t + 100, true);
  v.setUint16(32, bodies, true);
  v.setUint16(34, contacts, true);
  v.setUint16(36, channels, true);
  v.setUint16(38, samples, true);
  v.setInt32(56, -1, true);
  return buffer;
}

test('A frame is read as the protocol has it', () => {
  const buffer = frame({bodies: 3, contacts: 2, channels: 2, samples: 4, t: 2.5});
  const f32 = new Float32Array(buffer, 160);
  f32.forEach((_, i) => (f32[i] = i));
  const f = readFrame(buffer);
  assert.equal(f.t, 2.5);
  assert.equal(f.scene, 3);
  assert.equal(f.held, -1);
  assert.equal(f.poses.length, 21);
  assert.equal(f.contactWords[1], 22);
  assert.equal(f.values.length, 12);
  assert.equal(f.values[0], 41);
});

test('A longer header of a later version is passed over', () => {
  assert.equal(readFrame(frame({header: 192})).poses.length, 14);
});

test('Frames that do not fit their counts are refused', () => {
  for (const broken of [new ArrayBuffer(10), frame({short: 4}), frame({header: 100}), frame({header: 161})]) assert.throws(() => readFrame(broken), /frame/);
  const magic = frame();
  new DataView(magic).setUint32(0, 7, true);
  assert.throws(() => readFrame(magic), /magic/);
  const version = frame();
  new DataView(version).setUint16(4, 2, true);
  assert.throws(() => readFrame(version), /version/);
});

test('Ten thousand random buffers are read or refused, and nothing else', () => {
  let seed = 1;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (let k = 0; k < 10_000; ++k) {
    const bytes = new Uint8Array(Math.floor(random() * 600));
    for (let i = 0; i < bytes.length; ++i) bytes[i] = 256 * random();
    if (bytes.length >= 8 && random() < 0.8) {
      new DataView(bytes.buffer).setUint32(0, 0x46434154, true);
      new DataView(bytes.buffer).setUint16(4, 1, true);
      new DataView(bytes.buffer).setUint16(6, 160, true);
    }
    try {
      const f = readFrame(bytes.buffer);
      assert.ok(f.poses.length % 7 === 0);
    } catch (error) {
      assert.match(error.message, /^frame/);
    }
  }
});

test('A motion that is cut off is refused', () => {
  const buffer = new ArrayBuffer(16 + 28);
  const v = new DataView(buffer);
  v.setUint32(0, 0x50434154, true);
  v.setUint16(4, 1, true);
  v.setUint16(6, 1, true);
  v.setUint32(8, 1, true);
  v.setFloat32(12, 30, true);
  assert.equal(readMotion(buffer).frames, 1);
  v.setUint32(8, 2, true);
  assert.throws(() => readMotion(buffer), /cut off/);
});

test('Messages of unknown types are passed over, those with wrong fields refused', () => {
  assert.equal(readMessage('{"type": "tomorrow", "x": 1}'), null);
  assert.equal(readMessage('{"type": "constructor"}'), null);
  assert.equal(readMessage('{"type": "pong", "t": 1, "clock": 2}').value.clock, 2);
  assert.throws(() => readMessage('{"type": "pong", "t": "1", "clock": 2}'), /pong\.t: no number/);
  assert.throws(() => readMessage('{"type": "status", "scene": 1, "t": 0, "state": "asleep"}'), /none of running/);
  assert.throws(() => readMessage('no json'), SyntaxError);
});

test('A scene is read with defaults where the server says nothing', () => {
  const pose = [0, 0, 0, 1, 0, 0, 0];
  const scene = readScene({id: 1, model: {name: 'a'}, center: [0, 0, 0], radius: 1, bodies: [{name: 'world', com: [0, 0, 0], pose, shapes: []}]});
  assert.equal(scene.planar, null);
  assert.deepEqual(scene.joints, []);
  assert.equal(scene.bodies[0].hidden, false);
  assert.throws(() => readScene({id: 1, model: {name: 'a'}, center: [0, 0], radius: 1, bodies: []}), /center/);
});

test('An ellipsoid of masses is longest where it is light, and flat where it is blocked', async () => {
  const {radii} = await load('scene/felt.ts');
  const r = radii([1, 4, null]);
  assert.ok(Math.abs(r[1] / r[0] - 0.5) < 1e-12);
  assert.ok(r[2] < 2);
  assert.deepEqual(radii([null, null, null]).map((x) => x < 2), [true, true, true]);
  assert.ok(radii([1, 1e12, 1e300]).every((x) => x > 0));
});

test('Limits of stability are said in words, and far roots do not make the picture small', async () => {
  const {limitWords, frameOf, tightest} = await load('panels/loci.ts');
  const locus = {error: 'alpha', stable: true, lower: -0.3082, upper: 2.5714, farthest: [-400, 400], values: [0, 1], roots: [[[-1, 0], [-2000, 0]], [[-1, 2], [null, 3]]]};
  assert.equal(limitWords(locus), 'Stable for α from −0.3082 to 2.571; 1 is right.');
  assert.equal(limitWords({...locus, lower: null}), 'Stable for α below 2.571; 1 is right.');
  assert.equal(limitWords({...locus, upper: null}), 'Stable for α above −0.3082; 1 is right.');
  assert.match(limitWords({...locus, lower: null, upper: null}), /every α from −400 to 400/);
  assert.match(limitWords({...locus, stable: false}), /Not stable/);
  assert.equal(tightest([locus, {...locus, error: 'gamma', lower: null, upper: 1.5}, {...locus, error: 'beta', lower: null, upper: null}]), 'gamma');
  assert.equal(tightest([]), '');
  const frame = frameOf(locus, [[-12, 45], [-12, -45]]);
  assert.ok(frame.left > -150 && frame.left < -12 && frame.right > 0 && frame.high > 45);
  assert.ok(Object.values(frameOf(null, [])).every(Number.isFinite));
});

test('Masses, laws and loci are read as the protocol has them', () => {
  const felt = {masses: [1, null, null], directions: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]};
  const status = {type: 'status', scene: 1, t: 0, state: 'running', hand: {felt}, probe: {body: 1, point: [0, 0, 0], felt: {...felt, own: true}}, control: {law: 'gravity', poles: [-1, 2], target: 'hand', torque: [1], most: [null], error: [0], largest: [0]}};
  const {value} = readMessage(JSON.stringify(status));
  assert.equal(value.hand.felt.masses[1], null);
  assert.equal(value.hand.felt.along, null);
  assert.equal(value.probe.felt.own, true);
  assert.equal(value.control.most[0], null);
  assert.throws(() => readMessage(JSON.stringify({...status, hand: {felt: {...felt, directions: [[1, 0]]}}})), /directions/);
  const loci = {type: 'loci', scene: 1, law: 'gravity', poles: [-1, 2], period: 1e-3, G1: [[1]], G2: [[2]], closed: [[-1, 2], [-1, null]], loci: []};
  assert.equal(readMessage(JSON.stringify(loci)).value.closed[1][1], null);
  assert.throws(() => readMessage(JSON.stringify({...loci, G1: 7})), /G1/);
});

test('Numbers have three digits and a prefix', () => {
  const {quantity, digits, clock, tidy} = numbers;
  assert.equal(quantity(0.0123, 'N'), '12.3 mN');
  assert.equal(quantity(1234, 'N'), '1.23 kN');
  assert.equal(quantity(0, 'N'), '0 N');
  assert.equal(quantity(Math.PI / 6, 'rad'), '30.0°');
  assert.equal(quantity(0.2, 'kg'), '200 g');
  assert.equal(quantity(999.9, 'N'), '1.00 kN');
  assert.equal(quantity(NaN, 'N'), '–');
  assert.equal(digits(-0.05), '−0.0500');
  assert.equal(digits(9.999), '10.0');
  assert.equal(clock(67.25), '1:07.25');
  assert.equal(tidy(0.37), 0.2);
  assert.equal(tidy(5), 5);
});

test('Between two frames quaternions take the short way and stay unit', () => {
  const a = new Float32Array([0, 0, 0, 1, 0, 0, 0]);
  const b = new Float32Array([1, 0, 0, -Math.SQRT1_2, -Math.SQRT1_2, 0, 0]);
  const r = new Float32Array(7);
  blend(a, b, 0.5, r);
  assert.ok(Math.abs(r[0] - 0.5) < 1e-6);
  assert.ok(Math.abs(Math.hypot(r[3], r[4], r[5], r[6]) - 1) < 1e-6);
  assert.ok(r[3] > 0.9 && r[4] > 0);
});

test('The history forgets what comes after a reset, and never grows without bound', () => {
  const history = new History();
  for (let i = 0; i < 100; ++i) history.add(readFrame(frame({t: i * 0.016})));
  assert.equal(history.length, 100);
  history.add(readFrame(frame({t: 0.16})));
  assert.ok(history.newest.t === 0.16 && history.length <= 12);
  const many = new History();
  for (let i = 0; i < 9000; ++i) many.add(readFrame(frame({bodies: 400, t: i * 0.016})));
  assert.ok(many.length * 400 * 28 < 26e6, 'less than 26 MB are kept');
  assert.ok(many.length > 1000);
});

test('A motion that stands still is one moment', () => {
  const history = new History();
  for (let i = 0; i < 50; ++i) history.add(readFrame(frame({t: 1})));
  assert.equal(history.length, 1);
});

test('Triangles of a mesh are read or refused', async () => {
  const {readMesh} = await load('scene/meshes.ts');
  const mesh = (corners, triangles, more = 0) => {
    const buffer = new ArrayBuffer(8 + 12 * corners.length + 12 * triangles.length + more);
    new Uint32Array(buffer, 0, 2).set([corners.length, triangles.length]);
    new Float32Array(buffer, 8, 3 * corners.length).set(corners.flat());
    new Uint32Array(buffer, 8 + 12 * corners.length, 3 * triangles.length).set(triangles.flat());
    return buffer;
  };
  const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  const geometry = readMesh(mesh(corners, triangles));
  assert.equal(geometry.getAttribute('position').count, 12);
  // Sharp edges stay sharp: the first triangle looks down.
  assert.deepEqual([0, 1, 2].map((k) => Math.round(geometry.getAttribute('normal').getZ(k))), [-1, -1, -1]);
  assert.equal(readMesh(new ArrayBuffer(4)), null);
  assert.equal(readMesh(mesh(corners, [])), null);
  assert.equal(readMesh(mesh(corners, triangles, 4)), null);
  assert.equal(readMesh(mesh(corners, [[0, 1, 4]])), null);
  assert.equal(readMesh(mesh([[0, 0, NaN], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])), null);
});
