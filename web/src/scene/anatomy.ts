// From a scene to what is drawn of each body: its own shapes, made tidy, or shapes made up from its joints.
//
// Planar mechanisms without contact are drawn as linkages are built: flat links with round ends, joined ones in different layers,
// pins through them, pedestals at the ground. Others are drawn as they are, with drums at the joints where they have no shapes.
import {Box3, BufferAttribute, BufferGeometry, Color, Matrix4, Quaternion, Vector2, Vector3} from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type {Body, Joint, Scene, Shape} from '../link/messages';
import {shapeColour, type SceneColours} from './colours';
import {matrixOf, placeOf, turnOf, vectorOf} from './poses';
import type {Meshes} from './meshes';
import * as solids from './solids';

export interface Part {
  geometry: BufferGeometry;
  colour: Color;
  opacity: number;
}
export interface Drawn {
  parts: Part[]; // in body axes
}

/** The plane of a planar scene as it is looked at: the normal points to the viewer, x goes to the right where it can. */
export function viewPlane(scene: Scene): {normal: Vector3; up: Vector3; right: Vector3; point: Vector3} | null {
  if (scene.planar === null) return null;
  const up = vectorOf(scene.planar.up).normalize();
  const normal = vectorOf(scene.planar.normal).normalize();
  const right = up.clone().cross(normal);
  const side = Math.abs(right.x) > 1e-6 ? right.x : Math.abs(right.y) > 1e-6 ? right.y : right.z;
  if (side < 0) {
    normal.negate();
    right.negate();
  }
  return {normal, up, right, point: vectorOf(scene.planar.point)};
}

/** From where a scene is first looked at: square to its plane, or from a corner; never from behind a wall. Vehicles on the ground are
 * planar too, but are known better from above and behind. */
export function firstView(scene: Scene): {direction: Vector3; flat: boolean} {
  const plane = viewPlane(scene);
  if (plane && !isVehicle(scene)) return {direction: plane.normal.clone(), flat: true};
  const direction = scene.camera ? vectorOf(scene.camera.direction).normalize() : new Vector3(0.55, -1, 0.45).normalize();
  for (const shape of scene.bodies[0]?.shapes ?? []) {
    if (shape.kind !== 'plane') continue;
    const normal = new Vector3(0, 0, 1).applyQuaternion(turnOf(shape.pose));
    const side = direction.dot(normal);
    if (side < 0.05) direction.addScaledVector(normal, Math.max(0.3, -side) - side).normalize();
  }
  return {direction, flat: false};
}

/** Something that rolls or glides on the ground, known in its plane alone. */
function isVehicle(scene: Scene): boolean {
  const flat = scene.planar !== null && Math.abs(scene.planar.normal[2]!) > 0.9;
  return flat && scene.constraints.some((c) => c.curve !== null && ['knife_edge', 'disk', 'ball'].includes(c.curve.kind));
}

/** What is seen at first: the ball around the mechanism, and circles that guide it. */
export function firstBall(scene: Scene, drawn: Box3): {centre: Vector3; radius: number} {
  const centre = vectorOf(scene.center);
  let radius = scene.radius;
  if (!drawn.isEmpty()) {
    // What is drawn may reach further than what is known of the shapes.
    const reach = 0.5 * drawn.getSize(new Vector3()).length();
    const off = drawn.getCenter(new Vector3());
    if (reach + off.distanceTo(centre) > 1.25 * radius && reach < 4 * radius) {
      centre.copy(off);
      radius = 0.92 * reach;
    }
  }
  const walls = (scene.bodies[0]?.shapes ?? []).filter((w) => w.kind === 'plane').map((w) => placeOf(w.pose));
  if (scene.planar !== null && walls.length >= 3) {
    // Within walls: they are the picture's frame.
    const inside = new Box3().setFromPoints(walls);
    const size = inside.getSize(new Vector3());
    return {centre: inside.getCenter(new Vector3()), radius: Math.max(0.55 * Math.max(size.x, size.y, size.z), 0.3 * radius)};
  }
  const box = new Box3(centre.clone().addScalar(-radius), centre.clone().addScalar(radius));
  let grown = false;
  for (const c of scene.constraints) {
    if (c.curve?.kind !== 'circle' || !c.curve.radius || !c.curve.pose || c.curve.body !== 0) continue;
    const r = c.curve.radius, p = placeOf(c.curve.pose), n = new Vector3(0, 0, 1).applyQuaternion(turnOf(c.curve.pose));
    const spread = new Vector3(Math.sqrt(1 - n.x * n.x), Math.sqrt(1 - n.y * n.y), Math.sqrt(1 - n.z * n.z)).multiplyScalar(r);
    box.expandByPoint(p.clone().add(spread)).expandByPoint(p.clone().sub(spread));
    grown = true;
  }
  if (!grown) return {centre, radius};
  const size = box.getSize(new Vector3());
  return {centre: box.getCenter(new Vector3()), radius: 0.56 * Math.max(size.x, size.y, size.z)};
}

