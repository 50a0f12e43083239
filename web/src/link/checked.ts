// Reads what comes over the wire: a value of the type that is asked for, or a word about what does not fit.

export class Misfit extends Error {}
export type Reader<T> = (value: unknown, where: string) => T;
export type Read<R> = R extends Reader<infer T> ? T : never;

const misfit = (where: string, what: string): never => {
  throw new Misfit(`${where}: ${what}`);
};

export const number: Reader<number> = (v, w) => (typeof v === 'number' ? v : misfit(w, 'no number'));
export const text: Reader<string> = (v, w) => (typeof v === 'string' ? v : misfit(w, 'no text'));
export const truth: Reader<boolean> = (v, w) => (typeof v === 'boolean' ? v : misfit(w, 'no truth value'));
export const anything: Reader<unknown> = (v) => v;

export const list =
  <T>(item: Reader<T>, most = 100_000): Reader<T[]> =>
  (v, w) => {
    if (!Array.isArray(v)) return misfit(w, 'no list');
    if (v.length > most) return misfit(w, 'a list that is too long');
    return v.map((x, i) => item(x, `${w}[${i}]`));
  };
export const tuple =
  (n: number): Reader<number[]> =>
  (v, w) => {
    if (!Array.isArray(v) || v.length !== n) return misfit(w, `no list of ${n} numbers`);
    return v.map((x, i) => number(x, `${w}[${i}]`));
  };
export const maybe =
  <T>(item: Reader<T>): Reader<T | null> =>
  (v, w) =>
    v === null || v === undefined ? null : item(v, w);
/** Missing or null is replaced. */
export const or =
  <T>(item: Reader<T>, other: T): Reader<T> =>
  (v, w) =>
    v === null || v === undefined ? other : item(v, w);
export const word =
  <T extends string>(...words: T[]): Reader<T> =>
  (v, w) =>
    words.includes(v as T) ? (v as T) : misfit(w, `none of ${words.join(', ')}`);
export const map =
  <T>(item: Reader<T>): Reader<Record<string, T>> =>
  (v, w) => {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return misfit(w, 'no object');
    return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, item(x, `${w}.${k}`)]));
  };
export const object =
  <S extends Record<string, Reader<unknown>>>(shape: S): Reader<{[K in keyof S]: Read<S[K]>}> =>
  (v, w) => {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return misfit(w, 'no object');
    const result: Record<string, unknown> = {};
    for (const [key, read] of Object.entries(shape)) result[key] = read((v as Record<string, unknown>)[key], `${w}.${key}`);
    return result as {[K in keyof S]: Read<S[K]>};
  };
