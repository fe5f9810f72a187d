/** Voxels per second: normal, and with Shift. */
const SPEED = 14;
const FAST_SPEED = 52;
/** Rate at which the motion approaches its target speed. */
const EASE_PER_SECOND = 11;

/** Direction of the held keys: right, up and ahead, each from -1 to 1. */
export type Heading = readonly [right: number, up: number, ahead: number];

const KEYS: ReadonlyMap<string, Heading> = new Map([
  ["KeyW", [0, 0, 1]],
  ["KeyS", [0, 0, -1]],
  ["KeyA", [-1, 0, 0]],
  ["KeyD", [1, 0, 0]],
  ["KeyE", [0, 1, 0]],
  ["Space", [0, 1, 0]],
  ["KeyQ", [0, -1, 0]],
  ["KeyC", [0, -1, 0]],
  ["ArrowUp", [0, 0, 1]],
  ["ArrowDown", [0, 0, -1]],
  ["ArrowLeft", [-1, 0, 0]],
  ["ArrowRight", [1, 0, 0]],
]);

/** Tracks the held movement keys and turns them into motion that starts and stops smoothly. */
export class HeldKeys {
  readonly #held = new Set<string>();
  #isFast = false;
  #motion: Heading = [0, 0, 0];

  /** Handles a key press. Returns whether the key is a movement key. */
  down(event: KeyboardEvent): boolean {
    this.#isFast = event.shiftKey;
    if (!KEYS.has(event.code) || event.ctrlKey || event.metaKey) return false;
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
        sum[index] = (sum[index] as number) + (KEYS.get(code)?.[index] ?? 0);
    const length = Math.max(1, Math.hypot(...sum));
    return [(sum[0] as number) / length, (sum[1] as number) / length, (sum[2] as number) / length];
  }
}

/** Callbacks for mouse and touch input. All distances are in CSS pixels. */
interface PointerEvents {
  /** One pointer was dragged. */
  readonly onDrag: (right: number, down: number) => void;
  /** Two fingers moved together, and `apart` pixels away from each other. */
  readonly onPinch: (right: number, down: number, apart: number) => void;
  /** A pointer was pressed and released without moving. */
  readonly onClick: (event: PointerEvent) => void;
  /** The mouse moved with no button pressed. */
  readonly onHover: (event: PointerEvent) => void;
  /** The wheel turned by `notches`. */
  readonly onWheel: (notches: number, event: WheelEvent) => void;
}

/** A pointer that moves less than this clicks rather than drags. */
const CLICK_PIXELS = 5;
const PIXELS_PER_NOTCH = 100;
const PIXELS_PER_LINE = 33;

interface Held {
  x: number;
  y: number;
  moved: number;
}

/** Watches the pointers over an element. */
export function watchPointers(target: HTMLElement, events: PointerEvents): void {
  const held = new Map<number, Held>();
  let wheel = 0;

  target.addEventListener("pointerdown", (event) => {
    target.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.clientX, y: event.clientY, moved: 0 });
  });
  target.addEventListener("pointermove", (event) => {
    const pointer = held.get(event.pointerId);
    if (pointer === undefined) {
      events.onHover(event);
      return;
    }
    const before = spreadOf(held);
    const right = event.clientX - pointer.x;
    const down = event.clientY - pointer.y;
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    pointer.moved += Math.hypot(right, down);
    if (held.size === 2) events.onPinch(right / 2, down / 2, spreadOf(held) - before);
    else if (pointer.moved >= CLICK_PIXELS) events.onDrag(right, down);
  });
  target.addEventListener("pointerup", (event) => {
    const pointer = held.get(event.pointerId);
    if (pointer !== undefined && pointer.moved < CLICK_PIXELS && held.size === 1) events.onClick(event);
    held.delete(event.pointerId);
  });
  target.addEventListener("pointercancel", (event) => held.delete(event.pointerId));
  target.addEventListener("contextmenu", (event) => event.preventDefault());
  target.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      wheel += (event.deltaY * (event.deltaMode === 0 ? 1 : PIXELS_PER_LINE)) / PIXELS_PER_NOTCH;
      const notches = Math.trunc(wheel);
      wheel -= notches;
      if (notches !== 0) events.onWheel(notches, event);
    },
    { passive: false },
  );
}

function spreadOf(held: ReadonlyMap<number, Held>): number {
  const [first, second] = [...held.values()];
  return first && second ? Math.hypot(first.x - second.x, first.y - second.y) : 0;
}