interface Anchor {
  place: Vector3; // in body axes
  axis: Vector3 | null; // of a revolute joint
}

export class Anatomy {
  readonly plane;
  readonly size: number; // [m] a length to draw by
  readonly bodies: Drawn[];
  /** [m] along the normal at which a body is drawn, away from where it is. */
  readonly shift: number[];
  readonly linkage: boolean;
  private readonly anchors: Anchor[][];
  private readonly width: number[]; // [m] of each body's links
  private readonly heaviest: number;
  private readonly hidden: boolean[];

  constructor(readonly scene: Scene, private readonly colours: SceneColours, private readonly meshes: Meshes = new Map()) {
    this.plane = viewPlane(scene);
    const rolling = Math.max(0, ...scene.constraints.map((c) => (c.curve?.kind === 'disk' || c.curve?.kind === 'ball' ? c.curve.radius ?? 0 : 0)));
    this.size = Math.max(scene.radius, 1.5 * rolling, 1e-6);
    this.heaviest = Math.max(1e-12, ...scene.bodies.map((b) => b.mass));
    this.linkage = this.plane !== null && !isVehicle(scene) && !scene.bodies.some((b) => b.shapes.some((s) => s.contact)) && scene.pairs.length === 0;
    this.anchors = scene.bodies.map(() => []);
    this.width = scene.bodies.map(() => 0);
    this.hidden = scene.bodies.map((b) => b.hidden);
    this.findAnchors();
    this.bodies = scene.bodies.map((body, i) => this.draw(body, i));
    this.shift = this.layers();
    this.addJoints();
    if (!this.linkage) this.addStruts();
    this.addWheels();
    this.addBeam();
  }

  private findAnchors(): void {
    const {joints, constraints, bodies} = this.scene;
    for (const joint of joints) {
      const turning = joint.type === 'revolute' && joint.axes[0] !== undefined;
      const axis = (pose: number[]) => (turning ? vectorOf(joint.axes[0]!).applyQuaternion(turnOf(pose)) : null);
      if (joint.type !== 'free' && joint.type !== 'planar') {
        this.anchors[joint.child]?.push({place: placeOf(joint.child_pose), axis: axis(joint.child_pose)});
        this.anchors[joint.parent]?.push({place: placeOf(joint.pose), axis: axis(joint.pose)});
      }
    }
    for (const c of constraints) {
      if (c.curve?.kind === 'disk' || c.curve?.kind === 'ball' || c.curve?.kind === 'knife_edge') continue;
      for (const end of [c.a, c.b]) {
        if (end && end.body > 0) this.anchors[end.body]?.push({place: placeOf(end.pose), axis: null});
      }
    }
    // Carriers have no mass and no shape: what hangs on them hangs on nothing that is seen.
    // But a link of an arm may be given by its inertia about one axis alone: one sees it from joint to joint.
    bodies.forEach((body, i) => {
      if (!body.hidden) return;
      const [first, ...others] = this.anchors[i]!;
      const turns = joints.some((j) => j.child === i && j.type === 'revolute');
      if (turns && first && others.some((a) => a.place.distanceTo(first.place) > 0.05 * this.size)) this.hidden[i] = false;
      else this.anchors[i] = [];
    });
  }

  private draw(body: Body, index: number): Drawn {
    const drawn: Drawn = {parts: []};
    if (this.hidden[index]) return drawn;
    for (const shape of body.shapes) this.drawShape(shape, index, drawn);
    if (drawn.parts.length === 0 && index > 0 && !body.fixed) this.makeUp(body, index, drawn);
    return drawn;
  }

  // ------------------------------------------------------------------------------------------------ shapes of the model

