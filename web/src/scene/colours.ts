// Colours of the scene, by theme. Bodies: those of the model file, or five that are told apart by all eyes (after Okabe and Ito).
import {Color} from 'three';

export interface SceneColours {
  bodies: Color[];
  steel: Color; // joints' pins
  ground: Color; // pedestals, rails, walls
  grid: Color;
  gridStrength: number;
  constraint: Color;
  contact: Color;
  force: Color;
  trail: Color;
  felt: Color; // masses at a point
  shadow: number; // opacity
  key: number; // strength of the lamp
  around: number; // of the light from everywhere
  lift: number; // how much the file's colours are brightened
}

const rgb = (...codes: string[]) => codes.map((code) => new Color(code));

export const light: SceneColours = {
  bodies: rgb('#2f6db3', '#d9822b', '#2a9187', '#b5527f', '#7a6bb0'),
  steel: new Color('#535a63'),
  ground: new Color('#8d9299'),
  grid: new Color('#6d6a61'),
  gridStrength: 0.16,
  constraint: new Color('#6a4fa3'),
  contact: new Color('#d4380d'),
  force: new Color('#d9480f'),
  trail: new Color('#2f6db3'),
  felt: new Color('#22282e'),
  shadow: 0.2,
  key: 1.75,
  around: 0.62,
  lift: 0,
};

export const dark: SceneColours = {
  bodies: rgb('#5b9be0', '#eca14f', '#4bb8ac', '#d97aa5', '#a394dd'),
  steel: new Color('#b6bec7'),
  ground: new Color('#6a727b'),
  grid: new Color('#a7b0ba'),
  gridStrength: 0.2,
  constraint: new Color('#b9a2f0'),
  contact: new Color('#ff7a45'),
  force: new Color('#ff8f57'),
  trail: new Color('#78b0f5'),
  felt: new Color('#eef1f4'),
  shadow: 0.42,
  key: 1.7,
  around: 0.5,
  lift: 0.18,
};

/** The colour of a body's shape: the file's, a little calmer and, in the dark, a little lighter; or the palette's. */
export function shapeColour(code: string | null, index: number, colours: SceneColours): {colour: Color; opacity: number} {
  if (code === null || !/^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(code)) {
    const palette = colours.bodies;
    return {colour: palette[index % palette.length] ?? colours.steel, opacity: 1};
  }
  const colour = new Color(code.slice(0, 7));
  const hsl = {h: 0, s: 0, l: 0};
  colour.getHSL(hsl);
  colour.setHSL(hsl.h, hsl.s * 0.92, Math.min(0.82, Math.max(hsl.l, 0.3) + colours.lift * (1 - hsl.l)));
  return {colour, opacity: code.length === 9 ? parseInt(code.slice(7), 16) / 255 : 1};
}
