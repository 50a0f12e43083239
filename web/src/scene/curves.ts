// Constraints: thin and dashed, brighter while they act.
import {DoubleSide, Group, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry, Vector3} from 'three';
import type {Scene} from '../link/messages';
import type {SceneColours} from './colours';
import {FatLine} from './lines';
import type {MechanismView} from './mechanism';
import {matrixOf} from './poses';
import * as solids from './solids';
import type {Trails} from './trails';

const OFF = 0.22; // opacity of what does not act
const ON = 0.85;

interface Drawn {
  constraint: number;
  line: FatLine;
  place?: () => void;
}

export class Curves {
  readonly group = new Group();
  private readonly drawn: Drawn[] = [];
  private readonly spheres: MeshBasicMaterial[] = [];
  private readonly solids: Mesh[] = [];
  private readonly places: (() => void)[] = [];
  private readonly blocks: MeshStandardMaterial;

  constructor(private readonly scene: Scene, private readonly view: MechanismView, private readonly colours: SceneColours, trails: Trails) {
    this.blocks = new MeshStandardMaterial({color: colours.ground, roughness: 0.5});
    scene.constraints.forEach((_, i) => this.draw(i, trails));
    for (const spring of scene.springs) this.spring(spring);
  }

  private add(constraint: number, points: number[], parent: Group, width = 1.6, dash = 0.05): FatLine {
    const line = new FatLine(Math.max(1, points.length / 3), this.colours.constraint, width, {
      dash: dash * this.size, strength: this.scene.constraints[constraint]?.active === false ? OFF : ON,
    });
    line.set(points);
    parent.add(line.mesh);
    this.drawn.push({constraint, line});
    return line;
  }
  private get size(): number {
    return this.view.anatomy.size;
  }

  private draw(index: number, trails: Trails): void {
    const c = this.scene.constraints[index]!;
    const curve = c.curve;
    if (!curve) return;
    const pose = curve.pose ?? c.a?.pose;
    const on = this.view.bodies[curve.pose ? curve.body : c.a?.body ?? 0];
    if (!pose || !on) return;
    const matrix = matrixOf(pose);
    const {size, view} = this;
    const at = (x: number, y: number, z: number) => new Vector3(x, y, z).applyMatrix4(matrix).toArray();
    switch (curve.kind) {
      case 'line':
      case 'pin_in_slot':
        this.add(index, [...at(0, 0, -1.6 * size), ...at(0, 0, 1.6 * size)], on);
        this.slider(c.b, on, new Vector3(0, 0, 1).transformDirection(matrix));
        break;
      case 'plane': {
        const {plane} = view.anatomy;
        const normal = new Vector3(0, 0, 1).transformDirection(matrix);
        if (plane && Math.abs(normal.dot(plane.normal)) < 0.1) {
          this.slider(c.b, on, plane.normal.clone().cross(normal));
          const along = plane.normal.clone().cross(normal).normalize().multiplyScalar(1.6 * size);
          const o = new Vector3().setFromMatrixPosition(matrix);
          this.add(index, [...o.clone().sub(along).toArray(), ...o.clone().add(along).toArray()], on);
        } else if (!plane) {
          const h = 0.9 * size;
          this.add(index, [...at(-h, -h, 0), ...at(h, -h, 0), ...at(h, h, 0), ...at(-h, h, 0), ...at(-h, -h, 0)], on);
        }
        break;
      }
      case 'circle': {
        const r = curve.radius ?? 0;
        const points: number[] = [];
        for (let i = 0; i <= 96; ++i) points.push(...at(r * Math.cos((i * Math.PI) / 48), r * Math.sin((i * Math.PI) / 48), 0));
        this.add(index, points, on);
        break;
      }
      case 'sphere': {
        const material = new MeshBasicMaterial({
          color: this.colours.constraint, transparent: true, opacity: 0.07, depthWrite: false, side: DoubleSide,
        });
        this.spheres.push(material);
        const ball = new Mesh(new SphereGeometry(curve.radius ?? 0, 48, 32).applyMatrix4(matrix), material);
        on.add(ball);
        break;
      }
      case 'distance':
        if (c.a && c.b) this.between(index, c.a, c.b);
        break;
      case 'disk':
      case 'ball':
      case 'knife_edge':
        if (c.a && c.b) this.trace(index, trails);
    }
  }

