/** Voxels per second: normal, and with Shift. */
const SPEED = 14;
const FAST_SPEED = 52;
/** Rate at which the motion approaches its target speed. */
const EASE_PER_SECOND = 11;

/** Direction of the held keys: right, up and ahead, each from -1 to 1. */
export type Heading = readonly [right: number, up: number, ahead: number];

const KEYS: Readonly<Record<string, Heading>> = {
  KeyW: [0, 0, 1],
  KeyS: [0, 0, -1],
  KeyA: [-1, 0, 0],
  KeyD: [1, 0, 0],
  KeyE: [0, 1, 0],
  Space: [0, 1, 0],
  KeyQ: [0, -1, 0],
  KeyC: [0, -1, 0],
  ArrowUp: [0, 0, 1],
  ArrowDown: [0, 0, -1],
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
};

/** Tracks the held movement keys and turns them into motion that starts and stops smoothly. */
export class HeldKeys {
  readonly #held = new Set<string>();
  #isFast = false;
  #motion: Heading = [0, 0, 0];

  /** Handles a key press. Returns whether the key is a movement key. */
  down(event: KeyboardEvent): boolean {
    this.#isFast = event.shiftKey;
    if (KEYS[event.code] === undefined || event.ctrlKey || event.metaKey) return false;
    this.#held.add(event.code);
    return true;
  }

  /** Handles a key release. */
  up(event: KeyboardEvent): void {
    this.#isFast = event.shiftKey;
    this.#held.delete(event.code);
  }

  /** Releases all keys when the page loses focus, because it then misses key releases. */
  release(): void {
    this.#held.clear();
  }

  /** Returns the distance to move in `seconds`, in voxels. */
  advance(seconds: number): Heading {
    const wanted = this.#heading();
    const speed = this.#isFast ? FAST_SPEED : SPEED;
    const share = 1 - Math.exp(-EASE_PER_SECOND * seconds);
    const towards = (index: 0 | 1 | 2): number => {
      const next = this.#motion[index] + (wanted[index] * speed - this.#motion[index]) * share;
      return Math.abs(next) < 0.01 ? 0 : next;
    };
    this.#motion = [towards(0), towards(1), towards(2)];
    return [this.#motion[0] * seconds, this.#motion[1] * seconds, this.#motion[2] * seconds];
  }

  #heading(): Heading {
    const sum = [0, 0, 0];
    for (const code of this.#held)
      for (const index of [0, 1, 2] as const)
        sum[index] = (sum[index] as number) + (KEYS[code]?.[index] ?? 0);
    const length = Math.max(1, Math.hypot(...sum));
    return [(sum[0] as number) / length, (sum[1] as number) / length, (sum[2] as number) / length];
  }
}
