// Triangles of shapes that have a file. The server sends them by number (docs/protocol.md); they come after the scene, which is drawn without them first.
import {BufferAttribute, BufferGeometry} from 'three';
import {toCreasedNormals} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type {Scene} from '../link/messages';

/** By their numbers in the scene. */
export type Meshes = ReadonlyMap<number, BufferGeometry>;

const SMOOTHED = 60_000; // triangles; larger meshes are drawn with flat ones, which are small then

/** Null where the bytes are not what they should be. */
export function readMesh(bytes: ArrayBuffer): BufferGeometry | null {
  if (bytes.byteLength < 8) return null;
  const [corners = 0, triangles = 0] = new Uint32Array(bytes, 0, 2);
  if (triangles === 0 || bytes.byteLength !== 8 + 12 * corners + 12 * triangles) return null;
  const positions = new Float32Array(bytes, 8, 3 * corners);
  const index = new Uint32Array(bytes, 8 + 12 * corners, 3 * triangles);
  if (!positions.every(Number.isFinite) || !index.every((i) => i < corners)) return null;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  const flat = geometry.toNonIndexed();
  if (triangles <= SMOOTHED) return toCreasedNormals(flat, 0.6);
  flat.computeVertexNormals();
  return flat;
}

/** All meshes of a scene; those that do not come are left out. */
export async function fetchMeshes(scene: Scene): Promise<Meshes> {
  const wanted = new Set<number>();
  for (const body of scene.bodies) for (const shape of body.shapes) if (shape.mesh !== null) wanted.add(shape.mesh);
  const meshes = new Map<number, BufferGeometry>();
  await Promise.all([...wanted].map(async (mesh) => {
    try {
      const answer = await fetch(`./meshes/${scene.id}-${mesh}`);
      const geometry = answer.ok ? readMesh(await answer.arrayBuffer()) : null;
      if (geometry) meshes.set(mesh, geometry);
    } catch {
      // The connection is lost: that is said elsewhere.
    }
  }));
  return meshes;
}
