// The live page of Tactus: see a mechanism, take hold of it, look at its equations.
import {App, MOST_EVENTS} from './app';
import {h} from './base/dom';
import {isOneOf, remembered} from './base/signal';
import {Dock} from './dock/dock';
import {GalleryView} from './gallery/gallery';
import {Thumbs} from './gallery/thumbs';
import {Hand} from './hand/hand';
import {Rumble, Sound} from './hand/sound';
import {Connection} from './link/connection';
import type {Message} from './link/messages';
import {Stage} from './scene/stage';
import {makeBar} from './ui/bar';
import {makeHelp} from './ui/help';
import {listenToKeys} from './ui/keys';
import {Overlay} from './ui/overlay';
import {makeSide} from './ui/side';

declare global {
  interface Window {
    tactus?: unknown; // for tests and the curious
  }
}

const FELT_SETTLES = 0.6; // [s] that pictures are made for, after what is felt has changed

function start(root: HTMLElement): void {
  let stage: Stage;
  try {
    stage = new Stage(h('canvas'), remembered('picture', 'auto', isOneOf('auto', 'best')).value === 'best');
  } catch {
    root.replaceChildren(
      h('div', {class: 'alarm', role: 'alert'}, h('h2', {}, 'This browser shows no WebGL 2'),
        h('p', {}, 'The mechanism is drawn with it. Switch on hardware acceleration, or use a current Firefox, Chromium or Safari.')),
    );
    return;
  }
  const token = new URLSearchParams(location.search).get('token');
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws${token ? `?token=${encodeURIComponent(token)}` : ''}`;
  const link = new Connection(address);
  const app = new App(link, stage);
  stage.clockOffset = () => link.clockOffset;

  const hand = new Hand(app);
  const overlay = new Overlay(app, hand);
  const help = makeHelp();
  const thumbs = new Thumbs(() => app.dark);
  const gallery = new GalleryView(app, thumbs);
  const openGallery = () => gallery.open();
  const openHelp = () => {
    if (!help.open) help.showModal();
  };
  const dock = new Dock(app);
  const {element: side, file} = makeSide(app, hand);
  gallery.onBroken = (name, text, error) => file.showBroken(name, text, error);
  root.append(makeBar(app, {gallery: openGallery, help: openHelp}), gallery.rail, overlay.stage, side, dock.element);
  listenToKeys(app, dock, {gallery: openGallery, help: openHelp, flat: () => overlay.toggleFlat()});
  // On a phone the panels begin away.
  if (matchMedia('(max-width: 820px), (max-height: 480px)').matches) app.settings.side.set(false);

  // ------------------------------------------------------------------------------------------------ theme, sound, looks
  const applyTheme = () => {
    const {value} = app.settings.theme;
    if (value === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = value;
    stage.setTheme(app.dark);
  };
  app.settings.theme.watch(applyTheme);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
  const sound = new Sound();
  const rumble = new Rumble();
  // A browser plays nothing before the first touch of the page.
  let soundReady = false;
  const wakeSound = () => {
    soundReady = true;
    sound.set(app.settings.sound.value);
  };
  addEventListener('pointerdown', wakeSound, {once: true});
  addEventListener('keydown', wakeSound, {once: true});
  app.settings.sound.listen((on) => {
    if (soundReady || !on) sound.set(on);
  });
  app.settings.shown.watch((shown) => {
    stage.shown = {
      curves: shown['curves'] !== false, contacts: shown['contacts'] !== false, traces: shown['traces'] !== false, grid: shown['grid'] !== false,
      ghost: shown['ghost'] !== false, felt: shown['felt'] !== false,
    };
    stage.touch();
  });

  // ------------------------------------------------------------------------------------------------ what the server says
  let active = '';
  let probe = 'null';
  link.onMessage = (message: Message) => {
    switch (message.type) {
      case 'gallery':
        app.gallery.set(message.value);
        break;
      case 'scene': {
        const before = app.scene.value;
        const same = before !== null && before.model.name === message.value.model.name;
        if (!same || message.value.why === 'open') app.events = [];
        active = '';
        stage.setScene(message.value, same && message.value.why !== 'open');
        app.scene.set(message.value);
        break;
      }
      case 'shapes':
        stage.setShapes(message.value);
        break;
      case 'status': {
        app.status.set(message.value);
        if (message.value.scene === app.scene.value?.id) {
          stage.felt = message.value.hand?.felt ?? null;
          stage.probe = message.value.probe;
          const looked = JSON.stringify(stage.probe);
          if (looked !== probe) stage.touch(FELT_SETTLES);
          probe = looked;
        }
        const key = message.value.active.join();
        if (key !== active) {
          active = key;
          stage.setActive(message.value.active);
        }
        break;
      }
      case 'loop':
        app.loop.set(message.value);
        break;
      case 'events':
        if (message.value.scene !== app.scene.value?.id) break;
        app.events = [...app.events, ...message.value.events].slice(-MOST_EVENTS);
        for (const listener of app.happenings) listener(message.value.events);
        for (const e of message.value.events) {
          if (e.kind === 'law_off') app.notice.set({kind: 'late', text: 'The control law was switched off.', remedy: e.why ? `${e.why.charAt(0).toUpperCase()}${e.why.slice(1)}.` : ''});
          if (e.kind === 'let_go') app.notice.set({kind: 'late', text: 'The hand was opened.', remedy: e.why ?? e.what});
        }
        break;
      case 'error':
        if (message.value.request === null) app.notice.set({kind: 'late', text: message.value.what, remedy: message.value.remedy});
        break;
    }
  };
  let bytes = 0;
  setInterval(() => {
    app.bytesPerSecond = bytes;
    bytes = 0;
  }, 1000);
  let lastTime = 0;
  link.onFrame = (frame, size) => {
    bytes += size;
    if (frame.t < lastTime - 1e-9) {
      // Time went back: what came later did not happen. The event that says so is told in the old time.
      app.events = app.events.flatMap((e) =>
        e.kind === 'reset' || e.kind === 'loaded' ? (e.number === app.events.at(-1)?.number ? [{...e, t: frame.t}] : e.t <= frame.t ? [e] : []) : e.t <= frame.t ? [e] : []);
    }
    lastTime = frame.t;
    app.frame = frame;
    stage.addFrame(frame);
    for (const listener of app.frames) listener(frame);
    const limit = app.status.value?.hand?.force ?? app.scene.value?.coupling?.force ?? 0;
    const felt = limit > 0 && frame.held > 0 ? Math.hypot(frame.force[0]!, frame.force[1]!, frame.force[2]!) / limit : 0;
    const hit = frame.impulse > 0 ? Math.min(1, Math.sqrt(frame.impulse / Math.max(1e-9, limit * 0.02))) : 0;
    if (app.settings.sound.value) {
      sound.feel(felt);
      if (hit > 0) sound.click(hit);
    }
    if (app.settings.rumble.value && frame.holder === link.you.value) rumble.feel(felt, hit);
  };
  stage.onPicture = () => {
    hand.look();
    overlay.draw();
    dock.draw();
  };
  window.tactus = {app, stage, hand, link, dock, thumbs};
  link.connect();
}

const root = document.getElementById('app');
if (root) start(root);