  /** A block that slides along a line of a planar linkage. */
  private slider(b: {body: number; pose: number[]} | null, on: Group, along: Vector3): void {
    const {plane, linkage} = this.view.anatomy;
    if (!plane || !linkage || !b) return;
    const {size} = this;
    const way = along.applyQuaternion(on.quaternion).normalize();
    const block = new Mesh(solids.box(0.17 * size, 0.09 * size, 0.03 * size, 0.3), this.blocks);
    block.castShadow = block.receiveShadow = true;
    block.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(way, plane.normal.clone().cross(way), plane.normal));
    this.group.add(block);
    const local = new Vector3().fromArray(b.pose);
    this.places.push(() => {
      this.view.worldOf(b.body, local, block.position);
      block.position.addScaledVector(plane.normal, -0.035 * size);
    });
    this.solids.push(block);
  }

  private between(index: number, a: {body: number; pose: number[]}, b: {body: number; pose: number[]}): void {
    const A = new Vector3(), B = new Vector3();
    const line = this.add(index, [0, 0, 0, 0, 0, 1], this.group, 2);
    this.drawn[this.drawn.length - 1]!.place = () => {
      this.view.worldOf(a.body, A.fromArray(a.pose));
      this.view.worldOf(b.body, B.fromArray(b.pose));
      line.set([A.x, A.y, A.z, B.x, B.y, B.z]);
    };
  }

  /** Where a disk, a ball or a blade touches the plane that it rolls on. */
  private trace(index: number, trails: Trails): void {
    const c = this.scene.constraints[index]!;
    const {a, b, curve} = c;
    if (!a || !b || !curve) return;
    const onA = matrixOf(a.pose), onB = matrixOf(b.pose);
    const m = new Matrix4(), n = new Vector3(), z = new Vector3();
    const r = curve.radius ?? 0;
    trails.set(`trace:${c.name}`, this.size, this.colours.constraint, 2.2, 0.8, (poses, result) => {
      m.multiplyMatrices(matrixOf(poses, 7 * a.body), onA);
      n.set(0, 0, 1).transformDirection(m);
      m.multiplyMatrices(matrixOf(poses, 7 * b.body), onB);
      z.set(0, 0, 1).transformDirection(m);
      result.setFromMatrixPosition(m);
      if (curve.kind === 'disk') {
        const down = n.clone().addScaledVector(z, -n.dot(z));
        if (down.lengthSq() < 1e-12) return null;
        result.addScaledVector(down.normalize(), -r);
      } else if (curve.kind === 'ball') {
        result.addScaledVector(n, -r);
      }
      return result.addScaledVector(n, 0.003 * this.size);
    });
  }

  /** Springs of the model: coils. */
  private spring(spring: Scene['springs'][number]): void {
    const line = new FatLine(140, this.colours.steel, 2);
    this.group.add(line.mesh);
    const A = new Vector3(), B = new Vector3();
    this.drawn.push({
      constraint: -1,
      line,
      place: () => {
        this.view.worldOf(spring.a.body, A.fromArray(spring.a.point));
        this.view.worldOf(spring.b.body, B.fromArray(spring.b.point));
        line.set(coil(A, B, 0.035 * this.size, 11));
      },
    });
  }

  advance(): void {
    for (const {place} of this.drawn) place?.();
    for (const place of this.places) place();
  }
  setActive(active: boolean[]): void {
    for (const {constraint, line} of this.drawn) {
      if (constraint >= 0 && constraint < active.length) line.setStyle(this.colours.constraint, active[constraint] ? ON : OFF);
    }
  }
  dispose(): void {
    for (const {line} of this.drawn) line.dispose();
    for (const material of this.spheres) material.dispose();
    for (const mesh of this.solids) mesh.geometry.dispose();
    this.blocks.dispose();
    this.group.removeFromParent();
  }
}

const SIDE = new Vector3(), OTHER = new Vector3(), WAY = new Vector3();
/** A coil from A to B, thinner where it is stretched. */
export function coil(A: Vector3, B: Vector3, radius: number, turns: number): number[] {
  WAY.copy(B).sub(A);
  const length = WAY.length();
  if (length < 1e-9) return [A.x, A.y, A.z, B.x, B.y, B.z];
  const rest = radius * turns * 1.2;
  const r = radius * Math.min(1, Math.sqrt(rest / Math.max(rest * 0.3, length)));
  SIDE.set(0, 0, 1).cross(WAY);
  if (SIDE.lengthSq() < 1e-12 * length * length) SIDE.set(1, 0, 0).cross(WAY);
  SIDE.normalize();
  OTHER.copy(WAY).cross(SIDE).normalize();
  const points: number[] = [A.x, A.y, A.z];
  const n = turns * 12;
  const lead = Math.min(0.12, (1.5 * radius) / length);
  for (let i = 0; i <= n; ++i) {
    const s = lead + (1 - 2 * lead) * (i / n);
    const angle = (2 * Math.PI * turns * i) / n;
    const k = r * Math.sin(Math.min(1, 4 * Math.min(i / n, 1 - i / n)) * (Math.PI / 2));
    const c = k * Math.cos(angle), d = k * Math.sin(angle);
    points.push(
      A.x + s * WAY.x + c * SIDE.x + d * OTHER.x,
      A.y + s * WAY.y + c * SIDE.y + d * OTHER.y,
      A.z + s * WAY.z + c * SIDE.z + d * OTHER.z,
    );
  }
  points.push(B.x, B.y, B.z);
  return points;
}
