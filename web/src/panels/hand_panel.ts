// The hand: what it holds, what it feels, how it is coupled.
import type {App} from '../app';
import {fill, h, say} from '../base/dom';
import {digits, quantity} from '../base/numbers';
import type {Hand} from '../hand/hand';
import type {Felt} from '../link/messages';
import {calmly, check, makeSlider} from './panel';

export function buildHand(app: App, hand: Hand, body: HTMLElement): void {
  const number = h('output', {class: 'big num'}, '0 N');
  const held = h('p', {class: 'muted'}, 'Nothing is held.');
  const bar = h('div', {class: 'meter'}, h('span', {}));
  const fillBar = bar.firstElementChild as HTMLElement;
  const holder = h('div', {class: 'holder'});

  const stiffness = makeSlider({
    label: 'Stiffness', hint: 'Of the spring between the hand and the point that it holds', least: 1, most: 1e5, value: 100, log: true,
    show: (x) => quantity(x, 'N/m'), input: calmly(60, (x: number) => void app.order({type: 'coupling', stiffness: x})),
  });
  const damping = makeSlider({
    label: 'Damping', hint: '1 is critical', least: 0, most: 2, value: 1, show: (x) => digits(x, 2),
    input: calmly(60, (x: number) => void app.order({type: 'coupling', damping: x})),
  });
  const most = makeSlider({
    label: 'Largest force', least: 0.1, most: 1000, value: 50, log: true, show: (x) => quantity(x, 'N'),
    input: calmly(60, (x: number) => void app.order({type: 'coupling', force: x})),
  });
  const designed = h('button', {class: 'btn small', type: 'button', click: () => void app.order({type: 'coupling', stiffness: null})}, 'As designed');
  const passive = h('p', {class: 'muted small', hidden: true});
  const late = h('dd', {class: 'num'}, '–');
  const trip = h('dd', {class: 'num'}, '–');
  const where = h('select', {id: 'felt-at', change: () => look()}, h('option', {value: ''}, 'what the hand holds'));
  const masses = [0, 1, 2].map(() => ({mass: h('th', {scope: 'row'}, '–'), way: [0, 1, 2].map(() => h('td', {}, '–'))}));
  const felt = h(
    'table', {class: 'counts num felttable'},
    h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Felt mass'), ...['x', 'y', 'z'].map((w) => h('th', {scope: 'col'}, w)))),
    h('tbody', {}, ...masses.map((row) => h('tr', {}, row.mass, ...row.way))),
  );
  const along = h('dd', {class: 'num'}, '–');
  const ownOnly = h('p', {class: 'muted small', hidden: true}, 'The body\'s own mass: what else touches it is not counted.');
  const push = makeSlider({
    label: 'Force of the arrow keys', least: 0.01, most: 1000, value: hand.pushForce, log: true, show: (x) => quantity(x, 'N'),
    input: (x) => app.settings.push.set(x),
  });

  fill(
    body,
    h('div', {class: 'felt'}, number, held), bar, holder,
    stiffness.element, passive, damping.element, most.element,
    h('div', {class: 'row'}, designed),
    h('div', {class: 'fields'}, h('label', {for: 'felt-at'}, 'Felt mass of'), where), felt, ownOnly,
    h('dl', {class: 'facts'}, h('dt', {}, 'Mass along the pull'), along, h('dt', {title: 'From the pointer\'s event to the tick whose force it changes, 95th percentile'}, 'Pointer to force'), late, h('dt', {}, 'To the server and back'), trip),
    push.element,
    h(
      'div', {class: 'checks'},
      check('Sound of the force', app.settings.sound.value, (on) => app.settings.sound.set(on), 'A tone that follows the force, a click at impacts'),
      check('Gamepad rumbles', app.settings.rumble.value, (on) => app.settings.rumble.set(on)),
    ),
  );

  /** Asks for the masses at a frame; nothing: they are those at the hand. */
  function look(): void {
    const frame = app.scene.value?.frames.find((f) => f.name === where.value);
    void app.order(frame ? {type: 'probe', body: frame.body, point: frame.pose.slice(0, 3)} : {type: 'probe', body: null});
  }
  function showFelt(f: Felt | null): void {
    masses.forEach((row, k) => {
      const m = f?.masses[k] ?? null;
      say(row.mass, f === null ? '–' : m === null ? 'blocked' : quantity(m, 'kg'));
      row.mass.classList.toggle('blocked', f !== null && m === null);
      row.way.forEach((cell, i) => say(cell, f === null ? '–' : direction(f.directions[k]!, i)));
    });
    ownOnly.hidden = !f?.own;
  }

  let next = 0;
  let smooth = 0;
  app.frames.add((frame) => {
    const f = Math.hypot(frame.force[0]!, frame.force[1]!, frame.force[2]!);
    const limit = app.status.value?.hand?.force ?? app.scene.value?.coupling?.force ?? 0;
    smooth = frame.held > 0 ? f : 0;
    fillBar.style.transform = `scaleX(${limit > 0 ? Math.min(1, smooth / limit) : 0})`;
    const now = performance.now();
    if (now < next) return;
    next = now + 100;
    say(number, quantity(smooth, 'N'));
    const name = app.scene.value?.bodies[frame.held]?.name;
    const by = frame.holder === app.link.you.value ? 'You hold' : 'Another page holds';
    say(held, name ? `${by} ${name.replace(/_/g, ' ')}.` : 'Nothing is held.');
  });
  app.scene.watch((scene) => {
    if (!scene) return;
    push.setRange(hand.pushForce / 30, hand.pushForce * 30);
    push.set(hand.pushForce);
    passive.hidden = true;
    fill(
      where, h('option', {value: ''}, 'what the hand holds'),
      ...scene.frames.filter((f) => f.body > 0).slice(0, 100).map((f) => h('option', {value: f.name}, f.name.replace(/_/g, ' '))),
    );
    showFelt(null);
    const c = scene.coupling;
    if (!c) return;
    if (c.limit !== null && c.limit > 0) {
      stiffness.setRange(Math.max(1e-3, c.limit / 1e4), c.limit * 1.5);
      stiffness.setMark(c.limit, 'passive limit');
    } else stiffness.setRange(Math.max(1e-3, c.stiffness / 100), Math.max(1, c.stiffness * 100));
    stiffness.set(c.stiffness);
    damping.set(c.damping);
    most.setRange(Math.max(1e-3, c.force / 50), Math.max(1e-2, c.force * 20));
    most.set(c.force);
  });
  app.status.watch((status) => {
    if (!status) return;
    const c = status.hand;
    if (c) {
      stiffness.set(c.stiffness);
      damping.set(c.damping);
      most.set(c.force);
      if (c.limit !== null && c.limit > 0) {
        stiffness.setRange(Math.max(1e-3, c.limit / 1e4), c.limit * 1.5);
        stiffness.setMark(c.limit, 'passive limit');
        passive.hidden = false;
        say(passive, `Passive up to ${quantity(c.limit, 'N/m')} for ${c.mass === null ? 'what is held' : `the ${quantity(c.mass, 'kg')} felt here`} at ${quantity(status.loop?.hz ?? 1000, 'Hz', 2).replace('.0 ', ' ')}.`);
      }
      designed.disabled = c.designed;
    }
    // Another page may look elsewhere: what is shown is what the server looks at.
    if (document.activeElement !== where) {
      const probe = status.probe;
      const at = probe ? app.scene.value?.frames.find((f) => f.body === probe.body && f.pose.slice(0, 3).every((x, i) => Math.abs(x - probe.point[i]!) < 1e-9)) : undefined;
      where.value = at?.name ?? '';
    }
    const shown = c?.felt ?? status.probe?.felt ?? null;
    showFelt(shown);
    say(along, !c?.felt ? '–' : c.felt.along !== null ? quantity(c.felt.along, 'kg') : smooth > 0 ? 'blocked' : '–');
    say(late, Number.isFinite(hand.delay.value) ? quantity(hand.delay.value, 's', 2) : '–');
    say(trip, quantity(app.link.roundTrip.value, 's', 2));
    const mine = status.holder === app.link.you.value;
    const other = status.holder !== null && !mine;
    const key = other ? `other ${status.holder}` : '';
    if (holder.dataset['key'] !== key) {
      holder.dataset['key'] = key;
      const who = status.clients.find((x) => x.id === status.holder);
      if (!other) fill(holder);
      else {
        fill(
          holder,
          h('p', {class: 'note late'}, `${who?.name || 'Another page'} #${status.holder} holds the mechanism. You can look.`),
          h('button', {class: 'btn small', type: 'button', click: () => void app.order({type: 'take', force: true})}, 'Take it over'),
        );
      }
    }
  });
}

/** A component of a unit direction, whose sign is the first that counts. */
function direction(d: number[], i: number): string {
  const first = d.find((x) => Math.abs(x) > 0.005) ?? 1;
  const x = first < 0 ? -d[i]! : d[i]!;
  return Math.abs(x) < 0.005 ? '0' : x.toFixed(2).replace('-', '−');
}
