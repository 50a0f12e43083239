// Poses as seven numbers: place and quaternion (w, x, y, z).
import {Matrix4, Quaternion, Vector3} from 'three';

export const placeOf = (pose: ArrayLike<number>, at = 0, result = new Vector3()): Vector3 =>
  result.set(pose[at]!, pose[at + 1]!, pose[at + 2]!);
export const turnOf = (pose: ArrayLike<number>, at = 0, result = new Quaternion()): Quaternion =>
  result.set(pose[at + 4]!, pose[at + 5]!, pose[at + 6]!, pose[at + 3]!);
export const matrixOf = (pose: ArrayLike<number>, at = 0): Matrix4 =>
  new Matrix4().compose(placeOf(pose, at), turnOf(pose, at), new Vector3(1, 1, 1));
export const vectorOf = (v: ArrayLike<number>): Vector3 => new Vector3(v[0], v[1], v[2]);
