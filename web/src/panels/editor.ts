// The editor (CodeMirror), in a shadow root: its styles come by adopted sheets, which the content security policy allows.
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {yaml} from '@codemirror/lang-yaml';
import {bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting} from '@codemirror/language';
import {lintGutter, setDiagnostics, type Diagnostic} from '@codemirror/lint';
import {highlightSelectionMatches, searchKeymap} from '@codemirror/search';
import {EditorState} from '@codemirror/state';
import {drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';

export interface Mark {
  line: number;
  column: number;
  text: string;
  warning: boolean;
}

const look = EditorView.theme({
  '&': {height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.88rem'},
  '.cm-scroller': {fontFamily: 'var(--mono)', lineHeight: '1.55'},
  '.cm-content': {caretColor: 'var(--text)'},
  '.cm-cursor': {borderLeftColor: 'var(--text)'},
  '&.cm-focused': {outline: '2px solid var(--accent)', outlineOffset: '-2px'},
  '.cm-gutters': {backgroundColor: 'var(--surface-2)', color: 'var(--text-2)', border: 'none'},
  '.cm-activeLine': {backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)'},
  '.cm-activeLineGutter': {backgroundColor: 'transparent', color: 'var(--text)'},
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {backgroundColor: 'var(--accent-soft) !important'},
  '.cm-lintRange-error': {backgroundImage: 'none', borderBottom: '2px solid var(--bad)'},
  '.cm-lintRange-warning': {backgroundImage: 'none', borderBottom: '2px dotted var(--late)'},
  '.cm-tooltip': {backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '8px', maxWidth: '420px'},
  '.cm-diagnostic': {borderLeft: '3px solid var(--bad)', padding: '8px 12px', fontFamily: 'var(--sans)'},
  '.cm-panels': {backgroundColor: 'var(--surface-2)', color: 'var(--text)'},
});
const colours = HighlightStyle.define([
  {tag: tags.comment, color: 'var(--text-2)', fontStyle: 'italic'},
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)'},
  {tag: [tags.string, tags.special(tags.string)], color: 'var(--force)'},
  {tag: [tags.number, tags.bool, tags.keyword], color: 'var(--good)'},
  {tag: tags.punctuation, color: 'var(--text-2)'},
]);

export class Editor {
  private readonly view: EditorView;

  constructor(holder: HTMLElement, changed: () => void, apply: () => void) {
    const root = holder.attachShadow({mode: 'open'});
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: '',
        extensions: [
          lineNumbers(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), highlightActiveLineGutter(),
          highlightSelectionMatches(), yaml(), syntaxHighlighting(colours), look, EditorView.lineWrapping,
          EditorView.contentAttributes.of({'aria-label': 'Model file'}),
          keymap.of([
            {key: 'Mod-Enter', run: () => (apply(), true)}, {key: 'Mod-s', run: () => (apply(), true)},
            ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed();
          }),
        ],
      }),
    });
  }

  text(): string {
    return this.view.state.doc.toString();
  }
  set(text: string): void {
    if (text === this.text()) return;
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: text}, selection: {anchor: 0}, scrollIntoView: true});
  }
  mark(marks: Mark[]): void {
    const {doc} = this.view.state;
    const list: Diagnostic[] = marks
      .filter((m) => m.line > 0 && m.line <= doc.lines)
      .map((m) => {
        const line = doc.line(m.line);
        const from = Math.min(line.to, line.from + Math.max(0, m.column - 1));
        const rest = /^[\w.\-"'/*+^()]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0;
        return {from, to: Math.max(from, Math.min(line.to, from + Math.max(1, rest))), severity: m.warning ? 'warning' : 'error', message: m.text};
      });
    this.view.dispatch(setDiagnostics(this.view.state, list));
    const first = marks.find((m) => !m.warning && m.line > 0);
    if (first) this.show(first.line);
  }
  private show(number: number): void {
    const {doc} = this.view.state;
    if (number > doc.lines) return;
    this.view.dispatch({effects: EditorView.scrollIntoView(doc.line(number).from, {y: 'center'})});
  }
  go(line: number, column: number): void {
    const {doc} = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const at = doc.line(line);
    this.view.dispatch({selection: {anchor: Math.min(at.to, at.from + Math.max(0, column - 1))}, effects: EditorView.scrollIntoView(at.from, {y: 'center'})});
    this.view.focus();
  }
}
