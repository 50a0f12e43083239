// Numbers for people: SI with engineering prefixes, a fixed number of digits.

const prefixes: [number, string][] = [
  [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p'],
];
const minus = (text: string) => text.replace('-', '−');

/** Three significant digits: 0.123, 1.23, 12.3, 123. */
export function digits(x: number, n = 3): string {
  if (!Number.isFinite(x)) return '–';
  if (Math.abs(x) < 1e-24) return '0'; // nothing that is measured is so small
  const size = Math.floor(Math.log10(Math.abs(x)) + 1e-12);
  if (size < -4 || size > 6) return minus(x.toExponential(n - 1).replace('e+', 'e'));
  const rounded = Number(x.toPrecision(n));
  const shown = Math.floor(Math.log10(Math.abs(rounded)) + 1e-12);
  return minus(rounded.toFixed(Math.max(0, n - 1 - shown)));
}

/** Units that take a prefix well. Others get plain digits. */
const prefixed = new Set(['N', 'm', 's', 'J', 'Hz', 'N m', 'W', 'm/s', 'N s', 'N/m']);

const raised: Record<string, string> = {'2': '²', '3': '³', '4': '⁴'};
export const unitText = (unit: string): string => unit.replace(/\^([234])/g, (_, k: string) => raised[k] ?? k);

export function quantity(x: number, unit: string, n = 3): string {
  if (!Number.isFinite(x)) return '–';
  if (unit === 'rad') return `${digits((x * 180) / Math.PI, n)}°`;
  if (unit === 'rad/s') return `${digits((x * 180) / Math.PI, n)} °/s`;
  if (unit === '1' || unit === '') return digits(x, n);
  if (unit === 'kg' && x !== 0 && Math.abs(x) < 0.9995) return `${digits(x * 1e3, n)} g`;
  if (unit === 'm' && Math.abs(x) >= 1) return `${digits(x, n)} m`;
  if (!prefixed.has(unit) || x === 0) return `${digits(x, n)} ${unitText(unit)}`;
  for (const [size, prefix] of prefixes) {
    if (Math.abs(x) >= size * 0.9995) return `${digits(x / size, n)} ${prefix}${unit}`;
  }
  return `0 ${unit}`;
}

/** Simulated time: 0:07.25. */
export function clock(t: number): string {
  if (!Number.isFinite(t)) return '–';
  const minutes = Math.floor(t / 60);
  return `${minutes}:${(t - minutes * 60).toFixed(2).padStart(5, '0')}`;
}

/** The largest 1, 2 or 5 times a power of ten that is not above x. */
export function tidy(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}
