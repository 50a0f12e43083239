// The model: its numbers as sliders, its constraints, what is drawn.
import type {App} from '../app';
import {fill, h, say} from '../base/dom';
import {quantity} from '../base/numbers';
import {Refused} from '../link/connection';
import type {Parameter, Scene} from '../link/messages';
import {calmly, check, makeSlider, type Slider} from './panel';

const SEND_EVERY = 50; // [ms]

export function buildModel(app: App, body: HTMLElement): void {
  const sentence = h('p', {class: 'muted'});
  const parameters = h('div', {class: 'stack'});
  const constraints = h('div', {});
  const notes = h('div', {class: 'stack'});
  const trails = h('div', {class: 'checks'});
  const looks = h('div', {class: 'checks'});
  const trouble = h('p', {class: 'note late', hidden: true});
  fill(body, sentence, parameters, trouble, constraints, trails, looks, notes);

  let sliders = new Map<string, Slider>();
  let boxes: HTMLInputElement[] = [];

  const show = app.settings.shown;
  const look = (key: string, label: string) =>
    check(label, show.value[key] !== false, (on) => show.set({...show.value, [key]: on}));
  fill(
    looks, h('h3', {}, 'In the picture'), look('curves', 'Constraints'), look('contacts', 'Contact forces'), look('traces', 'Traces'),
    look('ghost', 'Where the hand wants it'), look('felt', 'Felt mass'), look('grid', 'Grid and shadow'),
  );

  app.scene.watch((scene) => {
    trouble.hidden = true;
    if (!scene) return;
    say(sentence, scene.model.sentence);
    const many = scene.notes.length;
    fill(notes, many > 0 ? h('details', {}, h('summary', {}, many === 1 ? 'A note of the program' : `${many} notes of the program`), ...scene.notes.map((n) => h('p', {class: 'note small'}, n))) : null);
    buildParameters(scene);
    buildConstraints(scene);
    buildTrails(scene);
  });
  app.status.watch((status) => {
    if (!status) return;
    for (const [name, value] of Object.entries(status.parameters)) sliders.get(name)?.set(value);
    status.active.forEach((on, i) => {
      const box = boxes[i];
      if (box && document.activeElement !== box) box.checked = on;
    });
  });

  function say_trouble(error: unknown): void {
    trouble.hidden = false;
    if (error instanceof Refused) fill(trouble, h('b', {}, error.trouble.what), error.trouble.remedy ? ` ${error.trouble.remedy}` : '');
    else fill(trouble, error instanceof Error ? error.message : String(error));
  }

  function buildParameters(scene: Scene): void {
    sliders = new Map();
    const live = scene.parameters.filter((p) => p.adjustable);
    const fixed = scene.parameters.filter((p) => !p.adjustable);
    const parts: Node[] = [];
    if (live.length > 0) {
      parts.push(
        h(
          'div', {class: 'row between'}, h('h3', {}, 'Parameters'),
          h('button', {class: 'btn small', type: 'button', click: () => void app.order({type: 'parameters_reset'})}, 'As in the file'),
        ),
      );
    }
    for (const p of live) parts.push(sliderOf(p));
    if (fixed.length > 0) {
      const list = h('dl', {class: 'facts'});
      for (const p of fixed) {
        list.append(h('dt', {title: [p.description, p.why].filter(Boolean).join('. ')}, p.description || p.name), h('dd', {class: 'num'}, quantity(p.value, p.unit, 4)));
      }
      parts.push(h('details', {}, h('summary', {}, `${fixed.length} more that only the file can change`), list));
    }
    fill(parameters, ...parts);
  }

  function sliderOf(p: Parameter): HTMLElement {
    const size = Math.abs(p.initial) || 1;
    const least = p.least ?? (p.initial > 0 ? size / 10 : -size);
    const most = p.most ?? (p.initial > 0 ? size * 10 : size);
    const slider = makeSlider({
      label: p.description ? capital(p.description) : p.name,
      hint: p.description ? `${p.name}: ${p.description}` : p.name,
      least, most, value: p.value, log: least > 0 && most / least > 20,
      show: (x) => quantity(x, p.unit),
      unit: p.unit,
      input: calmly(SEND_EVERY, (value: number) => {
        app.link.ask({type: 'parameter', name: p.name, value}).then(
          () => {
            trouble.hidden = true;
          },
          say_trouble,
        );
      }),
      mark: {value: p.initial, word: ''},
    });
    sliders.set(p.name, slider);
    const tag = h('span', {class: 'symbol', title: `Its name in the file`}, p.name);
    if (p.description) slider.element.querySelector('label')?.append(tag);
    else slider.element.querySelector('label')?.classList.add('mono');
    return slider.element;
  }

  function buildConstraints(scene: Scene): void {
    boxes = [];
    if (scene.constraints.length === 0) return fill(constraints);
    const list = h('ul', {class: 'stack tight'});
    for (const c of scene.constraints) {
      const label = check(
        c.name.replace(/_/g, ' '), c.active,
        (on) =>
          void app.order({type: 'constraint', name: c.name, on}).then((done) => {
            if (!done) box.checked = !on;
          }),
        c.description,
      );
      const box = label.querySelector('input')!;
      boxes.push(box);
      const about = c.description || [c.joint ?? c.type, c.rows.length === 1 ? '1 row' : `${c.rows.length} rows`].join(', ').replace(/_/g, ' ');
      label.append(h('span', {class: 'muted small tail'}, about));
      list.append(h('li', {}, label));
    }
    fill(constraints, h('h3', {}, 'Constraints'), list);
  }

  function buildTrails(scene: Scene): void {
    const name = scene.model.name;
    const stored = app.settings.trails.value[name];
    const chosen = new Set(stored ?? scene.frames.filter((f) => f.grasp).slice(0, 1).map((f) => f.name));
    app.stage.setTrails([...chosen]);
    if (scene.frames.length === 0) return fill(trails);
    fill(
      trails, h('h3', {}, 'Paths of points'),
      ...scene.frames.slice(0, 24).map((f) =>
        check(f.name.replace(/_/g, ' '), chosen.has(f.name), (on) => {
          if (on) chosen.add(f.name);
          else chosen.delete(f.name);
          app.stage.setTrails([...chosen]);
          app.settings.trails.set({...app.settings.trails.value, [name]: [...chosen]});
        }, f.description),
      ),
    );
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
