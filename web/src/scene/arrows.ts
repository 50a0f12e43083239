// Forces as arrows, all to one scale. As thick as the screen wants them, whatever the zoom.
import {Color, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3} from 'three';

const shaft = new CylinderGeometry(1, 1, 1, 20).translate(0, 0.5, 0);
const head = new ConeGeometry(1, 1, 28).translate(0, 0.5, 0);
const dot = new SphereGeometry(1, 20, 14);
const Y = new Vector3(0, 1, 0);

class Arrow {
  readonly group = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly dot: Mesh;
  constructor(material: MeshBasicMaterial) {
    this.shaft = new Mesh(shaft, material);
    this.head = new Mesh(head, material);
    this.dot = new Mesh(dot, material);
    for (const mesh of [this.shaft, this.head, this.dot]) mesh.renderOrder = 15;
    this.group.add(this.shaft, this.head, this.dot);
  }
  /** From a point along a vector [m]; thickness by the pixel [m]. The arrow ends at the point where `into` says so. */
  set(at: Vector3, along: Vector3, pixel: number, into: boolean, withDot: boolean): void {
    const length = along.length();
    const tip = 13 * pixel;
    const shown = length > 2 * pixel;
    this.group.visible = shown || withDot;
    this.dot.visible = withDot;
    this.dot.scale.setScalar(4.5 * pixel);
    this.shaft.visible = shown && length > 0.6 * tip;
    this.head.visible = shown;
    this.group.position.copy(at);
    if (!shown) {
      this.group.quaternion.identity();
      return;
    }
    const h = Math.min(tip, length);
    const start = into ? -length : 0;
    this.group.quaternion.copy(new Quaternion().setFromUnitVectors(Y, along.clone().divideScalar(length)));
    this.shaft.position.set(0, start, 0);
    this.shaft.scale.set(2 * pixel, Math.max(1e-9, length - h * 0.9), 2 * pixel);
    this.head.position.set(0, start + length - h, 0);
    this.head.scale.set(0.42 * h, h, 0.42 * h);
  }
}

export class Arrows {
  readonly group = new Group();
  private readonly material: MeshBasicMaterial;
  private readonly pool: Arrow[] = [];
  private used = 0;

  constructor(colour: Color, private readonly most: number) {
    this.material = new MeshBasicMaterial({color: colour, depthTest: false, transparent: true, toneMapped: false});
  }
  setColour(colour: Color): void {
    this.material.color.copy(colour);
  }
  begin(): void {
    this.used = 0;
  }
  add(at: Vector3, along: Vector3, pixel: number, options: {into?: boolean; dot?: boolean} = {}): void {
    if (this.used >= this.most) return;
    let arrow = this.pool[this.used];
    if (!arrow) {
      arrow = new Arrow(this.material);
      this.pool.push(arrow);
      this.group.add(arrow.group);
    }
    ++this.used;
    arrow.set(at, along, pixel, options.into ?? false, options.dot ?? false);
  }
  end(): void {
    for (let i = this.used; i < this.pool.length; ++i) this.pool[i]!.group.visible = false;
  }
}
