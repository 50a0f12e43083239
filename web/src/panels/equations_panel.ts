// The equations of motion: rendered once per change, folded by element, with counts of operations; abbreviated with a proven bound.
import type {App} from '../app';
import {fill, h, say} from '../base/dom';
import {digits} from '../base/numbers';
import {Refused} from '../link/connection';
import type {Counts, Equations, Happening} from '../link/messages';
import {check, makeSlider} from './panel';

const AT_ONCE = 10; // elements of a section that are open from the start
const LONG_TEX = 1600; // characters above which an element is folded
const CONTACT_CALM = 500; // [ms] after the last change of contact
const COARSEST = 0.3, FINEST = 1e-6; // of the abbreviation, relative

type Katex = {render: (tex: string, into: HTMLElement, options: object) => void};
let katex: Promise<Katex> | null = null;
function loadKatex(): Promise<Katex> {
  katex ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => module.default as Katex);
  return katex;
}

/** What the sections are parts of. */
const WHOLE: Record<string, string[]> = {
  exact: ['M(q)\\,\\dot u + h(q,u) = W^{\\mathsf T}\\tau + A^{\\mathsf T}\\lambda', 'A\\,\\dot u + \\dot A u + \\dot c = 0'],
  reduced: ['\\tilde M(q)\\,\\dot u_i = \\tilde Q(q,u_i,\\tau)', 'u_d = D(q)\\,u_i + d,\\quad \\dot u_d = D\\,\\dot u_i + \\delta'],
  canonical: ['\\tau_i = \\sum_j M_{ij}\\dot u_j + \\sum_{j<k} B_{ijk}u_j u_k + \\sum_j D_{ij}u_j^2 + G_i + V_i'],
  linear: ['\\dot x = A\\,x + B\\,\\tau'],
};

