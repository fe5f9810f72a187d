import type { SoundMaterial } from "./materials.ts";

/** What happens to a material. */
export type SoundKind = "step" | "hit" | "place";

/** A burst of filtered noise. Times are in seconds, frequencies in hertz. */
interface Noise {
  readonly filter: BiquadFilterType;
  readonly frequency: number;
  /** Where the frequency goes until the end. */
  readonly to?: number;
  readonly q: number;
  readonly gain: number;
  readonly attack: number;
  readonly decay: number;
  /** Bursts, one after the other. */
  readonly grains?: number;
}

/** A tone that fades. */
interface Tone {
  readonly frequency: number;
  readonly to?: number;
  readonly gain: number;
  readonly decay: number;
}

interface Recipe {
  readonly noise: Noise;
  readonly tones?: readonly Tone[];
}

const RECIPES: Readonly<Record<SoundMaterial, Recipe>> = {
  stone: {
    noise: { filter: "bandpass", frequency: 1_300, to: 800, q: 1.1, gain: 0.9, attack: 0.002, decay: 0.07 },
    tones: [{ frequency: 210, to: 120, gain: 0.16, decay: 0.05 }],
  },
  wood: {
    noise: { filter: "bandpass", frequency: 620, to: 420, q: 1.6, gain: 0.8, attack: 0.002, decay: 0.08 },
    tones: [
      { frequency: 235, to: 170, gain: 0.34, decay: 0.09 },
      { frequency: 520, to: 430, gain: 0.1, decay: 0.05 },
    ],
  },
  soil: {
    noise: { filter: "lowpass", frequency: 520, to: 260, q: 0.6, gain: 1, attack: 0.006, decay: 0.1 },
    tones: [{ frequency: 110, to: 70, gain: 0.2, decay: 0.07 }],
  },
  sand: {
    noise: { filter: "highpass", frequency: 2_600, q: 0.5, gain: 0.3, attack: 0.012, decay: 0.12, grains: 2 },
  },
  glass: {
    noise: { filter: "highpass", frequency: 5_200, q: 0.7, gain: 0.22, attack: 0.001, decay: 0.04 },
    tones: [
      { frequency: 2_140, gain: 0.11, decay: 0.16 },
      { frequency: 3_390, gain: 0.07, decay: 0.11 },
      { frequency: 5_030, gain: 0.04, decay: 0.07 },
    ],
  },
  leaf: {
    noise: {
      filter: "bandpass",
      frequency: 3_600,
      to: 2_600,
      q: 0.8,
      gain: 0.4,
      attack: 0.01,
      decay: 0.06,
      grains: 3,
    },
  },
  water: {
    noise: { filter: "bandpass", frequency: 420, to: 1_150, q: 2.4, gain: 0.9, attack: 0.02, decay: 0.18 },
    tones: [{ frequency: 280, to: 620, gain: 0.1, decay: 0.12 }],
  },
};

/** Loudness, pitch and length of each kind, as shares. */
const KINDS: Readonly<
  Record<SoundKind, { readonly gain: number; readonly pitch: number; readonly length: number }>
> = {
  step: { gain: 0.3, pitch: 0.92, length: 0.8 },
  hit: { gain: 0.75, pitch: 1.06, length: 1 },
  place: { gain: 0.8, pitch: 0.84, length: 1.25 },
};
/** No two steps sound the same: pitch and loudness vary by this share. */
const VARIATION = 0.09;
const NOISE_SECONDS = 2;
const GRAIN_SECONDS = 0.045;
const SILENT = 0.0001;

/** What surrounds the player's ears. */
export interface Surroundings {
  /** How much of the sky is hidden, from 0 on a field to 1 in a cave. */
  readonly enclosure: number;
  /** How far above the land the player is, from 0 to 1, where the wind is strongest. */
  readonly height: number;
  readonly isUnderWater: boolean;
}

/** Wind, the room of caves and steps, all made of noise by code. Silent until `start`, which needs a gesture of the player. */
export class Sounds {
  #volume = 0.5;
  #playing: PlayingSounds | undefined;
  #isPaused = false;

