// The model file: errors at their line as the program says them; applied while it runs.
import type {App} from '../app';
import {fill, h, icon, say} from '../base/dom';
import {Refused} from '../link/connection';
import type {Checked, ModelText, Place} from '../link/messages';
import {check} from './panel';

const CHECK_AFTER = 350; // [ms] without typing

interface Mistake {
  what: string;
  remedy: string;
  where: Place | null;
  warning?: boolean;
}

export class FilePanel {
  private editor: import('./editor').Editor | null = null;
  private text = ''; // as it runs
  private name = '';
  private keep = true;
  private timer = 0;
  private checks = 0;
  private scene = -1;
  private readonly holder = h('div', {class: 'editor'});
  private readonly message = h('div', {class: 'editormessage', 'aria-live': 'polite'});
  private readonly apply = h('button', {class: 'btn primary', type: 'button', disabled: true, click: () => void this.applyNow()}, 'Apply');
  private readonly revert = h('button', {class: 'btn', type: 'button', disabled: true, click: () => this.editor?.set(this.text)}, 'Undo all');
  private readonly file = h('span', {class: 'muted filename'});
  private waiting: {name: string; text: string; error: unknown} | null = null;
  private brokenAt = -1; // the scene that ran when a file that could not be opened came into the editor

  constructor(private readonly app: App, private readonly seen: () => boolean) {}

  build(body: HTMLElement): void {
    body.classList.add('filebody');
    const save = h('button', {class: 'btn', type: 'button', title: 'Save the text as a file', click: () => this.download()}, icon('download'));
    save.setAttribute('aria-label', 'Save the text as a file');
    fill(
      body,
      h('div', {class: 'row between'}, this.file),
      this.holder, this.message,
      h('div', {class: 'row'}, this.apply, this.revert, save, check('go on from here', this.keep, (on) => {
        this.keep = on;
      }, 'Keep the place and the speed where the new model allows it')),
    );
    void import('./editor').then(({Editor}) => {
      this.editor = new Editor(this.holder, () => this.changed(), () => void this.applyNow());
      if (this.waiting) this.showBroken(this.waiting.name, this.waiting.text, this.waiting.error);
      void this.fetch();
    });
    this.app.scene.listen(() => void this.fetch());
    this.app.settings.open.listen(() => void this.fetch());
    this.app.settings.side.listen(() => void this.fetch());
  }

  /** A file that could not be opened: it is shown with its mistake. */
  showBroken(name: string, text: string, error: unknown): void {
    if (!this.editor) {
      this.waiting = {name, text, error};
      this.app.openPanel('file');
      return;
    }
    this.waiting = null;
    this.brokenAt = this.app.scene.value?.id ?? -1;
    this.app.openPanel('file');
    this.name = name;
    say(this.file, name);
    this.editor.set(text);
    clearTimeout(this.timer);
    if (error instanceof Refused) this.show([{...error.trouble}], '');
    else this.app.complain(error);
  }

  private async fetch(): Promise<void> {
    const scene = this.app.scene.value;
    if (!scene || !this.editor || !this.seen() || scene.id === this.scene) return;
    this.scene = scene.id;
    try {
      const answer = await this.app.link.ask<ModelText>({type: 'text'});
      if (scene.id === this.brokenAt) {
        this.text = answer.text; // what "Undo all" goes back to; the broken file stays in the editor
        return;
      }
      const own = this.editor.text();
      const edited = this.text !== '' && own !== this.text && own !== answer.text && scene.model.name === this.name;
      this.text = answer.text;
      this.name = scene.model.name;
      say(this.file, answer.file || scene.model.file);
      if (!edited) this.editor.set(answer.text);
      this.changed();
    } catch (error) {
      this.scene = -1;
      this.app.complain(error);
    }
  }

  private changed(): void {
    const different = this.editor !== null && this.editor.text() !== this.text;
    this.revert.disabled = !different;
    this.apply.disabled = !different;
    clearTimeout(this.timer);
    if (!different) {
      this.show([], '');
      return;
    }
    this.timer = window.setTimeout(() => void this.checkNow(), CHECK_AFTER);
  }

  private async checkNow(): Promise<void> {
    if (!this.editor) return;
    const mine = ++this.checks;
    try {
      const answer = await this.app.link.ask<Checked>({type: 'check', text: this.editor.text()});
      if (mine !== this.checks) return;
      const warnings: Mistake[] = answer.warnings.map((w) => ({what: w.what, remedy: '', where: w.where, warning: true}));
      if (answer.ok) this.show(warnings, answer.summary);
      else this.show([{what: answer.what, remedy: answer.remedy, where: answer.where}, ...warnings], '');
      this.apply.disabled = !answer.ok;
    } catch (error) {
      if (mine === this.checks && error instanceof Refused) this.show([{...error.trouble}], '');
    }
  }

  private show(mistakes: Mistake[], summary: string): void {
    this.editor?.mark(mistakes.map((m) => ({line: m.where?.line ?? 0, column: m.where?.column ?? 0, text: m.remedy ? `${m.what}. ${m.remedy}` : m.what, warning: m.warning === true})));
    const parts: Node[] = mistakes.slice(0, 4).map((m) => {
      const place = m.where && m.where.line > 0 ? h('button', {class: 'where num', type: 'button', click: () => this.editor?.go(m.where!.line, m.where!.column)}, `line ${m.where.line}`) : null;
      return h('p', {class: `note ${m.warning ? '' : 'bad'}`}, place, place ? ' ' : '', h('b', {}, m.what), m.remedy ? `  ${m.remedy}` : '');
    });
    if (summary && mistakes.every((m) => m.warning)) parts.push(h('p', {class: 'muted'}, `Well-formed: ${summary}.`));
    fill(this.message, ...parts);
  }

  private async applyNow(): Promise<void> {
    if (!this.editor || this.apply.disabled) return;
    const text = this.editor.text();
    clearTimeout(this.timer);
    this.apply.disabled = true;
    try {
      const answer = await this.app.link.ask({type: 'apply', text, keep: this.keep});
      this.text = text;
      this.show([], '');
      for (const note of answer.notes) this.app.notice.set({kind: 'word', text: note, remedy: ''});
      this.changed();
    } catch (error) {
      if (error instanceof Refused) this.show([{...error.trouble}], '');
      else this.app.complain(error);
      this.apply.disabled = false;
    }
  }

  private download(): void {
    if (!this.editor) return;
    const url = URL.createObjectURL(new Blob([this.editor.text()], {type: 'text/yaml'}));
    h('a', {href: url, download: `${this.name || 'model'}.yaml`}).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
}
