// All keys, and how to hold things.
import {h, iconButton} from '../base/dom';

const KEYS: [string, [string[], string][]][] = [
  ['Hand', [
    [['drag'], 'take hold of any part, throw it by letting go'],
    [['Ctrl', 'drag'], 'turn what is held'],
    [['Shift', 'drag'], 'towards you and away, in 3D'],
    [['Tab'], 'choose a body (with the picture in focus)'],
    [['← ↑ ↓ →'], 'push it; Page keys along the view'],
    [['Esc'], 'let go'],
  ]],
  ['Camera', [
    [['scroll'], 'zoom where the cursor is'],
    [['drag'], 'on nothing: turn, or move where it is flat'],
    [['right drag'], 'the other of the two'],
    [['F'], 'the whole mechanism'],
    [['1', '2', '3', '4'], 'front, top, side, corner'],
    [['5'], 'flat or free'],
    [['C'], 'follow what moves away'],
  ]],
  ['Time', [
    [['Space'], 'pause and run'],
    [['.'], 'one step'],
    [['R'], 'begin again'],
    [['−', '+'], 'slower, faster'],
    [['K'], 'keep this moment'],
    [['O'], 'record'],
    [['End'], 'back to now'],
  ]],
  ['Page', [
    [['G'], 'all models'],
    [['P'], 'panels'],
    [['H', 'M', 'U', 'E', 'N', 'I'], 'hand, model, control, equations, motion, file'],
    [['L'], 'plots'],
    [['S'], 'sound'],
    [['T'], 'light and dark'],
    [['?'], 'this'],
  ]],
];

export function makeHelp(): HTMLDialogElement {
  const dialog = h('dialog', {class: 'help', 'aria-label': 'Help and keys'});
  const columns = h('div', {class: 'helpcolumns'});
  for (const [title, rows] of KEYS) {
    const list = h('dl', {});
    for (const [keys, words] of rows) {
      list.append(h('dt', {}, ...keys.map((k) => h('kbd', {}, k))), h('dd', {}, words));
    }
    columns.append(h('section', {}, h('h3', {}, title), list));
  }
  dialog.append(
    h('div', {class: 'sheethead'}, h('h2', {}, 'Keys'), h('span', {class: 'grow'}), iconButton('close', 'Close', () => dialog.close(), 'Esc')),
    columns,
    h('p', {class: 'muted helpnote'}, 'A spring joins your hand and the part that it holds. The mechanism moves in a loop of its own, by its equations; the page shows it. Fingers: one takes hold, two turn and zoom. Drop a model file anywhere to open it.'),
  );
  dialog.addEventListener('click', (e) => {
    if (e.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return dialog;
}