  /** Begins to sound. Browsers allow it in a listener of a click, a touch or a key; before, it does nothing. */
  start(): void {
    if (this.#playing === undefined) {
      if (typeof AudioContext === "undefined") return;
      this.#playing = new PlayingSounds(new AudioContext(), this.#volume);
    }
    if (!this.#isPaused) this.#playing.context.resume().catch(() => undefined); // not allowed yet: another gesture may be
  }

  /** Whether sounds can be heard. */
  get isSounding(): boolean {
    return this.#playing?.context.state === "running";
  }

  /** From 0 to 1. */
  get volume(): number {
    return this.#volume;
  }

  set volume(volume: number) {
    this.#volume = volume;
    this.#playing?.setVolume(volume);
  }

  /** Plays the sound of a material once. */
  play(kind: SoundKind, material: SoundMaterial): void {
    if (!this.isSounding || this.#volume === 0) return;
    this.#playing?.play(kind, material);
  }

  /** Tells where the player is, as often as it changes; wind and rooms follow slowly. */
  surround(surroundings: Surroundings): void {
    this.#playing?.surround(surroundings);
  }

  /** Falls silent, as long as the page is hidden. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    const context = this.#playing?.context;
    if (context === undefined) return;
    (isPaused ? context.suspend() : context.resume()).catch(() => undefined); // the context was closed meanwhile
  }

  /** Ends all sounds for good. */
  dispose(): void {
    this.#playing?.context.close().catch(() => undefined); // closed already
    this.#playing = undefined;
  }
}

/** How fast surroundings change what one hears, in seconds. */
const SURROUND_SECONDS = 0.8;
const [WIND_GAIN, WIND_STILL] = [0.16, 0.012];
const CAVE_GAIN = 0.1;
const ECHO_GAIN = 0.5;
const [OPEN_HERTZ, UNDER_WATER_HERTZ] = [18_000, 520];

/** A running graph: voices and ambience, into a filter that water closes, into the volume. */
class PlayingSounds {
  readonly context: AudioContext;
  readonly #noise: AudioBuffer;
  readonly #volume: GainNode;
  readonly #ears: BiquadFilterNode;
  readonly #voices: GainNode;
  readonly #echo: GainNode;
  readonly #wind: GainNode;
  readonly #cave: GainNode;

  constructor(context: AudioContext, volume: number) {
    this.context = context;
    this.#noise = noiseBuffer(context);
    this.#volume = context.createGain();
    this.#volume.gain.value = gainOf(volume);
    this.#volume.connect(context.destination);
    this.#ears = filter(context, "lowpass", OPEN_HERTZ, 0.4);
    this.#ears.connect(this.#volume);
    this.#voices = context.createGain();
    this.#voices.connect(this.#ears);
    const room = context.createConvolver();
    room.buffer = roomBuffer(context);
    this.#echo = silentGain(context);
    this.#voices.connect(this.#echo).connect(room).connect(this.#ears);
    this.#wind = this.#ambience("bandpass", 420, 0.6, 0.13, 160);
    this.#cave = this.#ambience("lowpass", 95, 0.9, 0.05, 20);
  }

  setVolume(volume: number): void {
    this.#volume.gain.setTargetAtTime(gainOf(volume), this.context.currentTime, 0.05);
  }

  play(kind: SoundKind, material: SoundMaterial): void {
    playSound(this.context, this.#voices, this.#noise, kind, material);
  }

  surround({ enclosure, height, isUnderWater }: Surroundings): void {
    const towards = (target: AudioParam, value: number): void => {
      target.setTargetAtTime(value, this.context.currentTime, SURROUND_SECONDS);
    };
    towards(this.#wind.gain, (WIND_STILL + height * WIND_GAIN) * (1 - enclosure));
    towards(this.#cave.gain, enclosure ** 2 * CAVE_GAIN);
    towards(this.#echo.gain, enclosure ** 2 * ECHO_GAIN);
    towards(this.#ears.frequency, isUnderWater ? UNDER_WATER_HERTZ : OPEN_HERTZ);
  }

  /** Noise without an end, whose filter wanders slowly. */
  #ambience(type: BiquadFilterType, hertz: number, q: number, wanderHertz: number, wander: number): GainNode {
    const { context } = this;
    const source = noiseSource(context, this.#noise);
    source.loop = true;
    const band = filter(context, type, hertz, q);
    const slow = context.createOscillator();
    slow.frequency.value = wanderHertz;
    const depth = context.createGain();
    depth.gain.value = wander;
    slow.connect(depth).connect(band.frequency);
    const gain = silentGain(context);
    source.connect(band).connect(gain).connect(this.#ears);
    source.start();
    slow.start();
    return gain;
  }
}

/** Ears hear loudness by its logarithm: squares come near to that. */
function gainOf(volume: number): number {
  return volume ** 2;
}

/** Plays a sound once, now. */
function playSound(
  context: BaseAudioContext,
  output: AudioNode,
  noise: AudioBuffer,
  kind: SoundKind,
  material: SoundMaterial,
): void {
  const { gain, pitch, length } = KINDS[kind];
  const recipe = RECIPES[material];
  const vary = (): number => 1 + (Math.random() * 2 - 1) * VARIATION;
  const [shift, loudness] = [pitch * vary(), gain * vary()];
  const { grains = 1 } = recipe.noise;
  for (let grain = 0; grain < grains; grain++) {
    const start = context.currentTime + grain * GRAIN_SECONDS * vary();
    const source = noiseSource(context, noise);
    const band = filter(context, recipe.noise.filter, recipe.noise.frequency * shift, recipe.noise.q);
    const end = start + recipe.noise.attack + recipe.noise.decay * length;
    if (recipe.noise.to !== undefined)
      band.frequency.exponentialRampToValueAtTime(recipe.noise.to * shift, end);
    const { attack } = recipe.noise;
    source
      .connect(band)
      .connect(envelope(context, recipe.noise.gain * loudness, start, attack, end))
      .connect(output);
    source.start(start, Math.random() * (NOISE_SECONDS - 1));
    source.stop(end);
  }
  for (const tone of recipe.tones ?? []) {
    const start = context.currentTime;
    const source = context.createOscillator();
    source.frequency.value = tone.frequency * shift;
    const end = start + tone.decay * length;
    if (tone.to !== undefined) source.frequency.exponentialRampToValueAtTime(tone.to * shift, end);
    source.connect(envelope(context, tone.gain * loudness, start, 0.002, end)).connect(output);
    source.start(start);
    source.stop(end);
  }
}

/** Returns two seconds of white noise. */
function noiseBuffer(context: BaseAudioContext): AudioBuffer {
  return filledBuffer(context, NOISE_SECONDS, () => 1);
}

/** The echo of a low room: noise that fades and has no highs. */
function roomBuffer(context: BaseAudioContext): AudioBuffer {
  const buffer = filledBuffer(context, 1.1, (share) => (1 - share) ** 3 * 0.5);
  const samples = buffer.getChannelData(0);
  let last = 0;
  for (let index = 0; index < samples.length; index++) {
    last += ((samples[index] as number) - last) * 0.18;
    samples[index] = last;
  }
  return buffer;
}

function filledBuffer(
  context: BaseAudioContext,
  seconds: number,
  gainAt: (share: number) => number,
): AudioBuffer {
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * seconds), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index++)
    samples[index] = (Math.random() * 2 - 1) * gainAt(index / samples.length);
  return buffer;
}

function noiseSource(context: BaseAudioContext, noise: AudioBuffer): AudioBufferSourceNode {
  const source = context.createBufferSource();
  source.buffer = noise;
  return source;
}

function filter(
  context: BaseAudioContext,
  type: BiquadFilterType,
  hertz: number,
  q: number,
): BiquadFilterNode {
  const node = context.createBiquadFilter();
  node.type = type;
  node.frequency.value = hertz;
  node.Q.value = q;
  return node;
}

function silentGain(context: BaseAudioContext): GainNode {
  const gain = context.createGain();
  gain.gain.value = 0;
  return gain;
}

function envelope(
  context: BaseAudioContext,
  gain: number,
  start: number,
  attack: number,
  end: number,
): GainNode {
  const node = context.createGain();
  node.gain.setValueAtTime(SILENT, start);
  node.gain.exponentialRampToValueAtTime(gain, start + attack);
  node.gain.exponentialRampToValueAtTime(SILENT, end);
  return node;
}
