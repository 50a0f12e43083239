// The felt force as a tone, impacts as clicks. Off until asked for.

const LOW = 90, HIGH = 520; // [Hz]
const LOUDEST = 0.12;

export class Sound {
  private context: AudioContext | null = null;
  private tone: OscillatorNode | null = null;
  private level: GainNode | null = null;
  private noise: AudioBuffer | null = null;

  set(on: boolean): void {
    if (!on) {
      void this.context?.close();
      this.context = this.tone = this.level = null;
      return;
    }
    if (this.context) return;
    const context = new AudioContext();
    this.context = context;
    const soft = context.createBiquadFilter();
    soft.type = 'lowpass';
    soft.frequency.value = 900;
    this.level = context.createGain();
    this.level.gain.value = 0;
    this.tone = context.createOscillator();
    this.tone.type = 'triangle';
    this.tone.frequency.value = LOW;
    this.tone.connect(soft).connect(this.level).connect(context.destination);
    this.tone.start();
    const n = Math.round(0.05 * context.sampleRate);
    this.noise = context.createBuffer(1, n, context.sampleRate);
    const data = this.noise.getChannelData(0);
    for (let i = 0; i < n; ++i) data[i] = (Math.random() * 2 - 1) * Math.exp((-9 * i) / n);
  }

  /** Force as a part of the largest, 0 to 1. */
  feel(part: number): void {
    if (!this.context || !this.tone || !this.level) return;
    const x = Math.max(0, Math.min(1, part));
    const now = this.context.currentTime;
    this.tone.frequency.setTargetAtTime(LOW * (HIGH / LOW) ** Math.sqrt(x), now, 0.02);
    this.level.gain.setTargetAtTime(x < 0.002 ? 0 : LOUDEST * Math.min(1, 0.25 + x), now, 0.03);
  }

  /** An impact: how hard, 0 to 1. */
  click(part: number): void {
    if (!this.context || !this.noise) return;
    const source = this.context.createBufferSource();
    source.buffer = this.noise;
    const level = this.context.createGain();
    level.gain.value = 0.5 * Math.sqrt(Math.max(0, Math.min(1, part)));
    source.connect(level).connect(this.context.destination);
    source.start();
  }
}

/** A gamepad's motors follow the force too, where there is one. */
export class Rumble {
  private next = 0;
  feel(part: number, impact: number): void {
    const now = performance.now();
    if (now < this.next || (part < 0.02 && impact === 0)) return;
    this.next = now + 90;
    for (const pad of navigator.getGamepads?.() ?? []) {
      const motor = pad?.vibrationActuator;
      if (!motor) continue;
      void motor.playEffect('dual-rumble', {
        duration: 110, strongMagnitude: Math.min(1, part), weakMagnitude: Math.min(1, impact),
      });
    }
  }
}
