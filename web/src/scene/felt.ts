// What a point weighs, as an ellipsoid: long where it is light, flat where it is heavy, r = 1/sqrt(m), Asada's ellipsoid of inertia; the lightest direction is
// always as long, the numbers stand in the panel. Directions in which the point cannot move have a bar before either end.
import {Color, Group, Matrix4, Mesh, MeshBasicMaterial, SphereGeometry, Vector3} from 'three';
import type {Felt} from '../link/messages';
import type {Eye} from './eye';
import {FatLine} from './lines';

const LONGEST = 38; // [px] the lightest direction's half
const LEAST = 1.2; // [px] a direction that is blocked
const AROUND = 48; // segments of a ring
const BAR_AT = 15; // [px] of a bar from the point
const BAR = 7; // [px] half its length
const CALM = 0.35; // of the way to the newest, in a picture
const ROOM = 3 * (AROUND + 1) + 6 * 2;

const ball = new SphereGeometry(1, 28, 18);

/** Radii [px] by the masses. */
export function radii(masses: (number | null)[]): number[] {
  const least = Math.min(...masses.map((m) => (m === null || !(m > 0) ? Infinity : m)));
  return masses.map((m) => (m === null || !(m > 0) || !Number.isFinite(least) ? LEAST : Math.max(LEAST, LONGEST * Math.sqrt(least / m))));
}

export class FeltView {
  readonly group = new Group();
  private readonly fill: Mesh<SphereGeometry, MeshBasicMaterial>;
  private readonly rings: FatLine;
  private readonly shape = new Float64Array(9); // sum of r d d^T, that goes calmly to the newest
  private known = false;

  constructor(colour: Color) {
    this.fill = new Mesh(ball, new MeshBasicMaterial({color: colour, transparent: true, opacity: 0.13, depthTest: false, depthWrite: false, toneMapped: false}));
    this.fill.matrixAutoUpdate = false;
    this.fill.renderOrder = 18;
    this.fill.frustumCulled = false;
    this.rings = new FatLine(ROOM, colour, 1.3, {onTop: true, strength: 0.85});
    this.group.add(this.fill, this.rings.mesh);
    this.group.visible = false;
  }

  setColour(colour: Color): void {
    this.fill.material.color.copy(colour);
    this.rings.setStyle(colour, 0.85);
  }

  show(felt: Felt | null, at: Vector3, eye: Eye): void {
    this.group.visible = felt !== null;
    if (!felt) {
      this.known = false;
      return;
    }
    const r = radii(felt.masses);
    const {shape} = this;
    for (let i = 0; i < 3; ++i) {
      for (let j = 0; j < 3; ++j) {
        let sum = 0;
        for (let k = 0; k < 3; ++k) sum += r[k]! * felt.directions[k]![i]! * felt.directions[k]![j]!;
        const s = 3 * i + j;
        shape[s] = this.known ? shape[s]! + CALM * (sum - shape[s]!) : sum;
      }
    }
    this.known = true;
    const {pixel} = eye;
    const m = (i: number, j: number) => shape[3 * i + j]! * pixel;
    this.fill.matrix.copy(new Matrix4().set(m(0, 0), m(0, 1), m(0, 2), at.x, m(1, 0), m(1, 1), m(1, 2), at.y, m(2, 0), m(2, 1), m(2, 2), at.z, 0, 0, 0, 1));
    this.fill.matrixWorldNeedsUpdate = true;
    this.draw(felt, at, pixel, eye.axes().back);
  }

  private draw(felt: Felt, at: Vector3, pixel: number, back: Vector3): void {
    const points: number[] = [];
    const gaps = new Set<number>();
    const put = (v: Vector3) => points.push(v.x, v.y, v.z);
    const d = felt.directions.map((x) => new Vector3().fromArray(x));
    const place = new Vector3(), image = new Vector3();
    const {shape} = this;
    const mapped = (v: Vector3) =>
      image.set(
        shape[0]! * v.x + shape[1]! * v.y + shape[2]! * v.z, shape[3]! * v.x + shape[4]! * v.y + shape[5]! * v.z, shape[6]! * v.x + shape[7]! * v.y + shape[8]! * v.z,
      ).multiplyScalar(pixel).add(at);
    const lift = () => gaps.add(points.length / 3 - 1);
    for (const [a, b] of [[0, 1], [0, 2], [1, 2]] as const) {
      if (felt.masses[a] === null && felt.masses[b] === null) continue;
      for (let k = 0; k <= AROUND; ++k) {
        const angle = (2 * Math.PI * k) / AROUND;
        put(mapped(place.copy(d[a]!).multiplyScalar(Math.cos(angle)).addScaledVector(d[b]!, Math.sin(angle))));
      }
      lift();
    }
    felt.masses.forEach((mass, k) => {
      if (mass !== null) return;
      const across = new Vector3().crossVectors(d[k]!, back);
      if (across.length() < 0.2) return; // it is looked along
      across.setLength(BAR * pixel);
      for (const end of [-1, 1]) {
        place.copy(at).addScaledVector(d[k]!, end * BAR_AT * pixel);
        put(image.copy(place).sub(across));
        put(image.copy(place).add(across));
        lift();
      }
    });
    this.rings.set(points, points.length / 3, undefined, (i) => gaps.has(i));
  }
}
