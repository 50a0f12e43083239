// What the mechanism stands on or hangs before: a plane that takes its shadow, with a grid in metres that fades with distance.
import {Color, DoubleSide, Group, Matrix4, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2, Vector3} from 'three';
import type {SceneColours} from './colours';

const vertex = /* glsl */ `
  varying vec2 place;
  uniform vec2 origin;
  void main() {
    place = position.xy + origin;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const fragment = /* glsl */ `
  uniform float cell;
  uniform float strength;
  uniform float reach;
  uniform vec3 colour;
  uniform vec2 middle;
  varying vec2 place;
  float lines(vec2 p, float pixels) {
    vec2 w = fwidth(p);
    vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
    vec2 line = clamp(pixels + 0.5 - d, 0.0, 1.0) * (1.0 - smoothstep(0.25, 0.5, w));
    return max(line.x, line.y);
  }
  void main() {
    float fine = lines(place / cell, 0.5);
    float coarse = lines(place / (5.0 * cell), 0.5);
    float far = 1.0 - smoothstep(0.35, 1.0, length(place - middle) / reach);
    float alpha = strength * max(0.55 * fine, 1.25 * coarse) * far;
    if (alpha < 0.003) discard;
    gl_FragColor = vec4(colour, alpha);
    #include <colorspace_fragment>
  }`;

export class Floor {
  readonly group = new Group();
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shade: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly right = new Vector3();
  private readonly forward = new Vector3();
  private readonly normal = new Vector3();
  private readonly origin = new Vector3();

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        cell: {value: 0.1}, strength: {value: 0.2}, reach: {value: 10}, colour: {value: new Color()}, middle: {value: new Vector2()},
        origin: {value: new Vector2()},
      },
    });
    this.grid = new Mesh(new PlaneGeometry(1, 1), material);
    this.shade = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({opacity: 0.2, depthWrite: false}));
    this.shade.receiveShadow = true;
    this.grid.renderOrder = -2;
    this.shade.renderOrder = -1;
    this.group.add(this.shade, this.grid);
  }

  setPlane(origin: Vector3, normal: Vector3, up: Vector3): void {
    this.origin.copy(origin);
    this.normal.copy(normal).normalize();
    this.right.copy(up).cross(normal).normalize();
    this.forward.copy(this.normal).cross(this.right);
  }
  setColours(colours: SceneColours): void {
    (this.grid.material.uniforms['colour']!.value as Color).copy(colours.grid);
    this.grid.material.uniforms['strength']!.value = colours.gridStrength;
    this.shade.material.opacity = colours.shadow;
  }

  /** Around where one looks; cells of that size. */
  follow(target: Vector3, cell: number, reach: number): void {
    const u = this.grid.material.uniforms;
    const rel = target.clone().sub(this.origin);
    // The plane is moved by whole cells: its lines stay where they are.
    const whole = 10 * cell;
    const x = Math.round(rel.dot(this.right) / whole) * whole;
    const y = Math.round(rel.dot(this.forward) / whole) * whole;
    const at = this.origin.clone().addScaledVector(this.right, x).addScaledVector(this.forward, y);
    const matrix = new Matrix4().makeBasis(this.right, this.forward, this.normal);
    for (const mesh of [this.grid, this.shade]) {
      mesh.quaternion.setFromRotationMatrix(matrix);
      mesh.position.copy(at);
      mesh.scale.setScalar(1);
    }
    const size = 2.2 * reach;
    if ((this.grid.userData['size'] as number | undefined) !== size) {
      this.grid.geometry.dispose();
      this.grid.geometry = new PlaneGeometry(size, size);
      this.shade.geometry = this.grid.geometry;
      this.grid.userData['size'] = size;
    }
    u['cell']!.value = cell;
    u['reach']!.value = reach;
    (u['middle']!.value as Vector2).set(rel.dot(this.right) - x, rel.dot(this.forward) - y);
    (u['origin']!.value as Vector2).set(0, 0);
  }
}
