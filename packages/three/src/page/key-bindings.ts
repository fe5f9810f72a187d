import { requireList, wrongArgument } from "@orthant/core/arguments";

/** What keys do. */
export type KeyAction =
  | "ahead"
  | "back"
  | "left"
  | "right"
  | "jump"
  | "down"
  | "run"
  | "fly"
  | "dig"
  | "place"
  | "lookLeft"
  | "lookRight"
  | "lookUp"
  | "lookDown";

/** The keys of each action, as `KeyboardEvent.code` names them: by their place, whatever letter is on them. */
export type KeyBindings = Readonly<Record<KeyAction, readonly string[]>>;

const DEFAULT_KEYS: KeyBindings = {
  ahead: ["KeyW"],
  back: ["KeyS"],
  left: ["KeyA"],
  right: ["KeyD"],
  jump: ["Space"],
  down: ["ShiftLeft", "KeyC"],
  run: ["ControlLeft", "KeyR"],
  fly: ["KeyF"],
  dig: ["KeyQ"],
  place: ["KeyE"],
  lookLeft: ["ArrowLeft"],
  lookRight: ["ArrowRight"],
  lookUp: ["ArrowUp"],
  lookDown: ["ArrowDown"],
};

/** Returns the default keys with those that a game sets. */
export function keyBindings(given: Partial<KeyBindings> = {}): KeyBindings {
  for (const [action, codes] of Object.entries(given)) {
    const name = `keys.${action}`;
    const advice = 'it is a list of codes of keys, such as ["KeyW", "ArrowUp"]';
    if (!Object.hasOwn(DEFAULT_KEYS, action))
      throw wrongArgument("the key action", action, `it is one of ${Object.keys(DEFAULT_KEYS).join(", ")}`);
    requireList(name, codes, advice);
    if (codes.some((code) => typeof code !== "string")) throw wrongArgument(name, codes, advice);
  }
  return { ...DEFAULT_KEYS, ...given };
}

/** Knows which keys are held. */
export class BoundKeys {
  readonly #bindings: KeyBindings;
  readonly #held = new Set<string>();

  constructor(bindings: KeyBindings) {
    this.#bindings = bindings;
  }

  press(code: string): void {
    this.#held.add(code);
  }

  release(code: string): void {
    this.#held.delete(code);
  }

  /** The page misses keys that are released while it has no focus. */
  releaseAll(): void {
    this.#held.clear();
  }

  /** Whether one of the keys of an action is held. */
  has(action: KeyAction): boolean {
    return this.#bindings[action].some((code) => this.#held.has(code));
  }

  /** Returns 1, -1 or 0 from two opposite actions. */
  axis(forth: KeyAction, back: KeyAction): number {
    return Number(this.has(forth)) - Number(this.has(back));
  }

  /** Whether a key belongs to an action. */
  is(code: string, action: KeyAction): boolean {
    return this.#bindings[action].includes(code);
  }

  /** Whether a key belongs to any action. */
  isBound(code: string): boolean {
    return Object.values(this.#bindings).some((codes) => codes.includes(code));
  }
}
