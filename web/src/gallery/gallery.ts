// All models: a rail with those to play with, and a sheet with everything, to be searched.
import type {App} from '../app';
import {fill, h, icon, iconButton} from '../base/dom';
import type {GalleryModel} from '../link/messages';
import type {Thumbs} from './thumbs';

const HOVER = 350; // [ms] before a card appears

export class GalleryView {
  readonly rail = h('nav', {class: 'rail', 'aria-label': 'Gallery'});
  readonly sheet: HTMLDialogElement;
  private readonly list = h('div', {class: 'cards'});
  private readonly search = h('input', {type: 'search', placeholder: 'Search models, papers', 'aria-label': 'Search models', input: () => this.fillSheet()});
  private readonly card = h('div', {class: 'railcard', hidden: true, role: 'tooltip', id: 'railcard'});
  private cardTimer = 0;

  constructor(private readonly app: App, private readonly thumbs: Thumbs) {
    const file = h('input', {
      type: 'file', accept: '.yaml,.yml,.urdf,.xml,text/*', class: 'away', tabindex: -1, 'aria-label': 'Open a model file',
      change: () => {
        const [chosen] = file.files ?? [];
        if (chosen) void this.openFile(chosen);
        file.value = '';
      },
    });
    this.sheet = h(
      'dialog', {class: 'sheet', 'aria-label': 'All models'},
      h(
        'div', {class: 'sheethead'},
        h('h2', {}, 'Models'), this.search, file,
        h('button', {class: 'btn', type: 'button', click: () => file.click()}, 'Open a file…'),
        iconButton('close', 'Close', () => this.sheet.close(), 'Esc'),
      ),
      this.list,
    );
    this.sheet.addEventListener('click', (e) => {
      if (e.target === this.sheet) this.sheet.close();
    });
    document.body.append(this.sheet, this.card);
    app.gallery.watch(() => this.fillRail());
    app.scene.listen(() => this.mark());
    this.acceptDrops();
  }

  open(): void {
    if (this.sheet.open) return;
    this.fillSheet();
    this.sheet.showModal();
    this.search.focus();
    this.search.select();
  }

  private fillRail(): void {
    const gallery = this.app.gallery.value;
    const all = iconButton('grid', 'All models', () => this.open(), 'G');
    all.classList.add('all');
    if (!gallery) return fill(this.rail, all);
    const tops = gallery.models.filter((m) => m.featured);
    const parts: Node[] = [all];
    for (const group of gallery.groups) {
      const inside = (tops.length > 0 ? tops : gallery.models).filter((m) => m.group === group);
      if (inside.length === 0) continue;
      const list = h('ul', {'aria-label': group});
      for (const model of inside) list.append(h('li', {}, this.railButton(model)));
      parts.push(list);
    }
    fill(this.rail, ...parts);
    this.mark();
    if (this.sheet.open) this.fillSheet();
  }

  private railButton(model: GalleryModel): HTMLElement {
    const button = h('button', {class: 'pic', type: 'button', 'aria-label': model.title, 'data-model': model.name, click: () => this.choose(model)});
    button.append(this.thumbs.picture(model.name));
    const show = () => this.showCard(model, button);
    const hide = () => this.hideCard();
    button.addEventListener('pointerenter', (e) => {
      if (e.pointerType === 'mouse') this.cardTimer = window.setTimeout(show, HOVER);
    });
    button.addEventListener('pointerdown', (e) => {
      if (e.pointerType !== 'mouse') this.cardTimer = window.setTimeout(show, 2 * HOVER);
    });
    button.addEventListener('focus', () => {
      if (button.matches(':focus-visible')) show();
    });
    for (const name of ['pointerleave', 'pointerup', 'blur']) button.addEventListener(name, hide);
    return button;
  }

  private showCard(model: GalleryModel, beside: HTMLElement): void {
    clearTimeout(this.cardTimer);
    fill(
      this.card,
      this.thumbs.live(model.name),
      h('b', {}, model.title),
      model.paper ? h('span', {class: 'muted'}, model.paper) : null,
      h('p', {}, model.sentence),
      facts(model),
    );
    this.card.hidden = false;
    const box = beside.getBoundingClientRect();
    const own = this.card.getBoundingClientRect();
    this.card.style.left = `${box.right + 10}px`;
    this.card.style.top = `${Math.max(8, Math.min(box.top + box.height / 2 - own.height / 2, innerHeight - own.height - 8))}px`;
  }
  private hideCard(): void {
    clearTimeout(this.cardTimer);
    this.card.hidden = true;
    this.thumbs.stop();
  }

