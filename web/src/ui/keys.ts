// Keys of the page, where no control has them.
import {Vector3} from 'three';
import type {App} from '../app';
import type {Dock} from '../dock/dock';

const RATES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4];

export function listenToKeys(app: App, dock: Dock, actions: {gallery: () => void; help: () => void; flat: () => void}): void {
  const {eye} = app.stage;
  const view = (x: number, y: number, z: number, flat: boolean) => eye.goTo(new Vector3(x, y, z), flat);
  const rate = (way: number) => {
    const now = app.status.value?.rate ?? 1;
    const at = RATES.reduce((best, r, i) => (Math.abs(Math.log(r / now)) < Math.abs(Math.log(RATES[best]! / now)) ? i : best), 0);
    const next = RATES[Math.max(0, Math.min(RATES.length - 1, at + way))]!;
    void app.order({type: 'time', rate: next});
  };
  const panel = (name: string) => {
    const open = app.settings.side.value && app.settings.open.value[name];
    if (open) app.settings.open.set({...app.settings.open.value, [name]: false});
    else app.openPanel(name);
  };
  const keys: Record<string, () => void> = {
    ' ': () => app.toggleTime(),
    '.': () => void app.order({type: 'time', do: 'step'}),
    r: () => void app.order({type: 'time', do: 'reset'}),
    '-': () => rate(-1),
    '+': () => rate(1),
    '=': () => rate(1),
    f: () => eye.goHome(),
    '1': () => view(0, -1, 0, true),
    '2': () => view(0, 0, 1, true),
    '3': () => view(1, 0, 0, true),
    '4': () => view(0.6, -1, 0.55, false),
    '5': actions.flat,
    c: () => {
      app.stage.follow = !app.stage.follow;
      app.notice.set({kind: 'word', text: app.stage.follow ? 'The camera follows.' : 'The camera stays.', remedy: ''});
    },
    g: actions.gallery,
    '?': actions.help,
    p: () => app.settings.side.set(!app.settings.side.value),
    h: () => panel('hand'),
    m: () => panel('model'),
    u: () => panel('control'),
    e: () => panel('equations'),
    n: () => panel('motion'),
    i: () => panel('file'),
    l: () => app.settings.plots.set(!app.settings.plots.value),
    s: () => app.settings.sound.set(!app.settings.sound.value),
    t: () => app.settings.theme.set(app.dark ? 'light' : 'dark'),
    k: () => void dock.keep(),
    o: () => void dock.record(),
    end: () => dock.live(),
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement && (target.matches('input, select, textarea, [contenteditable="true"]') || target.isContentEditable)) return;
    if (target instanceof HTMLElement && event.key === ' ' && target.matches('button, summary, a')) return;
    if (document.querySelector('dialog[open]')) return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
