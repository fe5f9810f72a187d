import type { WorldFacts } from "../message/world-facts.ts";
import { axesOf } from "../slice/slice.ts";
import { element } from "./element.ts";

const SEEN_KEY = "orthant viewer help seen";

/** The controls, on one card: shown to a first-time visitor, and to whoever asks. */
export class Help {
  readonly #dialog = element("help", HTMLDialogElement);

  constructor(onClose: () => void) {
    element("open-help", HTMLButtonElement).addEventListener("click", () => this.toggle());
    this.#dialog.addEventListener("close", () => {
      remember();
      onClose();
    });
    this.#dialog.addEventListener("click", (event) => {
      // Beside the card.
      if (event.target === this.#dialog) this.#dialog.close();
    });
  }

  /** Shows the card to somebody who has not seen it. */
  greet(): void {
    if (!wasSeen()) this.#show();
  }

  /** Shows the card, or puts it away. */
  toggle(): void {
    if (this.#dialog.open) this.#dialog.close();
    else this.#show();
  }

  /** Puts the card away. */
  close(): void {
    this.#dialog.close();
  }

  /** Whether the card is in the way. */
  get isOpen(): boolean {
    return this.#dialog.open;
  }

  #show(): void {
    this.#dialog.showModal();
    element("close-help", HTMLButtonElement).focus();
  }

  /** Leaves out what does not work in this world. */
  suit({ shape, canEdit }: WorldFacts): void {
    for (const part of this.#dialog.querySelectorAll<HTMLElement>("[data-needs]")) {
      part.hidden = part.dataset["needs"] === "edit" ? !canEdit : axesOf(shape).length < 4;
    }
  }
}

/** Storage is refused to some pages; then everybody is new. */
function wasSeen(): boolean {
  try {
    return localStorage.getItem(SEEN_KEY) !== null;
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(SEEN_KEY, "yes");
  } catch {
    // Then the card comes again, which does no harm.
  }
}
