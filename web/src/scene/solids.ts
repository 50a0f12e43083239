// Solids of which bodies are drawn. All have their axis along z, softened edges, and a look that shows how they turn.
import {
  BufferGeometry, CapsuleGeometry, CylinderGeometry, ExtrudeGeometry, LatheGeometry, Path, Shape, SphereGeometry, TorusGeometry, Vector2,
} from 'three';
import {RoundedBoxGeometry} from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';

const HALF_TURN = Math.PI;

export function box(x: number, y: number, z: number, soft = 0.1): BufferGeometry {
  return new RoundedBoxGeometry(x, y, z, 3, soft * Math.min(x, y, z));
}

export function sphere(radius: number, fine = 1): BufferGeometry {
  return new SphereGeometry(radius, Math.round(40 * fine), Math.round(24 * fine));
}

/** Two thin rings around a ball, so that its turning is seen. */
export function ballRings(radius: number): BufferGeometry[] {
  const ring = () => new TorusGeometry(radius * 0.985, radius * 0.035, 8, 56);
  return [ring(), ring().rotateX(HALF_TURN / 2)];
}

/** A cylinder along z with softened edges. */
export function cylinder(radius: number, length: number, sides = 48): BufferGeometry {
  const soft = 0.12 * Math.min(radius, length / 2);
  const half = length / 2;
  const points = [new Vector2(0, -half), new Vector2(radius - soft, -half)];
  for (const angle of [-60, -30, 0]) {
    const a = (angle * Math.PI) / 180;
    points.push(new Vector2(radius - soft + soft * Math.cos(a), -half + soft + soft * Math.sin(a)));
  }
  for (const angle of [0, 30, 60, 90]) {
    const a = (angle * Math.PI) / 180;
    points.push(new Vector2(radius - soft + soft * Math.cos(a), half - soft + soft * Math.sin(a)));
  }
  points.push(new Vector2(0, half));
  return new LatheGeometry(points, sides).rotateX(Math.PI / 2);
}

/** A disk with five openings: one sees it roll. */
export function wheel(radius: number, width: number): BufferGeometry {
  const outline = new Shape().absarc(0, 0, radius, 0, 2 * Math.PI, false) as Shape;
  for (let i = 0; i < 5; ++i) {
    const angle = (2 * Math.PI * i) / 5;
    const hole = new Path().absarc(0.56 * radius * Math.cos(angle), 0.56 * radius * Math.sin(angle), 0.22 * radius, 0, 2 * Math.PI, true);
    outline.holes.push(hole as Path);
  }
  const soft = Math.min(0.12 * width, 0.04 * radius);
  return extruded(outline, width, soft, 40);
}

/** A tube around z: a bore, seen from outside. */
export function tube(radius: number, length: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, length, 64, 1, true).rotateX(Math.PI / 2);
}

export function capsule(radius: number, length: number): BufferGeometry {
  return new CapsuleGeometry(radius, length, 10, 28).rotateX(Math.PI / 2);
}

/** A flat link: from (-length/2, 0) to (length/2, 0) in x, round ends about them, thickness along z. */
export function link(length: number, width: number, thickness: number): BufferGeometry {
  const r = width / 2;
  const half = length / 2;
  const outline = new Shape();
  outline.absarc(half, 0, r, -Math.PI / 2, Math.PI / 2, false);
  outline.absarc(-half, 0, r, Math.PI / 2, (3 * Math.PI) / 2, false);
  return extruded(outline, thickness, 0.16 * Math.min(thickness, r), 20);
}

/** What carries a fixed pivot: a rounded triangle with its apex about the pivot, its foot below (-y). */
export function pedestal(radius: number, height: number, foot: number, thickness: number): BufferGeometry {
  // Sides touch the circle about the pivot: from the foot's corner (foot/2, -height) to the tangent point.
  const corner = Math.hypot(foot / 2, height);
  const towards = Math.atan2(-height, foot / 2);
  const spread = Math.acos(Math.min(1, radius / corner));
  const right = towards + spread;
  const outline = new Shape();
  outline.moveTo(-foot / 2, -height);
  outline.lineTo(foot / 2, -height);
  outline.lineTo(radius * Math.cos(right), radius * Math.sin(right));
  outline.absarc(0, 0, radius, right, Math.PI - right, false);
  outline.closePath();
  return extruded(outline, thickness, 0.1 * Math.min(thickness, radius), 16);
}

function extruded(outline: Shape, thickness: number, soft: number, segments: number): BufferGeometry {
  const geometry = new ExtrudeGeometry(outline, {
    depth: thickness - 2 * soft,
    bevelEnabled: true,
    bevelThickness: soft,
    bevelSize: soft,
    bevelOffset: -soft,
    bevelSegments: 2,
    curveSegments: segments,
  });
  return geometry.translate(0, 0, -thickness / 2 + soft);
}

/** A rod between two places that is thicker where it begins: the upper arm of a robot without shapes of its own. */
export function taperedRod(from: number, to: number, length: number): BufferGeometry {
  const points: Vector2[] = [];
  for (let i = 0; i <= 8; ++i) {
    const a = -Math.PI / 2 + (i / 8) * (Math.PI / 2);
    points.push(new Vector2(from * Math.cos(a), -length / 2 + from * Math.sin(a)));
  }
  for (let i = 0; i <= 8; ++i) {
    const a = (i / 8) * (Math.PI / 2);
    points.push(new Vector2(to * Math.cos(a), length / 2 + to * Math.sin(a)));
  }
  return new LatheGeometry(points, 32).rotateX(Math.PI / 2);
}

/** A flat plate around points in the x-y plane: their hull, made wider by r, thickness along z. Two points give a link. */
export function plate(points: Vector2[], r: number, thickness: number): BufferGeometry {
  const hull = convexHull(points);
  const outline = new Shape();
  if (hull.length < 2) {
    const centre = hull[0] ?? new Vector2();
    outline.absarc(centre.x, centre.y, r, 0, 2 * Math.PI, false);
  } else {
    for (let i = 0; i < hull.length; ++i) {
      const before = hull[(i + hull.length - 1) % hull.length]!;
      const here = hull[i]!;
      const after = hull[(i + 1) % hull.length]!;
      const from = Math.atan2(here.y - before.y, here.x - before.x) - Math.PI / 2;
      let to = Math.atan2(after.y - here.y, after.x - here.x) - Math.PI / 2;
      while (to < from) to += 2 * Math.PI;
      outline.absarc(here.x, here.y, r, from, to, false);
    }
  }
  return extruded(outline, thickness, 0.16 * Math.min(thickness, r), 14);
}

/** Counter-clockwise (monotone chain). */
function convexHull(points: Vector2[]): Vector2[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const unique = sorted.filter((p, i) => i === 0 || p.distanceTo(sorted[i - 1]!) > 1e-9);
  if (unique.length < 3) return unique;
  const half = (list: Vector2[]) => {
    const chain: Vector2[] = [];
    for (const p of list) {
      while (chain.length >= 2) {
        const a = chain[chain.length - 2]!;
        const b = chain[chain.length - 1]!;
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 1e-12) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(unique), ...half([...unique].reverse())];
}
