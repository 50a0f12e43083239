// The WebSocket to the server: says hello, checks what comes, heals when it is lost.
import {Signal} from '../base/signal';
import {Misfit} from './checked';
import {readFrame, type FrameData} from './frame';
import {readMessage, type Message, type Messages, type Trouble} from './messages';

export type LinkState = 'connecting' | 'open' | 'lost' | 'refused';
type Answer = Messages['ok'] | Messages['equations'] | Messages['checked'] | Messages['text'] | Messages['loci'];

const FIRST_WAIT = 0.3; // [s] before the first try to connect again; doubled each time
const LONGEST_WAIT = 5; // [s]
const PING_EVERY = 1000; // [ms]
const SILENCE = 4000; // [ms] without any message: the connection is given up

export class Refused extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.what);
  }
}

export class Connection {
  readonly state = new Signal<LinkState>('connecting');
  /** Seconds until the next try. */
  readonly retry = new Signal(0);
  readonly you = new Signal(0);
  readonly why = new Signal('');
  /** [s] of a ping's way there and back, the median of the last ones. */
  readonly roundTrip = new Signal(NaN);
  /** Server clock less performance.now()/1000, from the fastest ping. */
  clockOffset = NaN;
  onMessage: (message: Message) => void = () => {};
  onFrame: (frame: FrameData, bytes: number) => void = () => {};
  onOpen: () => void = () => {};

  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private requests = 0;
  private readonly pending = new Map<number, {resolve: (a: Answer) => void; reject: (e: Error) => void}>();
  /** [s] from sending to the server's hearing, the median of the last ones. */
  wayThere = NaN;
  private ways: number[] = [];
  private pings: number[] = [];
  private bestPing = Infinity;
  private lastHeard = 0;
  private retryTimer = 0;

  constructor(private readonly address: string) {
    setInterval(() => this.beat(), PING_EVERY);
    addEventListener('online', () => this.hurry());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.hurry();
      this.send({type: 'frames', rate: document.visibilityState === 'visible' ? 60 : 0});
    });
  }

  connect(): void {
    clearTimeout(this.retryTimer);
    this.socket?.close();
    const socket = new WebSocket(this.address, 'tactus.1');
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.lastHeard = performance.now();
      this.bestPing = Infinity;
      this.pings = [];
      this.ways = [];
      this.send({type: 'hello', version: 1, name: navigator.userAgent.includes('Mobile') ? 'phone' : 'browser'});
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (socket !== this.socket) return;
      this.lastHeard = performance.now();
      try {
        if (typeof event.data === 'string') this.hear(event.data);
        else this.onFrame(readFrame(event.data), event.data.byteLength);
      } catch (error) {
        if (!(error instanceof Misfit || error instanceof SyntaxError)) throw error;
        console.warn('tactus: a message that does not fit the protocol', error.message);
      }
    };
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event.code, event.reason);
    };
  }

  get open(): boolean {
    return this.state.value === 'open';
  }

  /** Sent where there is a connection; otherwise it is gone, as a push at nothing. */
  send(message: {type: string; [key: string]: unknown}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Rejects with Refused where the server says an error. */
  ask<T extends Answer = Messages['ok']>(message: {type: string; [key: string]: unknown}): Promise<T> {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error('The server is not connected.'));
    }
    const request = ++this.requests;
    return new Promise<T>((resolve, reject) => {
      this.pending.set(request, {resolve: resolve as (a: Answer) => void, reject});
      this.send({...message, request});
    });
  }

  hurry(): void {
    if (this.state.value !== 'lost') return;
    this.wait = FIRST_WAIT;
    this.connect();
  }

  private hear(data: string): void {
    const message = readMessage(data);
    if (message === null) return;
    if (message.type === 'welcome') {
      this.you.set(message.value.you);
      this.wait = FIRST_WAIT;
      this.retry.set(0);
      this.state.set('open');
      this.onOpen();
      this.beat();
    } else if (message.type === 'pong') {
      this.heardPong(message.value.t, message.value.clock);
    } else if (message.type === 'error' && message.value.request !== null && this.pending.has(message.value.request)) {
      this.pending.get(message.value.request)?.reject(new Refused(message.value));
      this.pending.delete(message.value.request);
    } else if ('request' in message.value && message.value.request !== null && this.pending.has(message.value.request)) {
      this.pending.get(message.value.request)?.resolve(message.value as Answer);
      this.pending.delete(message.value.request);
    }
    this.onMessage(message);
  }

  private heardPong(sent: number, clock: number): void {
    const now = performance.now() / 1000;
    const trip = now - sent;
    this.pings = [...this.pings.slice(-8), trip];
    this.roundTrip.set([...this.pings].sort((a, b) => a - b)[this.pings.length >> 1] ?? trip);
    this.bestPing *= 1.01; // clocks drift: an old ping counts less
    if (trip <= this.bestPing) {
      this.bestPing = trip;
      this.clockOffset = clock - (sent + trip / 2);
    }
    // A busy page hears the answer late: by the server's clock the way there is known without the way back.
    this.ways = [...this.ways.slice(-8), Math.max(0, clock - sent - this.clockOffset)];
    this.wayThere = [...this.ways].sort((a, b) => a - b)[this.ways.length >> 1] ?? trip / 2;
  }

  private beat(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (performance.now() - this.lastHeard > SILENCE && document.visibilityState === 'visible') {
      this.lost(0, 'the server is silent');
      return;
    }
    this.send({type: 'ping', t: performance.now() / 1000});
  }

  private lost(code: number, reason: string): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    for (const {reject} of this.pending.values()) reject(new Error('The connection was lost.'));
    this.pending.clear();
    this.why.set(
      code === 1013 ? 'The server has as many pages as it takes.'
      : code === 1008 ? 'The server closed the connection: too many messages.'
      : code === 1001 ? 'The server has ended.'
      : reason);
    if (code === 4000) {
      this.state.set('refused');
      return;
    }
    this.state.set('lost');
    this.retry.set(this.wait);
    clearTimeout(this.retryTimer);
    this.retryTimer = window.setTimeout(() => this.connect(), this.wait * 1000);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }
}
