// Lines with a width in pixels, dashes in metres and an opacity along them: trails, curves of constraints, the hand's spring.
import {
  Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Float32BufferAttribute, Mesh, ShaderMaterial, Vector2,
} from 'three';

const vertex = /* glsl */ `
  attribute vec4 from;  // place, length along the line
  attribute vec4 to;
  attribute vec2 fade;  // opacity at both ends
  uniform vec2 resolution;
  uniform float width;
  varying float along;
  varying float opacity;
  varying float across;
  void main() {
    vec4 a = projectionMatrix * modelViewMatrix * vec4(from.xyz, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(to.xyz, 1.0);
    vec2 pa = a.xy / max(a.w, 1e-6) * resolution;
    vec2 pb = b.xy / max(b.w, 1e-6) * resolution;
    vec2 d = pb - pa;
    float l = length(d);
    vec2 t = l > 1e-4 ? d / l : vec2(1.0, 0.0);
    vec2 n = vec2(-t.y, t.x);
    bool far = position.x > 0.5;
    vec4 end = far ? b : a;
    end.xy += (n * position.y * (width + 1.0)) / resolution * end.w;
    along = far ? to.w : from.w;
    opacity = far ? fade.y : fade.x;
    across = position.y * (width + 1.0);
    gl_Position = (a.w < 1e-5 || b.w < 1e-5) ? vec4(2.0, 2.0, 2.0, 1.0) : end;
  }`;
const fragment = /* glsl */ `
  uniform vec3 colour;
  uniform float strength;
  uniform float width;
  uniform float dash;
  varying float along;
  varying float opacity;
  varying float across;
  void main() {
    float edge = clamp(width + 0.5 - abs(across), 0.0, 1.0);
    float on = 1.0;
    if (dash > 0.0) {
      float s = fract(along / dash);
      float w = fwidth(along / dash);
      on = smoothstep(0.0, w, s) * (1.0 - smoothstep(0.58, 0.58 + w, s));
    }
    float alpha = strength * opacity * edge * on;
    if (alpha < 0.004) discard;
    gl_FragColor = vec4(colour, alpha);
    #include <colorspace_fragment>
  }`;

/** Half the size of the canvas in CSS pixels, shared by all lines. */
export const halfCanvas = new Vector2(400, 300);

export class FatLine {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly from: InstancedBufferAttribute;
  private readonly to: InstancedBufferAttribute;
  private readonly fade: InstancedBufferAttribute;

  /** Room for that many segments. */
  constructor(readonly room: number, colour: Color, width: number, options: {dash?: number; strength?: number; onTop?: boolean} = {}) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const attribute = (n: number) => new InstancedBufferAttribute(new Float32Array(room * n), n).setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
    this.from = attribute(4);
    this.to = attribute(4);
    this.fade = attribute(2);
    geometry.setAttribute('from', this.from);
    geometry.setAttribute('to', this.to);
    geometry.setAttribute('fade', this.fade);
    geometry.instanceCount = 0;
    const material = new ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      transparent: true,
      depthWrite: false,
      depthTest: !options.onTop,
      uniforms: {
        resolution: {value: halfCanvas},
        width: {value: width / 2},
        colour: {value: colour.clone()},
        strength: {value: options.strength ?? 1},
        dash: {value: options.dash ?? 0},
      },
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = options.onTop ? 20 : 5;
  }

  /** Points x, y, z, one after the other; `opacity` of the i-th of n. */
  set(points: ArrayLike<number>, n = points.length / 3, opacity?: (i: number, n: number) => number, hidden?: (i: number) => boolean): void {
    const {from, to, fade} = this;
    const segments = Math.max(0, Math.min(n - 1, this.room));
    let along = 0;
    for (let i = 0; i < segments; ++i) {
      const x = points[3 * i]!, y = points[3 * i + 1]!, z = points[3 * i + 2]!;
      const X = points[3 * i + 3]!, Y = points[3 * i + 4]!, Z = points[3 * i + 5]!;
      const next = along + Math.hypot(X - x, Y - y, Z - z);
      from.setXYZW(i, x, y, z, along);
      to.setXYZW(i, X, Y, Z, next);
      if (hidden?.(i)) fade.setXY(i, 0, 0);
      else fade.setXY(i, opacity ? opacity(i, n) : 1, opacity ? opacity(i + 1, n) : 1);
      along = next;
    }
    this.mesh.geometry.instanceCount = segments;
    from.needsUpdate = to.needsUpdate = fade.needsUpdate = true;
  }

  setStyle(colour: Color, strength: number): void {
    (this.mesh.material.uniforms['colour']!.value as Color).copy(colour);
    this.mesh.material.uniforms['strength']!.value = strength;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
