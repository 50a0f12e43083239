// A mechanism as it is seen: one group per body, moved by poses.
import {
  BackSide, Box3, BufferGeometry, DoubleSide, Group, Matrix4, Mesh, MeshStandardMaterial, Raycaster, ShaderMaterial, Vector3, Color,
} from 'three';
import type {Scene} from '../link/messages';
import {Anatomy, merged} from './anatomy';
import type {SceneColours} from './colours';
import {placeOf, turnOf} from './poses';
import {halfCanvas} from './lines';
import type {Meshes} from './meshes';

export interface Hit {
  body: number;
  point: Vector3; // world
  local: Vector3; // body axes
  distance: number;
}

export class MechanismView {
  readonly group = new Group();
  readonly bodies: Group[] = [];
  readonly anatomy: Anatomy;
  private readonly solid = new MeshStandardMaterial({vertexColors: true, roughness: 0.52, metalness: 0.05});
  private readonly lit = new MeshStandardMaterial({vertexColors: true, roughness: 0.45, metalness: 0.05, emissiveIntensity: 1});
  private readonly glass: MeshStandardMaterial[] = [];
  private readonly rim: ShaderMaterial;
  private readonly rims: (Mesh | null)[] = [];
  private readonly meshes: (Mesh | null)[] = [];
  private ghostBody = -1;
  private ghostMesh: Mesh | null = null;
  private readonly ghostMaterial: MeshStandardMaterial;
  private hovered = -1;

  constructor(readonly scene: Scene, colours: SceneColours, meshes: Meshes = new Map()) {
    this.anatomy = new Anatomy(scene, colours, meshes);
    this.lit.emissive = new Color(colours.lift > 0 ? '#243244' : '#10243c');
    this.rim = rimMaterial(colours.lift > 0 ? '#9cc6fb' : '#1a5fb4');
    this.ghostMaterial = new MeshStandardMaterial({
      color: colours.force, transparent: true, opacity: 0.16, depthWrite: false, roughness: 1,
    });
    scene.bodies.forEach((body, i) => {
      const group = new Group();
      group.name = body.name;
      const drawn = this.anatomy.bodies[i]!;
      const shift = this.shiftOf(i);
      const opaque = drawn.parts.filter((p) => p.opacity >= 0.999);
      const geometry = merged(opaque);
      let mesh: Mesh | null = null;
      if (geometry) {
        mesh = new Mesh(geometry, this.solid);
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.position.copy(shift);
        mesh.userData['body'] = i;
        group.add(mesh);
        if (i > 0) {
          const rim = new Mesh(geometry, this.rim);
          rim.position.copy(shift);
          rim.visible = false;
          group.add(rim);
          this.rims[i] = rim;
        }
      }
      this.meshes[i] = mesh;
      for (const part of drawn.parts) {
        if (part.opacity >= 0.999) continue;
        const material = new MeshStandardMaterial({
          color: part.colour, transparent: true, opacity: part.opacity, depthWrite: false, side: DoubleSide, roughness: 0.4,
        });
        this.glass.push(material);
        const mesh = new Mesh(part.geometry, material);
        mesh.position.copy(shift);
        mesh.userData['body'] = i;
        group.add(mesh);
      }
      this.bodies.push(group);
      this.group.add(group);
      group.matrixAutoUpdate = false;
      this.setPose(i, body.pose, 0);
    });
  }

  private shiftOf(index: number): Vector3 {
    const {plane, shift} = this.anatomy;
    const amount = shift[index] ?? 0;
    if (!plane || amount === 0) return new Vector3();
    return plane.normal.clone().applyQuaternion(turnOf(this.scene.bodies[index]!.pose).invert()).multiplyScalar(amount);
  }

  setPose(index: number, poses: ArrayLike<number>, at: number): void {
    const group = this.bodies[index]!;
    placeOf(poses, at, group.position);
    turnOf(poses, at, group.quaternion);
    group.updateMatrix();
  }
  setPoses(poses: ArrayLike<number>): void {
    const n = Math.min(this.bodies.length, poses.length / 7);
    for (let i = 1; i < n; ++i) this.setPose(i, poses, 7 * i);
  }