  private mark(): void {
    const name = this.app.scene.value?.model.name;
    for (const button of this.rail.querySelectorAll('button[data-model]')) {
      const here = (button as HTMLElement).dataset['model'] === name;
      if (here) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
  }

  private fillSheet(): void {
    const gallery = this.app.gallery.value;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (m: GalleryModel) => {
      const text = `${m.name} ${m.title} ${m.sentence} ${m.paper ?? ''} ${m.group}`.toLowerCase();
      return words.every((w) => text.includes(w));
    };
    const parts: Node[] = [];
    for (const group of gallery?.groups ?? []) {
      const inside = gallery!.models.filter((m) => m.group === group && fits(m));
      if (inside.length === 0) continue;
      const grid = h('div', {class: 'grid'});
      for (const model of inside) grid.append(this.sheetCard(model));
      parts.push(h('section', {}, h('h3', {}, group.charAt(0).toUpperCase() + group.slice(1)), grid));
    }
    if (parts.length === 0) parts.push(h('p', {class: 'nothing muted'}, gallery ? `No model has “${this.search.value}” in its name, sentence or paper.` : 'Waiting for the server.'));
    fill(this.list, ...parts);
  }

  private sheetCard(model: GalleryModel): HTMLElement {
    const current = this.app.scene.value?.model.name === model.name;
    const button = h(
      'button',
      {class: 'card', type: 'button', 'data-model': model.name, disabled: model.problem !== null, 'aria-current': current ? 'true' : null, click: () => this.choose(model)},
      this.thumbs.picture(model.name),
      h('span', {class: 'cardtitle'}, model.title),
      model.paper ? h('span', {class: 'muted small'}, model.paper) : null,
      h('span', {class: 'small sentence'}, model.problem ?? model.sentence),
      facts(model),
    );
    return button;
  }

  private choose(model: GalleryModel): void {
    this.hideCard();
    if (this.sheet.open) this.sheet.close();
    void this.app.order({type: 'open', model: model.name});
  }

  async openFile(file: File): Promise<void> {
    if (file.size > 262_144) {
      this.app.notice.set({kind: 'late', text: `${file.name} is larger than a model file may be (256 KiB).`, remedy: ''});
      return;
    }
    if (this.sheet.open) this.sheet.close();
    const text = await file.text();
    try {
      await this.app.link.ask({type: 'open', text, name: file.name.replace(/\.[a-z]+$/i, '')});
    } catch (error) {
      // The editor shows where it is wrong.
      this.onBroken(file.name, text, error);
    }
  }
  onBroken: (name: string, text: string, error: unknown) => void = () => {};

  private acceptDrops(): void {
    const veil = h('div', {class: 'dropveil', hidden: true}, h('p', {}, icon('download'), 'Drop a model file (YAML, URDF) to open it'));
    document.body.append(veil);
    let depth = 0;
    const files = (e: DragEvent) => e.dataTransfer?.types.includes('Files') ?? false;
    addEventListener('dragenter', (e) => {
      if (!files(e)) return;
      e.preventDefault();
      ++depth;
      veil.hidden = false;
    });
    addEventListener('dragleave', (e) => {
      if (files(e) && --depth <= 0) veil.hidden = true;
    });
    addEventListener('dragover', (e) => {
      if (files(e)) e.preventDefault();
    });
    addEventListener('drop', (e) => {
      if (!files(e)) return;
      e.preventDefault();
      depth = 0;
      veil.hidden = true;
      const [file] = e.dataTransfer?.files ?? [];
      if (file) void this.openFile(file);
    });
  }
}

function facts(model: GalleryModel): HTMLElement | null {
  if (model.bodies === null || model.freedoms === null) return null;
  const many = (n: number, word: string, words: string) => `${n} ${n === 1 ? word : words}`;
  return h('span', {class: 'muted small'}, `${many(model.bodies, 'body', 'bodies')}, ${many(model.freedoms, 'freedom', 'freedoms')}`);
}
