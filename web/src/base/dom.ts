// Elements in one line. Text is always text: nothing that comes from a model is ever parsed as HTML.

type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as unknown as EventListener);
    else if (name === 'class') element.className = String(value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(parent: Element, children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) parent.append(child);
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Writes a text only where it differs: no work for the browser otherwise. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const SVG = 'http://www.w3.org/2000/svg';
const paths: Record<string, string> = {
  pause: 'M8 5v14M16 5v14',
  play: '!M7 4.5v15l12-7.5z',
  step: '!M5 5v14l9-7z|M18 5v14',
  reset: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v4.5h4.5',
  help: 'M9.2 9a3 3 0 1 1 4.3 2.7c-1 .5-1.5 1.2-1.5 2.3M12 17.5v.2',
  theme: 'M12 3a9 9 0 1 0 0 18z|!M12 3a9 9 0 0 1 0 18z',
  grid: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20',
  panel: 'M4 5h16v14H4zM14.5 5v14',
  fold: 'M7 10l5 5 5-5',
  close: 'M6 6l12 12M18 6L6 18',
  record: '!M12 6.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  stop: '!M7 7h10v10H7z',
  flag: 'M6 21V4M6 5h11l-2.5 4L17 13H6',
  plot: 'M4 4v16h16M7 15l4-5 3 3 5-7',
  sound: 'M4 10v4h3l4 4V6l-4 4zM15 9.5a3.5 3.5 0 0 1 0 5M17.5 7a7 7 0 0 1 0 10',
  mute: 'M4 10v4h3l4 4V6l-4 4zM15.5 9.5l5 5M20.5 9.5l-5 5',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  cube: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  wide: 'M9 6l-5 6 5 6M15 6l5 6-5 6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  hand: 'M8 12V5.5a1.5 1.5 0 0 1 3 0V11M11 10.500V4.5a1.5 1.5 0 0 1 3 0V11M14 11V6a1.5 1.5 0 0 1 3 0v8c0 4-2.500 6.500-6 6.500-3 0-4.500-1.500-6-4l-2-3.300a1.500 1.500 0 0 1 2.500-1.600L8 14',
  warn: 'M12 4l9 16H3zM12 10v4.500M12 17.300v.2',
  trash: 'M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13',
  live: '!M12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z|M6.500 6.500a8 8 0 0 0 0 11M17.500 6.500a8 8 0 0 1 0 11',
  trail: 'M4 18c4 0 3-9 8-9s3 6 8 2',
};
export type IconName = keyof typeof paths;

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  for (const part of (paths[name] ?? '').split('|')) {
    const path = document.createElementNS(SVG, 'path');
    if (part.startsWith('!')) path.setAttribute('class', 'solid');
    path.setAttribute('d', part.replace(/^!/, ''));
    svg.append(path);
  }
  return svg;
}

export function iconButton(name: string, label: string, press: () => void, key?: string): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  const button = h('button', {class: 'icon', type: 'button', 'aria-label': label, title, click: press});
  button.append(icon(name));
  return button;
}

export function relabel(button: HTMLButtonElement, name: string, label: string, key?: string): void {
  if (button.getAttribute('aria-label') === label) return;
  button.setAttribute('aria-label', label);
  button.title = key ? `${label} (${key})` : label;
  button.replaceChildren(icon(name));
}
