import { element, showText } from "./element.ts";

/** A text at a point of the page. */
export interface Label {
  readonly text: string;
  readonly at: readonly [left: number, top: number];
  readonly kind: "label" | "clock";
}

/** Texts over the scene. Reuses its elements, so that moving them is cheap. */
export class Labels {
  readonly #parent = element("labels", HTMLElement);
  readonly #used: HTMLElement[] = [];

  /** Shows these labels and no others. */
  show(labels: readonly Label[]): void {
    for (const [index, { text, at, kind }] of labels.entries()) {
      const shown = this.#used[index] ?? this.#another();
      shown.hidden = false;
      showText(shown, text);
      if (shown.className !== kind) shown.className = kind;
      shown.style.left = `${at[0].toFixed(1)}px`;
      shown.style.top = `${at[1].toFixed(1)}px`;
    }
    for (const unused of this.#used.slice(labels.length)) unused.hidden = true;
  }

  #another(): HTMLElement {
    const made = document.createElement("span");
    this.#parent.append(made);
    this.#used.push(made);
    return made;
  }
}
