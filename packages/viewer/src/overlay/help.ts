import type { WorldFacts } from "../message/messages.ts";
import { axesOf } from "../slice/slice.ts";
import { element } from "./element.ts";

const SEEN_KEY = "orthant viewer help seen";

/** A card with the controls, shown on a first visit and on request. */
export class Help {
  readonly #dialog = element("help", HTMLDialogElement);

  constructor(onClose: () => void) {
    element("open-help", HTMLButtonElement).addEventListener("click", () => this.toggle());
    this.#dialog.addEventListener("close", () => {
      remember();
      onClose();
    });
    this.#dialog.addEventListener("click", (event) => {
      // A click outside the card.
      if (event.target === this.#dialog) this.#dialog.close();
    });
  }

  /** Shows the card on a first visit. */
  greet(): void {
    if (!wasSeen()) this.#show();
  }

  /** Shows or hides the card. */
  toggle(): void {
    if (this.#dialog.open) this.#dialog.close();
    else this.#show();
  }

  /** Hides the card. */
  close(): void {
    this.#dialog.close();
  }

  /** Whether the card is visible. */
  get isOpen(): boolean {
    return this.#dialog.open;
  }

  #show(): void {
    this.#dialog.showModal();
    element("close-help", HTMLButtonElement).focus();
  }

  /** Hides the controls that do not work in this world. */
  suit({ shape, canEdit }: WorldFacts): void {
    for (const part of this.#dialog.querySelectorAll<HTMLElement>("[data-needs]")) {
      part.hidden = part.dataset["needs"] === "edit" ? !canEdit : axesOf(shape).length < 4;
    }
  }
}

/** Some pages have no access to storage; every visit then counts as the first. */
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
    // The card shows again next time, which does no harm.
  }
}