  private drawShape(shape: Shape, index: number, drawn: Drawn): void {
    const fixed = index === 0;
    const {colour, opacity} =
      shape.color === null && fixed ? {colour: this.colours.ground, opacity: 1} : shapeColour(shape.color, Math.max(0, index - 1), this.colours);
    const matrix = matrixOf(shape.pose);
    const add = (geometry: BufferGeometry, c = colour, o = opacity) =>
      drawn.parts.push({geometry: geometry.applyMatrix4(matrix), colour: c, opacity: o});
    const [a = 0, b = 0, c = 0] = shape.size;
    const accent = colour.clone().lerp(new Color(this.colours.lift > 0 ? '#ffffff' : '#101418'), 0.35);
    switch (shape.kind) {
      case 'sphere':
        if (shape.hollow) return void add(solids.sphere(a, 1.4), colour, Math.min(opacity, 0.22));
        add(solids.sphere(a, a > 0.4 * this.size ? 1.6 : 1));
        if (!fixed && opacity === 1) for (const ring of solids.ballRings(a)) add(ring, accent);
        return;
      case 'box':
        return this.drawBox(shape, index, [a, b, c], colour, opacity, drawn);
      case 'cylinder':
        if (shape.hollow) return void add(solids.tube(a, b), colour, Math.min(opacity, 0.3));
        if (b < 0.7 * a && !fixed) {
          add(solids.wheel(a, b));
          return void add(solids.cylinder(0.2 * a, 1.25 * b), accent, opacity);
        }
        return void add(solids.cylinder(a, b));
      case 'capsule':
        this.width[index] = Math.max(this.width[index] ?? 0, 2 * a);
        return void add(solids.capsule(a, b));
      case 'plane':
        return this.drawPlane(shape, [a, b], colour, drawn);
      case 'mesh': {
        const mesh = shape.mesh === null ? undefined : this.meshes.get(shape.mesh);
        if (mesh) add(mesh.clone());
      }
    }
  }

  /** A slender box in the plane of a linkage is a link, with round ends about its pivots. */
  private drawBox(shape: Shape, index: number, size: [number, number, number], colour: Color, opacity: number, drawn: Drawn): void {
    const matrix = matrixOf(shape.pose);
    const long = size.indexOf(Math.max(...size));
    const rest = size.filter((_, i) => i !== long);
    const slender = size[long]! > 2.5 * Math.max(...rest);
    if (slender && !shape.contact && index > 0) {
      const width = Math.max(...rest);
      this.width[index] = Math.max(this.width[index] ?? 0, width);
      if (this.linkage && this.plane) {
        const normal = this.normalIn(index);
        const x = new Vector3().setComponent(long, 1).transformDirection(matrix);
        if (Math.abs(x.dot(normal)) < 0.1) {
          const basis = new Matrix4().makeBasis(x, normal.clone().cross(x), normal).setPosition(placeOf(shape.pose));
          drawn.parts.push({geometry: solids.link(size[long]!, this.linkWidth(width), this.thickness()).applyMatrix4(basis), colour, opacity});
          return;
        }
      }
    }
    drawn.parts.push({geometry: solids.box(...size, shape.contact ? 0.05 : 0.12).applyMatrix4(matrix), colour, opacity});
  }

  /** A plane is one-sided: a slab below it. Seen from its edge it is a wall, from above a ground. */
  private drawPlane(shape: Shape, [x, y]: [number, number], colour: Color, drawn: Drawn): void {
    const depth = 0.035 * this.size;
    const normal = new Vector3(0, 0, 1).applyQuaternion(turnOf(shape.pose));
    const wide = (s: number) => (s > 0 ? s : 4 * this.size);
    let [sx, sy] = [wide(x), wide(y)];
    let slab = matrixOf(shape.pose);
    if (this.plane && Math.abs(normal.dot(this.plane.normal)) < 0.1) {
      // In a planar scene walls are as deep as the mechanism is thick.
      const turn = turnOf(shape.pose);
      const alongX = Math.abs(new Vector3(1, 0, 0).applyQuaternion(turn).dot(this.plane.normal)) > 0.7;
      const deep = Math.min(alongX ? sx : sy, 0.12 * this.size);
      if (alongX) sx = deep;
      else sy = deep;
    } else if (this.plane && Math.abs(normal.dot(this.plane.normal)) > 0.9) {
      return; // the plane of motion itself: the grid is there
    }
    slab = slab.multiply(new Matrix4().makeTranslation(0, 0, -depth / 2));
    drawn.parts.push({geometry: solids.box(sx, sy, depth, 0.2).applyMatrix4(slab), colour, opacity: 1});
  }

