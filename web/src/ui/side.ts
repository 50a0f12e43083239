// The column of panels at the right; a sheet from below on phones.
import type {App} from '../app';
import {h, iconButton} from '../base/dom';
import type {Hand} from '../hand/hand';
import {buildControl} from '../panels/control_panel';
import {buildEquations} from '../panels/equations_panel';
import {FilePanel} from '../panels/file_panel';
import {buildHand} from '../panels/hand_panel';
import {buildModel} from '../panels/model_panel';
import {buildMotion} from '../panels/motion_panel';
import {makePanel, type Panel} from '../panels/panel';

const NARROW = 300, WIDEST = 900, NORMAL = 360, WIDE = 640;

export function makeSide(app: App, hand: Hand): {element: HTMLElement; file: FilePanel} {
  const {sideWidth, side} = app.settings;
  const wide = (label: string) => {
    const button = iconButton('wide', label, () => sideWidth.set(sideWidth.value > NORMAL + 60 ? NORMAL : WIDE));
    button.classList.add('widen');
    return button;
  };
  let control: Panel | null = null;
  let equations: Panel | null = null;
  let filePanel: Panel | null = null;
  const file = new FilePanel(app, () => filePanel?.seen ?? false);
  const panels = [
    makePanel(app, 'hand', 'Hand', (body) => buildHand(app, hand, body)),
    makePanel(app, 'model', 'Model', (body) => buildModel(app, body)),
    (control = makePanel(app, 'control', 'Control', (body) => queueMicrotask(() => buildControl(app, body, () => control?.seen ?? false)), [wide('Wider or narrower, for gains')])),
    (equations = makePanel(app, 'equations', 'Equations', (body) => queueMicrotask(() => buildEquations(app, body, () => equations?.seen ?? false)), [wide('Wider or narrower, for equations')])),
    makePanel(app, 'motion', 'Motion', (body) => buildMotion(app, body)),
    (filePanel = makePanel(app, 'file', 'File', (body) => file.build(body), [wide('Wider or narrower, for the file')])),
  ];
  const scroll = h('div', {class: 'sidescroll'}, ...panels.map((p) => p.element));
  const grip = h('div', {
    class: 'sidegrip', role: 'separator', 'aria-orientation': 'vertical', 'aria-label': 'Width of the panels', tabindex: 0,
    'aria-valuenow': sideWidth.value, 'aria-valuemin': NARROW, 'aria-valuemax': WIDEST,
  });
  const element = h('aside', {class: 'side', 'aria-label': 'Panels'}, grip, scroll);
  const set = (px: number) => sideWidth.set(Math.round(Math.max(NARROW, Math.min(WIDEST, Math.min(px, 0.6 * innerWidth)))));
  grip.addEventListener('pointerdown', (e) => {
    grip.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent) => set(innerWidth - m.clientX);
    grip.addEventListener('pointermove', move);
    grip.addEventListener('pointerup', () => grip.removeEventListener('pointermove', move), {once: true});
  });
  grip.addEventListener('keydown', (e) => {
    if (e.key === 'ArrowLeft') set(sideWidth.value + 24);
    else if (e.key === 'ArrowRight') set(sideWidth.value - 24);
    else return;
    e.preventDefault();
  });
  // Remembered in the units of the theme's type: a projector's column is wider by itself.
  const place = () => {
    const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 14;
    element.style.setProperty('--side-now', `${Math.round(sideWidth.value * scale)}px`);
    grip.setAttribute('aria-valuenow', String(sideWidth.value));
  };
  sideWidth.watch(place);
  addEventListener('resize', place);
  side.watch((on) => {
    element.hidden = !on;
  });
  return {element, file};
}
