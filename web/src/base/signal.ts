// A value that tells when it changes.

export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();
  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }
  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of [...this.listeners]) listener(value);
  }
  /** Called now and at every change. */
  watch(listener: (value: T) => void): () => void {
    listener(this.current);
    return this.listen(listener);
  }
  /** Called at every change. */
  listen(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** A setting that this browser remembers. What is stored and no longer fits is forgotten. */
export function remembered<T>(key: string, initial: T, fits: (value: unknown) => value is T): Signal<T> {
  const name = `tactus.${key}`;
  let first = initial;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    if (fits(stored)) first = stored;
  } catch {
    // storage is off or holds something else: the initial value it is
  }
  const signal = new Signal(first);
  signal.listen((value) => {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // not remembered, then
    }
  });
  return signal;
}

export const isBoolean = (x: unknown): x is boolean => typeof x === 'boolean';
export const isNumber = (x: unknown): x is number => typeof x === 'number' && Number.isFinite(x);
export const isTexts = (x: unknown): x is string[] => Array.isArray(x) && x.every((y) => typeof y === 'string');
export const isOneOf =
  <T extends string>(...words: T[]) =>
  (x: unknown): x is T =>
    words.includes(x as T);
export const isRecordOf =
  <T>(fits: (y: unknown) => y is T) =>
  (x: unknown): x is Record<string, T> =>
    typeof x === 'object' && x !== null && !Array.isArray(x) && Object.values(x).every(fits);