  // ------------------------------------------------------------------------------------------------ shapes made up

  private makeUp(body: Body, index: number, drawn: Drawn): void {
    const {colour} = shapeColour(null, index - 1, this.colours);
    const add = (geometry: BufferGeometry, c = colour) => drawn.parts.push({geometry, colour: c, opacity: 1});
    const rolls = this.scene.constraints.find((c) => c.b?.body === index && (c.curve?.kind === 'disk' || c.curve?.kind === 'ball'));
    if (rolls?.b && rolls.curve?.radius) {
      const matrix = matrixOf(rolls.b.pose);
      const r = rolls.curve.radius;
      if (rolls.curve.kind === 'disk') {
        add(solids.wheel(r, 0.12 * r).applyMatrix4(matrix));
        add(solids.cylinder(0.2 * r, 0.16 * r).applyMatrix4(matrix), this.colours.steel);
      } else {
        add(solids.sphere(r).applyMatrix4(matrix));
        for (const ring of solids.ballRings(r)) add(ring.applyMatrix4(matrix), this.colours.steel);
      }
      return;
    }
    const com = vectorOf(body.com);
    const anchors = this.anchors[index] ?? [];
    const first = anchors[0]?.place ?? new Vector3();
    const others = anchors.slice(1).filter((a) => a.place.distanceTo(first) > 0.02 * this.size);
    const radius = 0.075 * this.size * Math.cbrt(body.mass / this.heaviest);
    if (this.plane && this.linkage && anchors.length > 0) {
      const places = [...anchors.map((a) => a.place)];
      const lone = others.length === 0;
      if (lone && body.mass > 0) places.push(com);
      this.plateAround(places, index, colour, drawn);
      if (lone && body.mass > 0) add(solids.sphere(Math.max(radius, 0.03 * this.size)).translate(com.x, com.y, com.z));
      return;
    }
    if (others.length === 0) {
      if (com.distanceTo(first) > 0.04 * this.size && anchors.length > 0) this.rod(first, com, 0.022 * this.size, 0.018 * this.size, add);
      if (body.mass > 0) add(solids.sphere(Math.max(0.3 * radius, 0.02 * this.size, radius)).translate(com.x, com.y, com.z));
      return;
    }
    for (const other of others) this.arm(anchors[0]!, other, index, add);
  }

  private plateAround(places: Vector3[], index: number, colour: Color, drawn: Drawn): void {
    const normal = this.normalIn(index);
    const x = new Vector3(1, 0, 0);
    if (Math.abs(x.dot(normal)) > 0.9) x.set(0, 1, 0);
    x.addScaledVector(normal, -x.dot(normal)).normalize();
    const y = normal.clone().cross(x);
    const points = places.map((p) => new Vector2(p.dot(x), p.dot(y)));
    const level = places[0]?.dot(normal) ?? 0;
    const basis = new Matrix4().makeBasis(x, y, normal).setPosition(normal.clone().multiplyScalar(level));
    const width = this.linkWidth(0);
    this.width[index] = width;
    drawn.parts.push({geometry: solids.plate(points, width / 2, this.thickness()).applyMatrix4(basis), colour, opacity: 1});
  }

  /** From joint to joint as arms are built: along the one axis, across, along the other. */
  private arm(from: Anchor, to: Anchor, index: number, add: (g: BufferGeometry, c?: Color) => void): void {
    const way = to.place.clone().sub(from.place);
    const along = to.axis ? to.axis.clone().multiplyScalar(way.dot(to.axis)) : new Vector3();
    const left = way.clone().sub(along);
    const first = from.axis ? from.axis.clone().multiplyScalar(left.dot(from.axis)) : new Vector3();
    const thick = this.armRadius(index);
    let at = from.place.clone();
    const steps = [
      {way: first, r: 1.0, R: 1.0},
      {way: left.sub(first), r: 1.0, R: 0.8},
      {way: along, r: 0.8, R: 0.8},
    ];
    for (const step of steps) {
      if (step.way.length() < 0.02 * this.size) {
        at = at.clone().add(step.way);
        continue;
      }
      const end = at.clone().add(step.way);
      this.rod(at, end, thick * step.r, thick * step.R, add);
      at = end;
    }
  }

