// What all parts of the page share: the connection, the stage, the newest messages, the settings.
import {isBoolean, isNumber, isOneOf, isRecordOf, isTexts, remembered, Signal} from './base/signal';
import {Connection, Refused} from './link/connection';
import type {FrameData} from './link/frame';
import type {Gallery, Happening, Loop, Scene, Status} from './link/messages';
import type {Stage} from './scene/stage';

export interface Notice {
  kind: 'word' | 'late' | 'bad';
  text: string;
  remedy: string;
}

export const MOST_EVENTS = 2000;

export class App {
  readonly gallery = new Signal<Gallery | null>(null);
  readonly scene = new Signal<Scene | null>(null);
  readonly status = new Signal<Status | null>(null);
  readonly loop = new Signal<Loop | null>(null);
  readonly notice = new Signal<Notice | null>(null);
  readonly frames = new Set<(frame: FrameData) => void>();
  readonly happenings = new Set<(list: Happening[]) => void>();
  events: Happening[] = [];
  frame: FrameData | null = null;
  bytesPerSecond = 0;

  readonly settings = {
    theme: remembered<'auto' | 'light' | 'dark'>('theme', 'auto', isOneOf('auto', 'light', 'dark')),
    touched: remembered('touched', false, isBoolean), // somebody has grabbed something: no more advice
    side: remembered('side', true, isBoolean),
    sideWidth: remembered('sideWidth', 360, isNumber),
    open: remembered<Record<string, boolean>>('panels', {hand: true, model: true}, isRecordOf(isBoolean)),
    plots: remembered('plots', false, isBoolean),
    plotHeight: remembered('plotHeight', 190, isNumber),
    channels: remembered<Record<string, string[]>>('channels', {}, isRecordOf(isTexts)),
    trails: remembered<Record<string, string[]>>('trails', {}, isRecordOf(isTexts)),
    sound: remembered('sound', false, isBoolean),
    rumble: remembered('rumble', true, isBoolean),
    push: remembered('push', 0, isNumber), // [N], 0: by the model
    shown: remembered<Record<string, boolean>>('shown', {}, isRecordOf(isBoolean)),
  };

  constructor(readonly link: Connection, readonly stage: Stage) {}

  /** Asks the server for something; what it refuses is said on the stage. True where it was done. */
  async order(message: {type: string; [key: string]: unknown}): Promise<boolean> {
    try {
      await this.link.ask(message);
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    }
  }

  complain(error: unknown): void {
    if (error instanceof Refused) this.notice.set({kind: 'late', text: error.trouble.what, remedy: error.trouble.remedy});
    else this.notice.set({kind: 'late', text: error instanceof Error ? error.message : String(error), remedy: ''});
  }

  get dark(): boolean {
    const {value} = this.settings.theme;
    return value === 'dark' || (value === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  }
  get running(): boolean {
    return this.status.value?.state === 'running';
  }

  openPanel(name: string): void {
    this.settings.side.set(true);
    this.settings.open.set({...this.settings.open.value, [name]: true});
    requestAnimationFrame(() => document.getElementById(`panel-${name}`)?.scrollIntoView({block: 'nearest'}));
  }

  toggleTime(): void {
    void this.order({type: 'time', do: this.running ? 'pause' : 'run'});
  }
}
