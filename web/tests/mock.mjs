// A small stand-in for `tactus serve`: the page's files and the protocol, with motions by formula. For what the real server does not do on
// demand (faults, many bodies, frames that do not fit), and for work on the page alone:   node tests/mock.mjs [PORT]
import {createServer} from 'node:http';
import {existsSync, readFileSync} from 'node:fs';
import {extname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {WebSocketServer} from 'ws';

const dist = join(fileURLToPath(new URL('.', import.meta.url)), '..', 'dist');
const kinds = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.webp': 'image/webp'};
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const id = [0, 0, 0, 1, 0, 0, 0];
const at = (x, y, z) => [x, y, z, 1, 0, 0, 0];
const aboutY = (x, z, angle) => [x, 0, z, Math.cos(angle / 2), 0, -Math.sin(angle / 2), 0];

function fourBar() {
  const crank = 0.1, coupler = 0.3, rocker = 0.25, ground = 0.35;
  const rod = (length, color) => ({kind: 'box', size: [length, 0.02, 0.02], pose: at(length / 2, 0, 0), color});
  const poses = (t) => {
    const q = 1.05 + 2 * t;
    const x = crank * Math.cos(q), z = crank * Math.sin(q);
    const dx = ground - x, d = Math.hypot(dx, z), base = Math.atan2(-z, dx);
    const a = Math.acos((coupler ** 2 + d * d - rocker ** 2) / (2 * coupler * d));
    const ex = x + coupler * Math.cos(base + a), ez = z + coupler * Math.sin(base + a);
    return [id, aboutY(0, 0, q), aboutY(x, z, base + a), aboutY(ground, 0, Math.atan2(ez, ex - ground))];
  };
  const p = poses(0);
  const body = (name, mass, length, color, i) => ({name, mass, com: [length / 2, 0, 0], pose: p[i], shapes: [rod(length, color)]});
  return {
    poses,
    scene: {
      model: {name: 'four_bar', title: 'Four-bar linkage', sentence: 'A crank-rocker: the crank turns round, the rocker swings.', paper: null, file: 'four_bar.yaml'},
      engine: 'smooth', gravity: [0, 0, -9.81], center: [0.16, 0, 0.06], radius: 0.26, planar: {normal: [0, 1, 0], up: [0, 0, 1], point: [0, 0, 0]},
      bodies: [{name: 'world', mass: 0, com: [0, 0, 0], fixed: true, pose: id, shapes: []}, body('crank', 0.2, crank, '#a04030', 1), body('coupler', 0.6, coupler, '#3060a0', 2), body('rocker', 0.5, rocker, '#60a0d0', 3)],
      joints: [
        {name: 'q1', type: 'revolute', parent: 0, child: 1, pose: id, child_pose: id, axes: [[0, -1, 0]]},
        {name: 'q2', type: 'revolute', parent: 1, child: 2, pose: at(crank, 0, 0), child_pose: id, axes: [[0, -1, 0]]},
        {name: 'q3', type: 'revolute', parent: 0, child: 3, pose: at(ground, 0, 0), child_pose: id, axes: [[0, -1, 0]]},
      ],
      frames: [{name: 'middle', body: 2, pose: at(coupler / 2, 0, 0), grasp: true}],
      constraints: [{name: 'loop', type: 'closure', joint: 'revolute', active: true, rows: ['loop.x', 'loop.z'], a: {body: 3, pose: [rocker, 0, 0, Math.SQRT1_2, Math.SQRT1_2, 0, 0]}, b: {body: 2, pose: [coupler, 0, 0, Math.SQRT1_2, Math.SQRT1_2, 0, 0]}, curve: {kind: 'point'}}],
      control: {why: 'This mechanism has constraints: its joints cannot be led one by one.', remedy: 'Choose an open chain.', laws: [], joints: []},
      parameters: [{name: 'density', value: 2, initial: 2, least: 0.2, most: 20, unit: 'kg/m', description: 'of all rods', adjustable: true}],
    },
  };
}

/** An arm with two joints, that a law may lead. */
export function arm() {
  const poses = (t) => {
    const a = 0.4 * Math.sin(t), b = a + 0.6 * Math.cos(t);
    return [id, aboutY(0, 0, a), aboutY(0.5 * Math.cos(a), 0.5 * Math.sin(a), b)];
  };
  const rod = (length) => [{kind: 'box', size: [length, 0.04, 0.04], pose: at(length / 2, 0, 0), color: null}];
  const p = poses(0);
  const laws = ['gravity', 'computed-torque', 'pole-placement'].map((name) => ({name, meaning: `law ${name}`}));
  return {
    poses,
    scene: {
      model: {name: 'arm', title: 'Arm', sentence: 'Two links.', paper: null, file: 'arm.yaml'}, engine: 'smooth', gravity: [0, 0, -9.81], center: [0.4, 0, 0], radius: 0.8,
      planar: {normal: [0, 1, 0], up: [0, 0, 1], point: [0, 0, 0]},
      bodies: [{name: 'world', mass: 0, com: [0, 0, 0], fixed: true, pose: id, shapes: []}, {name: 'upper', mass: 2, com: [0.25, 0, 0], pose: p[1], shapes: rod(0.5)}, {name: 'fore', mass: 1.5, com: [0.2, 0, 0], pose: p[2], shapes: rod(0.4)}],
      joints: [{name: 'q1', type: 'revolute', parent: 0, child: 1, pose: id, child_pose: id, axes: [[0, -1, 0]]}, {name: 'q2', type: 'revolute', parent: 1, child: 2, pose: at(0.5, 0, 0), child_pose: id, axes: [[0, -1, 0]]}],
      frames: [{name: 'tip', body: 2, pose: at(0.4, 0, 0), grasp: true}], constraints: [], parameters: [],
      control: {why: '', remedy: '', laws, joints: [{name: 'q1', unit: 'rad', effort: 'N m', most: 20}, {name: 'q2', unit: 'rad', effort: 'N m', most: null}]},
    },
  };
}
const lociOf = (m, state) => {
  const [re, im] = m.poles ?? [-12, 45];
  const pair = (k) => [[re * k, im * k], [re * k, -im * k], [re, im], [re, -im]];
  const values = Array.from({length: 31}, (_, i) => -1 + i / 5);
  return {
    type: 'loci', request: m.request, scene: state.sceneId, t: state.t, law: m.law, poles: [re, im], period: 1e-3, sampled: m.sampled !== false, now: m.now === true,
    G1: [[1200, -30], [-30, 150]], G2: [[24, 1.5], [1.5, 3]], open: pair(0), closed: pair(1), slowest: re,
    loci: m.now ? [] : (m.law === 'computed-torque' ? ['gamma'] : ['alpha', 'beta', 'gamma']).map((error) => ({error, stable: true, lower: error === 'beta' ? null : -0.3082, upper: 2.5714, farthest: [-400, 400], values, roots: values.map((v) => pair((3 - v) / 2))})),
  };
};

/** Many bodies: a cloud of boxes that turn. */
export function swarm(n) {
  const poses = (t) => [id, ...Array.from({length: n}, (_, i) => {
    const a = 0.3 * t + i * 2.399963, r = 0.06 * Math.sqrt(i);
    return [r * Math.cos(a), r * Math.sin(a), 0.1 + 0.05 * Math.sin(t + i), Math.cos(t / 2 + i), 0, 0, Math.sin(t / 2 + i)];
  })];
  return {
    poses,
    scene: {
      model: {name: `swarm_${n}`, title: `${n} bodies`, sentence: 'Boxes that turn.', paper: null, file: ''}, engine: 'stepping', gravity: [0, 0, -9.81], center: [0, 0, 0.1], radius: 0.9,
      planar: null, ground: {height: 0, visible: true},
      bodies: poses(0).map((pose, i) => ({name: i ? `box_${i}` : 'world', mass: i ? 1 : 0, com: [0, 0, 0], fixed: i === 0, pose, shapes: i ? [{kind: i % 3 ? 'box' : 'sphere', size: i % 3 ? [0.06, 0.05, 0.04] : [0.03], pose: id, color: null}] : []})),
      joints: [], frames: [], constraints: [], parameters: [],
    },
  };
}

export function start({port = 0, motion = fourBar(), host = '127.0.0.1'} = {}) {
  const http = createServer((request, response) => {
    const path = normalize(decodeURIComponent(request.url.split('?')[0])).replace(/^(\.\.[/\\])+/, '');
    const file = join(dist, path === '/' ? 'index.html' : path);
    if (!file.startsWith(dist) || !existsSync(file) || !kinds[extname(file)]) return void response.writeHead(404).end();
    response.writeHead(200, {'Content-Type': kinds[extname(file)], 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff'}).end(readFileSync(file));
  });
  const sockets = new WebSocketServer({server: http, path: '/ws', handleProtocols: (set) => (set.has('tactus.1') ? 'tactus.1' : false)});
  const state = {t: 0, rate: 1, paused: false, fault: null, held: -1, local: [0, 0, 0], target: [0, 0, 0], sequence: 0, heard: 0, holder: null, sceneId: 1, events: 0, silent: false, parameters: {}, snapshots: [], motion, log: [], control: null, probe: null, felt: {masses: [0.41, 2.6, null], directions: [[0.8, 0, 0.6], [-0.6, 0, 0.8], [0, 1, 0]], along: 0.52}};
  const channels = [['q1', 'coordinates', 'rad'], ['kinetic', 'energies', 'J'], ['potential', 'energies', 'J'], ['force', 'hand', 'N'], ['position_error', 'constraints', 'm']].map(([name, group, unit]) => ({name, group, unit, label: name}));
  let clients = 0;
  const scene = () => ({
    type: 'scene', id: state.sceneId, why: 'connect', control: null, ...state.motion.scene, channels,
    choices: {formulation: [{name: 'automatic', meaning: 'chosen by rank'}, {name: 'projection', meaning: 'projection operator'}], step: [5e-4, 1e-3]},
    chosen: {formulation: 'automatic', step: 1e-3, weightless: false}, coupling: {stiffness: 350, damping: 1, force: 50, designed: true},
  });
  const everyone = (message) => {
    const data = JSON.stringify(message);
    for (const socket of sockets.clients) if (socket.you) socket.send(data);
  };
  sockets.on('connection', (socket) => {
    socket.names = [];
    const say = (message) => socket.send(JSON.stringify(message));
    socket.on('message', (data) => {
      const m = JSON.parse(String(data));
      if (m.type !== 'ping') state.log.push(m);
      const ok = (more = {}) => m.request && say({type: 'ok', about: m.type, request: m.request, ...more});
      switch (m.type) {
        case 'hello':
          socket.you = ++clients;
          say({type: 'welcome', version: 1, server: 'mock', you: socket.you, color: 0});
          say({type: 'gallery', groups: ['linkages', 'robots'], models: [{name: 'four_bar', title: 'Four-bar linkage', group: 'linkages', sentence: 'A crank-rocker.', paper: null, featured: true, bodies: 3, freedoms: 1, planar: true}, {name: 'puma560', title: 'PUMA 560', group: 'robots', sentence: 'Six joints.', paper: 'Clover 1996', featured: true, bodies: 6, freedoms: 6, planar: false}]});
          say(scene());
          break;
        case 'ping': say({type: 'pong', t: m.t, clock: performance.now() / 1000}); break;
        case 'channels': socket.names = m.names; break;
        case 'grab': Object.assign(state, {held: m.body, local: m.point, target: m.target, sequence: m.sequence ?? 0, heard: performance.now(), holder: socket.you}); break;
        case 'move': Object.assign(state, {target: m.target, sequence: m.sequence ?? 0, heard: performance.now()}); break;
        case 'release': state.held = -1; break;
        case 'time':
          if (m.do === 'pause') state.paused = true;
          if (m.do === 'run') state.paused = false;
          if (m.do === 'reset') state.t = 0;
          if (m.do === 'step') { state.paused = true; state.t += 1e-3; }
          if (m.rate) state.rate = m.rate;
          ok();
          break;
        case 'snapshot':
          if (m.do === 'save') state.snapshots.push({id: state.snapshots.length + 1, t: state.t});
          if (m.do === 'load') state.t = state.snapshots.find((s) => s.id === m.id)?.t ?? state.t;
          ok();
          break;
        case 'parameter': state.parameters[m.name] = m.value; ok(); break;
        case 'clear_fault': state.fault = null; ok(); break;
        case 'probe': state.probe = m.body === null ? null : {body: m.body, point: m.point}; ok(); break;
        case 'control':
          state.control = m.law === 'off' ? null : {law: 'gravity', poles: [-12, 45], target: 'stand', seconds: 1.5, ...state.control, ...Object.fromEntries(['law', 'poles', 'target', 'seconds'].filter((k) => k in m).map((k) => [k, m[k]]))};
          ok();
          break;
        case 'loci': say(lociOf(m, state)); break;
        case 'check': say(/crnk/.test(m.text) ? {type: 'checked', request: m.request, ok: false, what: "the model has no body named 'crnk'", remedy: 'did you mean `crank`?', where: {file: 'four_bar.yaml', line: 2, column: 8}} : {type: 'checked', request: m.request, ok: true, summary: '3 bodies, 1 freedom'}); break;
        case 'text': say({type: 'text', request: m.request, model: 'four_bar', file: 'four_bar.yaml', text: 'name: four_bar\nbodies: {crank: {mass: 1}}\n'}); break;
        case 'equations': say({type: 'equations', request: m.request, scene: state.sceneId, form: m.form, sections: [{key: 'M', title: 'mass matrix', elements: [{name: 'M_{11}', tex: 'm\\,l^2 + 2\\,m\\,l\\,\\cos q_1', operations: 5}]}, {key: 'Phi', title: 'constraints', elements: [{name: '\\Phi_1', tex: 'l_1\\cos q_1 + l_2\\cos(q_1+q_2) - x', operations: 6, constraint: 0}]}], counts: [{what: 'inverse dynamics', exact: {mul: 20, add: 15, div: 0, trig: 4, other: 0}}]}); break;
        default: ok();
      }
    });
  });
  const frame = (socket, now) => {
    const poses = state.motion.poses(state.t).flat();
    const k = socket.names.length, s = k ? 4 : 0;
    const buffer = new ArrayBuffer(160 + 4 * (poses.length + s * (1 + k)));
    const v = new DataView(buffer);
    v.setUint32(0, 0x46434154, true); v.setUint16(4, 1, true); v.setUint16(6, 160, true);
    v.setUint32(8, state.sceneId, true); v.setUint32(12, ++socket.sequence || (socket.sequence = 1), true);
    v.setFloat64(16, state.t, true); v.setFloat64(24, now / 1000, true);
    v.setUint16(32, poses.length / 7, true); v.setUint16(36, k, true); v.setUint16(38, s, true);
    v.setUint32(40, (state.paused ? 1 : 0) | (state.fault ? 2 : 0) | (state.held > 0 ? 4 : 0), true);
    v.setUint32(48, state.sequence, true); v.setFloat32(52, 0.0005, true);
    v.setInt32(56, state.held, true); v.setUint32(60, state.held > 0 ? state.holder : 0, true);
    if (state.held > 0) {
      const q = poses.slice(7 * state.held, 7 * state.held + 7);
      const [w, x, y, z] = q.slice(3), [a, b, c] = state.local;
      const tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
      const p = [q[0] + a + w * tx + y * tz - z * ty, q[1] + b + w * ty + z * tx - x * tz, q[2] + c + w * tz + x * ty - y * tx];
      p.forEach((value, i) => {
        v.setFloat32(64 + 4 * i, value, true); v.setFloat32(76 + 4 * i, state.target[i], true);
        v.setFloat32(88 + 4 * i, 350 * (state.target[i] - value), true);
      });
    }
    new Float32Array(buffer, 160, poses.length).set(poses);
    const values = new Float32Array(buffer, 160 + 4 * poses.length, s * (1 + k));
    for (let i = 0; i < s; ++i) {
      values[i * (1 + k)] = -0.004 * (s - 1 - i);
      for (let c = 0; c < k; ++c) values[i * (1 + k) + 1 + c] = Math.sin((2 + c) * (state.t - 0.004 * (s - 1 - i))) + (socket.names[c] === 'position_error' ? 1.1 : 0);
    }
    socket.send(buffer);
  };
  let last = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    if (!state.paused && !state.fault) state.t += ((now - last) / 1000) * state.rate;
    last = now;
    if (!state.silent) for (const socket of sockets.clients) if (socket.you && socket.bufferedAmount < 1e6) frame(socket, now);
  }, 1000 / 60);
  const telling = setInterval(() => {
    const times = {p50: 1.1e-5, p99: 2e-5, p999: 4e-5, most: 9e-5};
    if (state.silent) return;
    everyone({type: 'status', scene: state.sceneId, t: state.t, state: state.fault ? 'faulted' : state.paused ? 'paused' : 'running', rate: state.rate, factor: 1, loop: {hz: 1000, ticks: Math.round(state.t * 1000), missed: 0, late: 0, compute: times, wake: times, priority: false}, fault: state.fault, holder: state.held > 0 ? state.holder : null, clients: [...sockets.clients].filter((s) => s.you).map((s) => ({id: s.you, name: 'browser', color: 0})), hand: state.held > 0 ? {by: state.holder, body: state.held, mass: 0.4, limit: 9e4, stiffness: 350, damping: 1, force: 50, designed: true, felt: state.felt} : null, probe: state.probe ? {...state.probe, felt: {...state.felt, along: null}} : null, control: state.control ? {...state.control, cut: 0, torque: [20 * Math.sin(state.t), -3.2], most: [20, null], error: [4.2e-5, -0.2], largest: [3e-3, 0.25], knows: state.knows !== false} : null, parameters: state.parameters, active: [true], errors: {position: 1e-12, velocity: 1e-11, worst_position: 3e-12}, energy: {kinetic: 1, potential: 2}, contacts: 0, snapshots: state.snapshots, recordings: []});
  }, 100);
  return new Promise((resolve) =>
    http.listen(port, host, () =>
      resolve({
        state, everyone, sockets, address: `http://${host}:${http.address().port}/`,
        stop: () => new Promise((done) => {
          clearInterval(ticking);
          clearInterval(telling);
          for (const socket of sockets.clients) socket.terminate();
          sockets.close();
          http.close(() => done());
        }),
      }),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await start({port: Number(process.argv[2] ?? 8766), ...(process.argv[3] ? {motion: swarm(Number(process.argv[3]))} : {})});
  console.log(server.address);
}
