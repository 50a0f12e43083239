// Root loci: the poles of a loop in the complex plane, followed over one error of the model.
import {digits, tidy} from '../base/numbers';
import type {Loci} from '../link/messages';

export type Locus = Loci['loci'][number];
type Root = (number | null)[];

export const ERRORS: Record<string, string> = {
  alpha: 'α, error of K (weight, stiffness)', beta: 'β, error of C (rates, friction)', gamma: 'γ, error of M (masses)',
};
const LETTER: Record<string, string> = {alpha: 'α', beta: 'β', gamma: 'γ'};

/** Up to which error the loop is stable, in words. */
export function limitWords(l: Locus): string {
  const name = LETTER[l.error] ?? l.error;
  if (!l.stable) return 'Not stable, even with a model that is right.';
  const low = l.lower === null ? null : digits(l.lower, 4);
  const high = l.upper === null ? null : digits(l.upper, 4);
  if (low !== null && high !== null) return `Stable for ${name} from ${low} to ${high}; 1 is right.`;
  if (high !== null) return `Stable for ${name} below ${high}; 1 is right.`;
  if (low !== null) return `Stable for ${name} above ${low}; 1 is right.`;
  return `Stable for every ${name} from ${digits(l.farthest[0]!, 2)} to ${digits(l.farthest[1]!, 2)}.`;
}

/** The error that the loop bears least. */
export function tightest(loci: Locus[]): string {
  const room = (l: Locus) => Math.min(l.lower === null ? Infinity : 1 - l.lower, l.upper === null ? Infinity : l.upper - 1);
  return loci.reduce<Locus | null>((best, l) => (best === null || room(l) < room(best) ? l : best), null)?.error ?? '';
}

/** What is to be seen: all roots near the right model, and the axis; far ones are cut off. */
export function frameOf(locus: Locus | null, closed: Root[]): {left: number; right: number; high: number} {
  const sizes = closed.map(([a, b]) => Math.hypot(a ?? 0, b ?? 0)).filter((x) => Number.isFinite(x) && x > 0);
  const size = Math.max(1, ...sizes);
  let left = -1.3 * size, right = 0.35 * size, high = Math.max(0.6 * size, 1.2 * Math.max(0, ...closed.map(([, b]) => Math.abs(b ?? 0))));
  for (const at of locus?.roots ?? []) {
    for (const [a, b] of at) {
      if (a === null || a === undefined || b === null || b === undefined) continue;
      left = Math.max(-2.2 * size, Math.min(left, 1.08 * a));
      right = Math.min(1.2 * size, Math.max(right, 1.08 * a));
      high = Math.min(2.2 * size, Math.max(high, 1.08 * Math.abs(b)));
    }
  }
  return {left, right, high};
}

export function drawLocus(canvas: HTMLCanvasElement, locus: Locus | null, closed: Root[], period: number): void {
  const ratio = Math.min(2, devicePixelRatio);
  const w = canvas.clientWidth, H = canvas.clientHeight;
  canvas.width = w * ratio;
  canvas.height = H * ratio;
  const g = canvas.getContext('2d');
  if (!g || w === 0) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  g.scale(ratio, ratio);
  g.font = `11px ${style.fontFamily}`;
  const {left, right, high} = frameOf(locus, closed);
  // One scale for both directions, so that angles are damping ratios.
  const scale = Math.min((w - 8) / (right - left), (H - 8) / (2 * high));
  const cx = w / 2 - (scale * (left + right)) / 2, cy = H / 2;
  const x = (a: number) => cx + scale * a, y = (b: number) => cy - scale * b;
  g.fillStyle = colour('--bad-soft');
  g.fillRect(x(0), 0, Math.max(0, w - x(0)), H);
  const step = tidy((right - left) / 3.5);
  g.strokeStyle = colour('--line');
  g.fillStyle = colour('--text-2');
  g.lineWidth = 1;
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    g.beginPath();
    g.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
    g.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    g.stroke();
  };
  for (let a = step * Math.ceil((0 - cx) / scale / step); x(a) <= w; a += step) line(x(a), 0, x(a), H);
  for (let b = step * Math.ceil((cy - H) / scale / step); y(b) >= 0; b += step) line(0, y(b), w, y(b));
  g.strokeStyle = colour('--line-strong');
  line(x(0), 0, x(0), H);
  line(0, cy, w, cy);
  g.textAlign = 'center';
  for (let a = step * Math.ceil((0 - cx) / scale / step); x(a) <= w - 14; a += step) if (Math.abs(a) > step / 2 && x(a) > 14) g.fillText(digits(a, 2), x(a), cy + 13);
  g.textAlign = 'left';
  for (let b = step; y(b) > 14; b += step) g.fillText(`${digits(b, 2)} j`, Math.min(w - 40, x(0) + 4), y(b) + 4);
  if (period > 0 && Math.PI / period < high) {
    g.setLineDash([4, 4]);
    for (const b of [-1, 1]) line(0, y((b * Math.PI) / period), w, y((b * Math.PI) / period));
    g.setLineDash([]);
  }
  if (locus) {
    const stableColour = colour('--accent'), unstable = colour('--bad');
    for (let i = 0; i < locus.values.length; ++i) {
      const error = locus.values[i]!;
      const outside = (locus.lower !== null && error < locus.lower) || (locus.upper !== null && error > locus.upper) || !locus.stable;
      g.fillStyle = outside ? unstable : stableColour;
      g.globalAlpha = 0.35 + 0.5 * (i / locus.values.length);
      for (const [a, b] of locus.roots[i]!) {
        if (a === null || a === undefined || b === null || b === undefined) continue;
        g.beginPath();
        g.arc(x(a), y(b), 1.7, 0, 2 * Math.PI);
        g.fill();
      }
    }
    g.globalAlpha = 1;
  }
  g.strokeStyle = colour('--text');
  g.lineWidth = 1.6;
  for (const [a, b] of closed) {
    if (a === null || a === undefined || b === null || b === undefined) continue;
    const px = x(a), py = y(b);
    g.beginPath();
    g.moveTo(px - 4, py - 4);
    g.lineTo(px + 4, py + 4);
    g.moveTo(px + 4, py - 4);
    g.lineTo(px - 4, py + 4);
    g.stroke();
  }
  g.fillStyle = colour('--text-2');
  g.textAlign = 'left';
  if (locus) {
    const name = LETTER[locus.error] ?? locus.error;
    g.fillText(`${name} from ${digits(locus.values[0]!, 2)} to ${digits(locus.values.at(-1)!, 2)}`, 6, H - 6);
  }
  g.textAlign = 'right';
  if (w - x(0) > 60) g.fillText('unstable', w - 5, 13);
}
