import { element } from "./elements.ts";
import { keep, kept } from "./game-settings.ts";

/** What a player can do, and how. */
export interface Hint {
  /** A key, or what a finger does. */
  readonly keys: string;
  readonly text: string;
}

const SHOWN_MAX = 3;

/** Says how to play, a few things at a time. What a player has done once fades, and is not said again on this browser. */
export class Hints {
  readonly element: HTMLElement = element("ul", "hints");
  readonly #key: string;
  readonly #used: Set<string>;
  readonly #shown = new Map<string, HTMLElement>();
  #hints: ReadonlyMap<string, Hint> = new Map();

  constructor(game: string) {
    this.#key = `orthant hints ${game}`;
    this.#used = new Set((kept(this.#key) ?? "").split(" "));
    this.element.ariaLabel = "How to play";
  }

  /** Shows hints, by what they are about, in this order. */
  show(hints: Readonly<Record<string, Hint>>): void {
    this.#hints = new Map(Object.entries(hints));
    for (const shown of this.#shown.values()) shown.remove();
    this.#shown.clear();
    this.#fill();
  }

  /** The player has done what a hint is about. */
  used(name: string): void {
    if (this.#used.has(name) || !this.#hints.has(name)) return;
    this.#used.add(name);
    keep(this.#key, [...this.#used].filter((word) => word !== "").join(" "));
    const shown = this.#shown.get(name);
    if (shown === undefined) return;
    this.#shown.delete(name);
    shown.classList.add("used");
    const remove = (): void => {
      shown.remove();
      this.#fill();
    };
    shown.addEventListener("transitionend", remove, { once: true });
    // Without transitions, as some players want it, nothing ends.
    if (getComputedStyle(shown).transitionDuration === "0s") remove();
  }

  #fill(): void {
    for (const [name, { keys, text }] of this.#hints) {
      if (this.#shown.size >= SHOWN_MAX) return;
      if (this.#used.has(name) || this.#shown.has(name)) continue;
      const hint = element("li", "hint", element("kbd", "", keys), ` ${text}`);
      this.#shown.set(name, hint);
      this.element.append(hint);
    }
  }
}
