// Control: a law that leads the joints, what it does, its gains, and what errors of its model would do.
import type {App} from '../app';
import {fill, h, say} from '../base/dom';
import {digits, quantity} from '../base/numbers';
import {Refused} from '../link/connection';
import type {ControlJoint, Loci, Scene, Status} from '../link/messages';
import {drawLocus, ERRORS, limitWords, tightest} from './loci';
import {check, makeSlider} from './panel';

const POLL = 500; // [ms] between two looks at the gains
const SMALL = 1e-4; // of the largest gain
const SETTLE = 250; // [ms] after the last move of a slider
const TARGETS: [string, string][] = [['stand', 'stand still'], ['slew', 'to and fro'], ['hand', 'where the hand leaves it']];

export function buildControl(app: App, body: HTMLElement, seen: () => boolean): void {
  const why = h('p', {class: 'note', hidden: true});
  const trouble = h('p', {class: 'note late', hidden: true, role: 'status'});
  const stale = h('p', {class: 'note late', hidden: true}, 'The model has changed since the law was made: it knows the old one. ',
    h('button', {class: 'btn small', type: 'button', click: () => void send({learn: true})}, 'Learn the new one'));
  const law = h('select', {id: 'control-law', change: () => choose()});
  const meaning = h('span', {class: 'muted small meaning'});
  const target = h('select', {id: 'control-target', change: () => void send({target: target.value})});
  for (const [value, word] of TARGETS) target.append(h('option', {value}, word));
  let re = -12, im = 45, seconds = 1.5;
  let timer = 0;
  const later = (act: () => void) => {
    clearTimeout(timer);
    timer = window.setTimeout(act, SETTLE);
  };
  const poles = () => later(() => {
    if (app.status.value?.control) void send({poles: [re, im]});
    else void analyse();
  });
  const decay = makeSlider({
    label: 'Poles, decay', hint: 'How fast errors go away: the real part of every pole', least: 1, most: 200, value: 12, log: true,
    show: (x) => `${digits(-x)} 1/s`, input: (x) => ((re = -x), poles()),
  });
  const swing = makeSlider({
    label: 'Poles, oscillation', hint: 'The imaginary part of every pole', least: 0, most: 200, value: 45,
    show: (x) => `± ${digits(x)} j`, input: (x) => ((im = x), poles()),
  });
  const pace = makeSlider({
    label: 'Time of a way', least: 0.3, most: 6, value: 1.5, log: true, show: (x) => quantity(x, 's', 2),
    input: (x) => ((seconds = x), later(() => void send({seconds: x}))),
  });
  const joints = h('table', {class: 'counts num jointtable'});
  const gains = h('div', {class: 'stack'});
  const gainsAt = h('span', {class: 'muted small num'});
  const canvas = h('canvas', {class: 'locus', role: 'img', 'aria-label': 'Poles of the closed loop'});
  let touched = false; // somebody chose an error
  const error = h('select', {
    'aria-label': 'Error of the model',
    change: () => {
      touched = true;
      show();
    },
  });
  const limits = h('p', {class: 'num'});
  const poleWords = h('p', {class: 'muted small num'});
  let sampled = true;
  const sampledBox = check('Sampled, as the loop is', sampled, (on) => {
    sampled = on;
    void analyse();
  });
  const here = h('button', {class: 'btn small', type: 'button', click: () => void analyse()}, 'Here and now');
  const content = h(
    'div', {class: 'stack control'},
    h('div', {class: 'fields'}, h('label', {for: law.id}, 'Law'), law, meaning, h('label', {for: target.id}, 'Target'), target),
    decay.element, swing.element, pace.element, stale, trouble,
    h('div', {class: 'scrollx', tabindex: 0, role: 'group', 'aria-label': 'Joints'}, joints),
    h('div', {class: 'row between'}, h('h3', {}, 'Poles and model errors'), here),
    h('div', {class: 'row'}, error, sampledBox), canvas, limits, poleWords,
    h('div', {class: 'row between'}, h('h3', {}, 'Gains'), gainsAt), gains,
  );
  fill(body, why, content);

  let analysis: Loci | null = null;
  let now: Loci | null = null;
  let asked = 0;
  let cells: {torque: HTMLElement; bar: HTMLElement; error: HTMLElement; largest: HTMLElement}[] = [];
  let heat: HTMLElement[][] = [];

  const chosen = () => (law.value === 'off' ? 'pole-placement' : law.value);
  function choose(): void {
    showMeaning();
    void send({law: law.value, poles: [re, im], target: target.value, seconds});
  }
  function showMeaning(): void {
    say(meaning, app.scene.value?.control?.laws.find((l) => l.name === law.value)?.meaning ?? 'no forces at the joints');
  }
  function complain(e: unknown): void {
    trouble.hidden = false;
    if (e instanceof Refused) fill(trouble, h('b', {}, e.trouble.what), e.trouble.remedy ? ` ${e.trouble.remedy}` : '');
    else say(trouble, e instanceof Error ? e.message : String(e));
  }
  async function send(what: Record<string, unknown>): Promise<void> {
    try {
      await app.link.ask({type: 'control', ...what});
      trouble.hidden = true;
      if ('law' in what || 'poles' in what || 'learn' in what) void analyse();
    } catch (e) {
      complain(e);
      const on = app.status.value?.control;
      law.value = on?.law ?? 'off';
      showMeaning();
    }
  }

  /** Gains, poles, loci and limits at this point of the motion. */
  async function analyse(): Promise<void> {
    if (!seen() || !app.link.open || !app.scene.value?.control?.joints.length) return;
    const mine = ++asked;
    try {
      const answer = await app.link.ask<Loci>({type: 'loci', law: chosen(), poles: [re, im], sampled});
      if (mine !== asked) return;
      analysis = now = answer;
      fillErrors();
      show();
      showGains(answer);
    } catch (e) {
      if (mine === asked) complain(e);
    }
  }
  function fillErrors(): void {
    const before = error.value;
    fill(error, ...(analysis?.loci ?? []).map((l) => h('option', {value: l.error}, ERRORS[l.error] ?? l.error)));
    if (touched && analysis?.loci.some((l) => l.error === before)) error.value = before;
    else if (analysis) error.value = tightest(analysis.loci);
  }
  function show(): void {
    const locus = analysis?.loci.find((l) => l.error === error.value) ?? null;
    if (canvas.clientWidth > 0) drawLocus(canvas, locus, (now ?? analysis)?.closed ?? [], analysis?.sampled ? analysis.period : 0);
    say(limits, locus ? limitWords(locus) : '');
    const shown = now ?? analysis;
    if (shown) {
      const slow = shown.slowest;
      canvas.setAttribute('aria-label', `Poles of the closed loop; the slowest decays with ${digits(slow ?? NaN)} per second. ${limits.textContent ?? ''}`);
      say(poleWords, slow === null ? '' : slow < 0 ? `Crosses: the poles now; the slowest at ${digits(slow)} 1/s.` : `Crosses: the poles now. Not stable: one at +${digits(slow)} 1/s.`);
    }
  }

  setInterval(() => {
    const control = app.status.value?.control;
    if (!control || !seen() || !app.running || document.visibilityState !== 'visible' || !app.link.open) return;
    app.link.ask<Loci>({type: 'loci', law: control.law, poles: control.poles, sampled, now: true}).then(
      (answer) => {
        if (answer.scene !== app.scene.value?.id || answer.sampled !== sampled) return;
        now = answer;
        showGains(answer);
        show();
      },
      () => {}, // it is asked again soon
    );
  }, POLL);

  function buildGains(n: number, names: string[]): void {
    heat = [];
    const table = (title: string) => {
      const grid: HTMLElement[] = [];
      const rows = h('tbody', {});
      for (let i = 0; i < n; ++i) {
        const row = h('tr', {}, h('th', {scope: 'row'}, names[i] ?? ''));
        for (let j = 0; j < n; ++j) {
          const cell = h('td', {}, '–');
          grid.push(cell);
          row.append(cell);
        }
        rows.append(row);
      }
      heat.push(grid);
      const head = h('thead', {}, h('tr', {}, h('td', {}), ...names.map((name) => h('th', {scope: 'col'}, name))));
      return h('div', {class: 'scrollx', tabindex: 0, role: 'group', 'aria-label': title}, h('table', {class: 'heat num'}, h('caption', {}, title), head, rows));
    };
    fill(gains, table('G₁, on positions'), table('G₂, on rates'));
  }
  function showGains(l: Loci): void {
    [l.G1, l.G2].forEach((matrix, k) => {
      const grid = heat[k];
      if (!grid || grid.length !== matrix.length ** 2) return;
      const most = Math.max(1e-300, ...matrix.flat().map((x) => Math.abs(x ?? 0)));
      matrix.forEach((row, i) =>
        row.forEach((x, j) => {
          const cell = grid[i * matrix.length + j]!;
          const size = Math.abs(x ?? 0) / most;
          // What is a ten-thousandth of the largest is a dot; its number comes on hover.
          say(cell, x === null ? '–' : x === 0 ? '0' : size < SMALL ? '·' : digits(x, Math.abs(x) >= 100 ? 3 : 2));
          cell.title = x === null ? '' : digits(x, 4);
          cell.style.setProperty('--heat', `${Math.round(46 * Math.sqrt(size))}%`);
          cell.classList.toggle('minus', (x ?? 0) < 0);
        }),
      );
    });
    say(gainsAt, `t = ${digits(l.t, 4)} s`);
  }

  function buildJoints(list: ControlJoint[]): void {
    cells = [];
    const rows = h('tbody', {});
    for (const joint of list) {
      const torque = h('span', {}, '–'), bar = h('span', {class: 'effort'}, h('span', {}));
      const now = h('td', {}, '–'), largest = h('td', {}, '–');
      rows.append(h('tr', {}, h('th', {scope: 'row'}, joint.name), h('td', {title: joint.most === null ? 'no limit' : `at most ${quantity(joint.most, joint.effort)}`}, torque, bar), now, largest));
      cells.push({torque, bar: bar.firstElementChild as HTMLElement, error: now, largest});
    }
    fill(joints, h('thead', {}, h('tr', {}, ...['Joint', 'Force', 'Error', 'Largest'].map((w) => h('th', {scope: 'col'}, w)))), rows);
  }

  app.scene.watch((scene: Scene | null) => {
    trouble.hidden = stale.hidden = true;
    analysis = now = null;
    ++asked;
    const control = scene?.control ?? null;
    const able = control !== null && control.joints.length > 0;
    content.hidden = !able;
    why.hidden = able;
    if (!able) {
      fill(why, h('b', {}, control?.why || 'No law leads this mechanism.'), control?.remedy ? ` ${control.remedy}` : '');
      return;
    }
    fill(law, h('option', {value: 'off'}, 'off'), ...control.laws.map((l) => h('option', {value: l.name, title: l.meaning}, l.name.replace(/-/g, ' '))));
    law.value = app.status.value?.scene === scene?.id ? app.status.value?.control?.law ?? 'off' : 'off';
    showMeaning();
    buildJoints(control.joints);
    buildGains(control.joints.length, control.joints.map((j) => j.name));
    say(limits, '');
    say(poleWords, '');
    void analyse();
  });
  app.status.watch((status: Status | null) => {
    const joint = app.scene.value?.control?.joints ?? [];
    if (!status || status.scene !== app.scene.value?.id || joint.length === 0) return;
    const c = status.control;
    stale.hidden = !c || c.knows;
    pace.element.hidden = target.value !== 'slew';
    if (document.activeElement !== law) {
      const value = c?.law ?? 'off';
      if (law.value !== value && performance.now() > quiet) {
        law.value = value;
        showMeaning();
      }
    }
    if (c) {
      if (document.activeElement !== target) target.value = c.target;
      if (!decay.busy && !swing.busy) {
        [re, im] = [c.poles[0]!, c.poles[1]!];
        decay.set(-re);
        swing.set(im);
      }
      if (!pace.busy) pace.set((seconds = c.seconds));
    }
    cells.forEach((cell, i) => {
      const torque = c?.torque[i] ?? null, most = c?.most[i] ?? joint[i]?.most ?? null;
      say(cell.torque, torque === null ? '–' : quantity(torque, joint[i]!.effort, 3));
      const part = torque !== null && most ? Math.min(1, Math.abs(torque) / most) : 0;
      cell.bar.style.transform = `scaleX(${part.toFixed(3)})`;
      cell.bar.classList.toggle('cut', part > 0.999);
      const small = (x: number | null | undefined) => (x === null || x === undefined ? '–' : thousandths(x, joint[i]!.unit));
      say(cell.error, small(c?.error[i]));
      say(cell.largest, small(c?.largest[i]));
    });
  });
  let quiet = 0;
  law.addEventListener('change', () => (quiet = performance.now() + 3000)); // until the law that was chosen is made

  for (const setting of [app.settings.open, app.settings.side]) {
    setting.listen(() => {
      if (seen() && analysis === null) void analyse();
    });
  }
  app.settings.theme.listen(() => requestAnimationFrame(show));
  new ResizeObserver(() => show()).observe(canvas);
}

/** Errors of joints: thousandths of a radian or of a metre, with as many places from tick to tick. */
function thousandths(x: number, unit: string): string {
  const k = 1e3 * x;
  const text = k.toFixed(Math.abs(k) < 100 ? 3 : 0);
  return `${Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')} ${unit === 'rad' ? 'mrad' : 'mm'}`;
}