  /** Lowest place of what is drawn along a direction, at the start. */
  lowest(direction: Vector3): number {
    let low = Infinity;
    const p = new Vector3();
    this.group.updateMatrixWorld(true);
    this.group.traverse((child) => {
      if (!(child instanceof Mesh) || child.userData['body'] === undefined) return;
      const geometry = child.geometry as BufferGeometry;
      geometry.computeBoundingBox();
      const {min, max} = geometry.boundingBox!;
      for (let k = 0; k < 8; ++k) {
        p.set(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(child.matrixWorld);
        low = Math.min(low, p.dot(direction));
      }
    });
    return low;
  }

  /** Around all bodies that move, at the start. */
  bounds(): Box3 {
    const box = new Box3(), one = new Box3();
    this.group.updateMatrixWorld(true);
    for (const group of this.bodies.slice(1)) {
      group.traverse((child) => {
        if (!(child instanceof Mesh) || child.userData['body'] === undefined) return;
        const geometry = child.geometry as BufferGeometry;
        geometry.computeBoundingBox();
        box.union(one.copy(geometry.boundingBox!).applyMatrix4(child.matrixWorld));
      });
    }
    return box;
  }

  pick(raycaster: Raycaster): Hit | null {
    this.group.updateMatrixWorld();
    const hits = raycaster.intersectObject(this.group, true);
    for (const hit of hits) {
      const body = hit.object.userData['body'] as number | undefined;
      if (body === undefined) continue;
      const glass = hit.object instanceof Mesh && (hit.object.material as MeshStandardMaterial).transparent;
      if (body === 0) {
        if (glass) continue;
        return null; // the ground is in front
      }
      if (this.scene.bodies[body]!.fixed) continue;
      return this.hitAt(body, hit.point, hit.distance);
    }
    return null;
  }
  /** In a planar scene the hand pulls in the plane of motion, whatever layer was touched. */
  hitAt(body: number, point: Vector3, distance: number): Hit {
    const group = this.bodies[body]!;
    const p = point.clone();
    const {plane} = this.anatomy;
    if (plane) p.addScaledVector(plane.normal, plane.point.clone().sub(p).dot(plane.normal));
    return {body, point: p, local: p.clone().applyMatrix4(new Matrix4().copy(group.matrix).invert()), distance};
  }

  worldOf(body: number, local: Vector3, result = new Vector3()): Vector3 {
    return result.copy(local).applyMatrix4(this.bodies[body]!.matrix);
  }

  hover(body: number): void {
    if (body === this.hovered) return;
    const set = (i: number, on: boolean) => {
      const mesh = this.meshes[i];
      if (mesh) mesh.material = on ? this.lit : this.solid;
      const rim = this.rims[i];
      if (rim) rim.visible = on;
    };
    if (this.hovered >= 0) set(this.hovered, false);
    if (body >= 0) set(body, true);
    this.hovered = body;
  }

  /** A pale copy of a body where the hand wants it. */
  ghost(body: number, shift: Vector3): void {
    if (body !== this.ghostBody) {
      this.ghostMesh?.removeFromParent();
      this.ghostMesh = null;
      this.ghostBody = body;
      const mesh = body > 0 ? this.meshes[body] : null;
      if (mesh) {
        this.ghostMesh = new Mesh(mesh.geometry, this.ghostMaterial);
        this.ghostMesh.matrixAutoUpdate = false;
        this.group.add(this.ghostMesh);
      }
    }
    if (!this.ghostMesh) return;
    const group = this.bodies[body]!;
    this.ghostMesh.matrix.copy(group.matrix).multiply(new Matrix4().setPosition(this.meshes[body]!.position));
    this.ghostMesh.matrix.elements[12] += shift.x;
    this.ghostMesh.matrix.elements[13] += shift.y;
    this.ghostMesh.matrix.elements[14] += shift.z;
    this.ghostMesh.visible = shift.length() > 0.03 * this.anatomy.size;
  }

  dispose(): void {
    this.group.traverse((child) => {
      if (child instanceof Mesh) (child.geometry as BufferGeometry).dispose();
    });
    for (const material of [this.solid, this.lit, this.rim, this.ghostMaterial, ...this.glass]) material.dispose();
    this.group.removeFromParent();
  }
}

/** A line around a body: its back, blown up by two pixels. */
function rimMaterial(colour: string): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide,
    uniforms: {colour: {value: new Color(colour)}, resolution: {value: halfCanvas}},
    vertexShader: /* glsl */ `
      uniform vec2 resolution;
      void main() {
        vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        vec2 n = (projectionMatrix * vec4(normalize(normalMatrix * normal), 0.0)).xy * resolution;
        float l = length(n);
        if (l > 1e-5) p.xy += n / l * 2.0 / resolution * p.w;
        gl_Position = p;
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 colour;
      void main() {
        gl_FragColor = vec4(colour, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