export function buildEquations(app: App, body: HTMLElement, seen: () => boolean): void {
  const form = h('select', {'aria-label': 'Form of the equations', change: () => void ask()});
  for (const [value, word] of [
    ['exact', 'Exact, of the open tree'], ['reduced', 'With the constraints solved'], ['canonical', 'Trigonometric polynomials'], ['linear', 'Linearised here'],
  ]) form.append(h('option', {value}, word!));
  let symbols = true;
  const letters = check('Letters for parameters', symbols, (on) => {
    symbols = on;
    void ask();
  });
  let threshold = 0;
  const coarse = makeSlider({
    label: 'Abbreviation', hint: 'Terms smaller than this part of the largest are left out', least: 0, most: 1, value: 0,
    show: (s) => (s < 0.02 ? 'exact' : `leaves out below ${digits(thresholdOf(s), 1)}`),
    input: (s) => {
      threshold = s < 0.02 ? 0 : thresholdOf(s);
      clearTimeout(timer);
      timer = window.setTimeout(() => void ask(), 200);
    },
  });
  const thresholdOf = (s: number) => FINEST * (COARSEST / FINEST) ** s;
  const counts = h('div', {});
  const proof = h('div', {});
  const state = h('p', {class: 'muted'});
  const sections = h('div', {class: 'sections'});
  let timer = 0;
  let asked = 0;
  let current: Equations | null = null;
  let stale = true;

  fill(body, h('div', {class: 'field'}, form), letters, coarse.element, state, counts, proof, sections);

  /** `again`: the same equations may come; what has not changed is left as it is. */
  async function ask(again = false): Promise<void> {
    if (!seen() || !app.link.open || !app.scene.value) {
      stale = true;
      return;
    }
    stale = false;
    const mine = ++asked;
    coarse.element.hidden = form.value !== 'canonical';
    if (!again) {
      state.hidden = false;
      state.className = 'muted';
      say(state, 'Deriving …');
    }
    try {
      const answer = await app.link.ask<Equations>({
        type: 'equations', form: form.value, symbols, ...(form.value === 'canonical' && threshold > 0 ? {threshold} : {}),
      });
      if (mine !== asked) return;
      const same = again && current !== null && JSON.stringify(current.sections) === JSON.stringify(answer.sections);
      current = answer;
      state.hidden = true;
      if (same) return;
      await show(answer);
    } catch (error) {
      if (mine !== asked) return;
      current = null;
      fill(counts);
      fill(proof);
      fill(sections);
      state.hidden = false;
      state.className = 'note late';
      if (error instanceof Refused) fill(state, h('b', {}, error.trouble.what), error.trouble.remedy ? ` ${error.trouble.remedy}` : '');
      else say(state, error instanceof Error ? error.message : String(error));
    }
  }

  async function show(e: Equations): Promise<void> {
    const tex = await loadKatex();
    showCounts(e);
    showProof(e);
    const free = !e.sections.some((s) => s.key === 'A' && s.elements.length > 0);
    const whole = h('div', {class: 'eqwhole'}, ...(WHOLE[e.form] ?? []).slice(0, free && e.form === 'exact' ? 1 : 2).map((line) => {
      const target = h('div', {});
      render(tex, free ? line.replace(' + A^{\\mathsf T}\\lambda', '') : line, target);
      return target;
    }));
    // The first note of the program is the same in plain letters; what follows says how to read the rest.
    const notes = e.notes.filter((n) => !/udot/.test(n));
    const parts: Node[] = [whole, ...(notes.length > 0 ? [h('p', {class: 'muted small'}, `${notes.map(capital).join('. ')}.`)] : [])];
    for (const section of e.sections) {
      if (section.elements.length === 0) continue;
      const total = section.elements.reduce((sum, x) => sum + (x.operations ?? 0), 0);
      const block = h(
        'section', {class: 'eqsection'},
        h('h3', {}, capital(section.title), total > 0 ? h('span', {class: 'muted num small'}, `${total} operations`) : null),
      );
      section.elements.forEach((element, i) => {
        const line = h('div', {class: 'eq', tabindex: 0, role: 'group', 'aria-label': `${element.name}`});
        if (element.constraint !== null) line.dataset['constraint'] = String(element.constraint);
        if (element.pair !== null) line.classList.add('acts');
        const draw = () => {
          const target = h('div', {class: 'eqtex'});
          if (element.cut) fill(target, h('span', {class: 'muted small'}, 'too long to be shown: tactus derive prints it'));
          else render(tex, `${element.name} = ${element.tex}`, target);
          line.append(target);
        };
        if (i < AT_ONCE && element.tex.length < LONG_TEX) {
          draw();
          if (element.operations) line.append(h('span', {class: 'ops num muted'}, `${element.operations}`));
          block.append(line);
        } else {
          const name = h('span', {});
          render(tex, element.name, name);
          const fold = h('details', {class: 'eqfold'}, h('summary', {}, name, h('span', {class: 'muted num small'}, element.operations ? `${element.operations} operations` : element.cut ? 'too long' : 'show')));
          fold.addEventListener('toggle', () => {
            if (fold.open && line.childElementCount === 0) draw();
          });
          if (element.constraint !== null) fold.dataset['constraint'] = String(element.constraint);
          fold.append(line);
          block.append(fold);
        }
      });
      parts.push(block);
    }
    fill(sections, ...parts);
    highlight();
  }

  function render(tex: Katex, source: string, target: HTMLElement): void {
    try {
      tex.render(source, target, {displayMode: false, throwOnError: true, strict: 'ignore', output: 'html', trust: false, maxExpand: 2000});
    } catch {
      fill(target, h('code', {}, source));
    }
  }

  function showCounts(e: Equations): void {
    if (e.counts.length === 0) return fill(counts);
    const sum = (c: Counts) => c.mul + c.add + c.div + c.trig + c.other;
    const table = h('table', {class: 'counts num'});
    const cut = e.counts.some((c) => c.abbreviated);
    table.append(h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Operations'), ...['×', '+', '÷', 'trig'].map((w) => h('th', {scope: 'col'}, w)), h('th', {scope: 'col'}, 'all'))));
    const rows = h('tbody', {});
    for (const c of e.counts) {
      const row = (name: string, k: Counts) =>
        h('tr', {}, h('th', {scope: 'row'}, name), ...[k.mul, k.add, k.div, k.trig].map((n) => h('td', {}, String(n))), h('td', {}, h('b', {}, String(sum(k)))));
      rows.append(row(cut ? `${c.what}, exact` : c.what, c.exact));
      if (c.abbreviated) rows.append(row('abbreviated', c.abbreviated));
    }
    table.append(rows);
    fill(counts, table);
  }

  function showProof(e: Equations): void {
    const a = e.abbreviation;
    if (!a) return fill(proof);
    const table = h('table', {class: 'counts num'});
    table.append(h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Error at most'), h('th', {scope: 'col'}, 'proven'), h('th', {scope: 'col'}, 'measured'))));
    const rows = h('tbody', {});
    for (const p of a.proven) rows.append(h('tr', {}, h('th', {scope: 'row'}, p.speed), h('td', {}, digits(p.bound ?? NaN)), h('td', {}, digits(p.measured ?? NaN))));
    table.append(rows);
    fill(proof, h('p', {class: 'num'}, h('b', {}, `${a.kept} of ${a.of} terms`), ' are kept.'), a.proven.length > 0 ? table : null);
  }

  /** Rows of constraints that act now. */
  function highlight(): void {
    const active = app.status.value?.active ?? [];
    for (const line of sections.querySelectorAll<HTMLElement>('[data-constraint]')) {
      const on = active[Number(line.dataset['constraint'])] ?? true;
      line.classList.toggle('acts', on);
      line.classList.toggle('rests', !on);
    }
  }

  let activeBefore = '';
  app.status.listen((status) => {
    const key = (status?.active ?? []).join();
    if (key === activeBefore) return;
    activeBefore = key;
    highlight();
  });
  app.scene.watch(() => {
    current = null;
    fill(sections);
    void ask();
  });
  app.happenings.add((list: Happening[]) => {
    const set = list.some((e) => e.kind === 'constraint' || e.kind === 'transition' || e.kind === 'swapped');
    const contact = form.value === 'exact' && list.some((e) => ['rests', 'sticks', 'slides', 'leaves'].includes(e.kind));
    if (!set && !contact) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(true), set ? 120 : CONTACT_CALM);
  });
  for (const setting of [app.settings.open, app.settings.side]) {
    setting.listen(() => {
      if (seen() && (stale || current === null)) void ask();
    });
  }
  app.link.state.listen(() => {
    if (stale) void ask();
  });
  void ask();
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