  /** Arms get thinner from the ground to the tip. */
  private armRadius(index: number): number {
    let depth = 0;
    for (let b = index; b > 0 && depth < 12; ++depth) b = this.scene.joints.find((j) => j.child === b)?.parent ?? 0;
    return 0.075 * this.size * 0.88 ** (depth - 1);
  }

  private rod(from: Vector3, to: Vector3, r: number, R: number, add: (g: BufferGeometry, c?: Color) => void): void {
    const way = to.clone().sub(from);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), way.clone().normalize());
    const middle = from.clone().add(to).multiplyScalar(0.5);
    add(solids.taperedRod(r, R, way.length()).applyMatrix4(new Matrix4().compose(middle, turn, new Vector3(1, 1, 1))));
  }

  // ------------------------------------------------------------------------------------------------ linkages

  /** The viewer's normal in the axes of a body, as it is placed at the start; in plane motion it stays there. */
  private normalIn(index: number): Vector3 {
    const normal = this.plane?.normal ?? new Vector3(0, 0, 1);
    return normal.clone().applyQuaternion(turnOf(this.scene.bodies[index]!.pose).invert());
  }
  private linkWidth(own: number): number {
    return Math.max(own, 0.062 * this.size);
  }
  private thickness(): number {
    return 0.032 * this.size;
  }

  /** Joined bodies in different layers: each takes the lowest that its neighbours leave. */
  private layers(): number[] {
    const {bodies, joints, constraints} = this.scene;
    if (!this.linkage) return bodies.map(() => 0);
    const near = bodies.map(() => new Set<number>());
    const join = (a: number, b: number) => {
      if (a > 0 && b > 0 && a !== b) {
        near[a]?.add(b);
        near[b]?.add(a);
      }
    };
    for (const j of joints) join(j.parent, j.child);
    for (const c of constraints) if (c.a && c.b) join(c.a.body, c.b.body);
    const layer: number[] = [];
    bodies.forEach((_, i) => {
      const taken = new Set([...near[i]!].filter((n) => n < i && !this.hidden[n]).map((n) => layer[n]));
      let l = 0;
      while (taken.has(l)) ++l;
      layer[i] = this.hidden[i] || i === 0 ? 0 : l;
    });
    return layer.map((l) => l * this.thickness() * 1.15);
  }

  // ------------------------------------------------------------------------------------------------ between shapes and joints

  /** The place of a body's shapes that is nearest to p, in body axes; null where it has none. */
  private nearest(index: number, p: Vector3): Vector3 | null {
    let best: Vector3 | null = null;
    for (const shape of this.scene.bodies[index]!.shapes) {
      if (shape.kind === 'plane' || shape.kind === 'mesh' || shape.hollow) continue;
      const matrix = matrixOf(shape.pose);
      const q = p.clone().applyMatrix4(matrix.clone().invert());
      const [a = 0, b = 0, c = 0] = shape.size;
      if (shape.kind === 'box') q.clamp(new Vector3(-a / 2, -b / 2, -c / 2), new Vector3(a / 2, b / 2, c / 2));
      else if (shape.kind === 'sphere') q.clampLength(0, a);
      else {
        const z = Math.max(-b / 2, Math.min(b / 2, q.z));
        const across = new Vector2(q.x, q.y).clampLength(0, a);
        q.set(across.x, across.y, z);
      }
      q.applyMatrix4(matrix);
      if (best === null || q.distanceTo(p) < best.distanceTo(p)) best = q;
    }
    return best;
  }
  private middle(index: number): Vector3 | null {
    // A mesh is drawn as it is, joints and all.
    if (this.scene.bodies[index]!.shapes.some((s) => s.mesh !== null && this.meshes.has(s.mesh))) return null;
    const shapes = this.scene.bodies[index]!.shapes.filter((s) => s.kind !== 'plane');
    if (shapes.length === 0) return null;
    return shapes.reduce((sum, s) => sum.add(placeOf(s.pose)), new Vector3()).divideScalar(shapes.length);
  }

  /** Bodies with shapes of their own that do not reach their joints: thin rods do, and the axis is seen between two bodies. */
  private addStruts(): void {
    const {joints, bodies} = this.scene;
    const thin = (this.plane ? 0.008 : 0.014) * this.size;
    for (const joint of joints) {
      if (joint.type === 'free' || joint.type === 'planar' || joint.type === 'weld' || this.hidden[joint.child]) continue;
      const turning = joint.type === 'revolute' && joint.axes[0] !== undefined;
      const ends: Vector3[] = [];
      for (const [index, pose] of [[joint.child, joint.child_pose], [joint.parent, joint.pose]] as const) {
        const middle = index > 0 && !this.hidden[index] ? this.middle(index) : null;
        if (!middle) continue;
        const at = placeOf(pose);
        if (turning) {
          const axis = vectorOf(joint.axes[0]!).applyQuaternion(turnOf(pose)).normalize();
          at.addScaledVector(axis, middle.clone().sub(at).dot(axis));
        } else if (joint.type === 'prismatic') {
          continue;
        }
        ends.push(at.clone().applyMatrix4(matrixOf(bodies[index]!.pose)));
        const to = this.nearest(index, at);
        if (!to || to.distanceTo(at) < 0.04 * this.size || to.distanceTo(at) > 3 * this.size) continue;
        const colour = this.bodies[index]!.parts[0]?.colour ?? this.colours.steel;
        this.rod(at, to, thin, thin, (geometry) => this.bodies[index]!.parts.push({geometry, colour: this.plane ? this.colours.steel : colour, opacity: 1}));
      }
      const [a, b] = ends;
      if (a && b && joint.parent > 0) {
        // From the child only as far as to where the parent begins.
        const into = matrixOf(bodies[joint.parent]!.pose).invert();
        for (let k = 0; k < 40; ++k) {
          const p = a.clone().lerp(b, k / 40);
          const local = p.clone().applyMatrix4(into);
          if ((this.nearest(joint.parent, local)?.distanceTo(local) ?? Infinity) < 0.06 * this.size) {
            b.copy(p);
            break;
          }
        }
      }
      if (a && b && a.distanceTo(b) > 0.05 * this.size && a.distanceTo(b) < 2 * this.size) {
        const back = matrixOf(bodies[joint.child]!.pose).invert();
        this.rod(a.clone().applyMatrix4(back), b.clone().applyMatrix4(back), thin, thin, (geometry) =>
          this.bodies[joint.child]!.parts.push({geometry, colour: this.colours.steel, opacity: 1}));
      }
    }
  }

  /** What may not slide sideways is a blade close to the ground, or a pair of wheels below. */
  private addWheels(): void {
    for (const c of this.scene.constraints) {
      if (c.curve?.kind !== 'knife_edge' || !c.b || this.hidden[c.b.body]) continue;
      const {body, pose} = c.b;
      const at = placeOf(pose);
      const shapes = this.scene.bodies[body]!.shapes;
      if (shapes.some((s) => s.kind === 'cylinder' && placeOf(s.pose).distanceTo(at) < 0.2 * this.size)) continue;
      const frame = matrixOf(pose);
      const put = (geometry: BufferGeometry, x: number, y: number, z: number) =>
        this.bodies[body]!.parts.push({geometry: geometry.translate(x, y, z).applyMatrix4(frame), colour: this.colours.steel, opacity: 1});
      const near = this.nearest(body, at);
      const high = near ? near.distanceTo(at) : 0;
      if (high < 0.1 * this.size) {
        put(solids.box(0.36 * this.size, 0.02 * this.size, 0.07 * this.size, 0.3), 0, 0, 0.035 * this.size);
        continue;
      }
      const r = Math.min(0.09 * this.size, 0.4 * high);
      const width = Math.max(...shapes.map((s) => (s.kind === 'box' ? s.size[1]! : 0)));
      for (const side of width > 0 ? [-0.42 * width, 0.42 * width] : [0]) {
        put(solids.wheel(r, 0.35 * r).rotateX(Math.PI / 2), 0, side, r);
        put(solids.cylinder(0.16 * r, high - r, 16), 0, side * 0.86, r + (high - r) / 2);
      }
      if (width > 0) put(solids.cylinder(0.14 * r, 0.84 * width, 16).rotateX(Math.PI / 2), 0, 0, r);
    }
  }

  /** Three pivots or more of the ground in one line hang on a beam. */
  private addBeam(): void {
    if (this.linkage || !this.plane) return;
    const places = this.scene.joints.filter((j) => j.parent === 0 && j.type === 'revolute' && !this.hidden[j.child]).map((j) => placeOf(j.pose));
    const [first, second] = places;
    if (places.length < 3 || !first || !second) return;
    const way = second.clone().sub(first).normalize();
    const along = places.map((p) => p.clone().sub(first).dot(way));
    if (places.some((p, i) => p.distanceTo(first.clone().addScaledVector(way, along[i]!)) > 1e-6 * this.size)) return;
    const margin = 0.12 * this.size;
    const from = first.clone().addScaledVector(way, Math.min(...along) - margin);
    const to = first.clone().addScaledVector(way, Math.max(...along) + margin);
    this.rod(from, to, 0.022 * this.size, 0.022 * this.size, (geometry) => this.bodies[0]!.parts.push({geometry, colour: this.colours.ground, opacity: 1}));
  }

  // ------------------------------------------------------------------------------------------------ joints

  private addJoints(): void {
    const {joints, constraints} = this.scene;
    for (const joint of joints) this.drawJoint(joint);
    for (const c of constraints) {
      if (!c.a || !c.b || c.type !== 'closure' || c.curve?.kind !== 'point') continue;
      const axis = new Vector3(0, 0, 1).applyQuaternion(turnOf(c.b.pose));
      if (c.joint === 'revolute') this.pin(c.a.body, c.b.body, placeOf(c.b.pose), axis);
      else if (c.joint === 'spherical' || c.joint === 'universal') this.ball(c.b.body, placeOf(c.b.pose));
    }
  }

  private drawJoint(joint: Joint): void {
    const {bodies} = this.scene;
    const child = bodies[joint.child];
    const parent = bodies[joint.parent];
    if (!child || !parent || this.hidden[joint.child]) return;
    const place = placeOf(joint.child_pose);
    const axis = joint.axes[0] ? vectorOf(joint.axes[0]).applyQuaternion(turnOf(joint.child_pose)) : null;
    switch (joint.type) {
      case 'revolute':
      case 'helical':
      case 'cylindrical':
        if (axis && !this.hidden[joint.parent]) this.pin(joint.parent, joint.child, place, axis);
        return;
      case 'spherical':
      case 'universal':
        if (!this.hidden[joint.parent]) this.ball(joint.child, place);
        return;
      case 'prismatic':
        if (joint.parent === 0 && axis) this.rail(joint);
    }
  }

  private pin(parent: number, child: number, place: Vector3, axis: Vector3): void {
    const drawn = this.bodies[child];
    if (!drawn) return;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis.clone().normalize());
    const put = (geometry: BufferGeometry, shift = 0) =>
      geometry.translate(0, 0, shift).applyMatrix4(new Matrix4().compose(place, turn, new Vector3(1, 1, 1)));
    if (this.linkage && this.plane) {
      const width = this.linkWidth(Math.max(this.width[child] ?? 0, parent > 0 ? this.width[parent] ?? 0 : 0));
      const t = this.thickness();
      // Through all layers that meet here, seen from the child's.
      const way = axis.dot(this.normalIn(child)) > 0 ? 1 : -1;
      const mine = this.shift[child] ?? 0;
      const theirs = parent === 0 ? -1.15 * t : this.shift[parent] ?? 0;
      const low = Math.min(mine, theirs) - mine - 0.62 * t;
      const high = Math.max(mine, theirs) - mine + 0.72 * t;
      drawn.parts.push({geometry: put(solids.cylinder(0.27 * width, high - low, 32), (way * (low + high)) / 2), colour: this.colours.steel, opacity: 1});
      drawn.parts.push({geometry: put(solids.cylinder(0.47 * width, 1.16 * t, 32)), colour: this.tint(child), opacity: 1});
      if (parent === 0) this.pedestalAt(place, child, width);
      return;
    }
    if (!this.wantsDrum(parent, child)) {
      const own = this.width[child] ?? 0;
      if (own === 0 || this.plane === null) return;
      // Contact in the plane: only a pin's head, on top of what is there.
      drawn.parts.push({geometry: put(solids.cylinder(0.24 * own, 1.12 * own, 32)), colour: this.colours.steel, opacity: 1});
      return;
    }
    const r = this.armRadius(child) * 1.18;
    drawn.parts.push({geometry: put(solids.cylinder(r, 2.3 * r, 40)), colour: this.colours.steel, opacity: 1});
    const upright = axis.clone().applyQuaternion(turnOf(this.scene.bodies[child]!.pose));
    if (parent === 0 && Math.abs(upright.z) > 0.99) {
      // An arm that turns about the vertical stands on a foot.
      const at = place.clone().applyMatrix4(matrixOf(this.scene.bodies[child]!.pose));
      const foot = Math.max(2.2 * r, at.z - (this.scene.ground?.height ?? at.z - 2.2 * r));
      const stand = (geometry: BufferGeometry, low: number) =>
        this.bodies[0]!.parts.push({geometry: geometry.translate(at.x, at.y, at.z - low), colour: this.colours.ground, opacity: 1});
      stand(solids.cylinder(0.86 * r, foot, 40), foot / 2);
      stand(solids.cylinder(1.7 * r, 0.3 * r, 48), foot - 0.15 * r);
    }
  }

  /** The heads of pins are lighter or darker than the link that they hold. */
  private tint(index: number): Color {
    const own = this.bodies[index]?.parts[0]?.colour ?? this.colours.steel;
    return own.clone().lerp(new Color('#ffffff'), 0.28);
  }

  private wantsDrum(parent: number, child: number): boolean {
    const {bodies} = this.scene;
    return this.plane === null && bodies[child]!.shapes.length === 0 && (parent === 0 || bodies[parent]!.shapes.length === 0);
  }

  private ball(child: number, place: Vector3): void {
    const drawn = this.bodies[child];
    const r = Math.max(0.6 * (this.width[child] ?? 0), 0.022 * this.size);
    drawn?.parts.push({geometry: solids.sphere(r, 0.7).translate(place.x, place.y, place.z), colour: this.colours.steel, opacity: 1});
  }

  /** A fixed pivot: on the world, upright where gravity is in the plane, round otherwise. */
  private pedestalAt(place: Vector3, child: number, width: number): void {
    if (!this.plane) return;
    const world = this.bodies[0]!;
    const at = place.clone().applyMatrix4(matrixOf(this.scene.bodies[child]!.pose));
    const {normal, up} = this.plane;
    const t = this.thickness();
    const basis = new Matrix4().makeBasis(up.clone().cross(normal), up, normal);
    basis.setPosition(at.addScaledVector(normal, -1.15 * t));
    const upright = Math.abs(vectorOf(this.scene.gravity).dot(up)) > 0.5;
    const push = (geometry: BufferGeometry, colour = this.colours.ground) =>
      world.parts.push({geometry: geometry.applyMatrix4(basis), colour, opacity: 1});
    if (upright) {
      const height = 1.75 * width;
      push(solids.pedestal(0.72 * width, height, 2.2 * width, t));
      push(solids.box(3.1 * width, 0.26 * width, 1.5 * t, 0.15).translate(0, -height - 0.1 * width, 0));
    } else {
      push(solids.cylinder(0.95 * width, t, 48));
    }
  }

  private rail(joint: Joint): void {
    const world = this.bodies[0]!;
    const axis = vectorOf(joint.axes[0]!).applyQuaternion(turnOf(joint.pose)).normalize();
    const at = placeOf(joint.pose);
    const [low, high] = joint.limits[0] ?? [null, null];
    const from = low ?? -1.1 * this.size;
    const to = high ?? 1.1 * this.size;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis);
    at.addScaledVector(axis, (from + to) / 2);
    if (this.plane && this.linkage) at.addScaledVector(this.plane.normal, -1.2 * this.thickness());
    world.parts.push({
      geometry: solids.cylinder(0.012 * this.size, to - from, 20).applyMatrix4(new Matrix4().compose(at, turn, new Vector3(1, 1, 1))),
      colour: this.colours.ground,
      opacity: 1,
    });
  }
}

/** Parts as one geometry with colours at its corners: one body is one thing to draw. */
export function merged(parts: Part[]): BufferGeometry | null {
  const list = parts.map(({geometry, colour}) => {
    const g = geometry.index ? geometry.toNonIndexed() : geometry.clone();
    for (const name of Object.keys(g.attributes)) if (name !== 'position' && name !== 'normal') g.deleteAttribute(name);
    const n = g.getAttribute('position').count;
    const colours = new Float32Array(3 * n);
    for (let i = 0; i < n; ++i) colour.toArray(colours, 3 * i);
    g.setAttribute('color', new BufferAttribute(colours, 3));
    geometry.dispose();
    return g;
  });
  return list.length === 0 ? null : mergeGeometries(list, false);
}
