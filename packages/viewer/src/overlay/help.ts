import type { WorldFacts } from "../message/messages.ts";
import { axesOf } from "../slice/slice.ts";
import type { ViewerElements } from "./elements.ts";

const SEEN_KEY = "orthant viewer help seen";

/** A card with the controls, shown on a first visit and on request. */
export class Help {
  readonly #dialog: HTMLDialogElement;
  readonly #begin: HTMLButtonElement;
  readonly #isPage: boolean;

  /** `isPage` says whether the viewer has a page of its own, with an address and dropped files. */
  constructor(elements: ViewerElements, isPage: boolean, onClose: () => void) {
    this.#dialog = elements.find("help", HTMLDialogElement);
    this.#begin = elements.find("close-help", HTMLButtonElement);
    this.#isPage = isPage;
    elements.find("open-help", HTMLButtonElement).addEventListener("click", () => this.toggle());
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
    this.#begin.focus();
  }

  /** Hides the controls that do not work in this world. */
  suit({ shape, canEdit }: WorldFacts): void {
    const has: ReadonlyMap<string, boolean> = new Map([
      ["edit", canEdit],
      ["four", axesOf(shape).length === 4],
      ["page", this.#isPage],
    ]);
    for (const part of this.#dialog.querySelectorAll<HTMLElement>("[data-needs]")) {
      part.hidden = has.get(part.dataset["needs"] ?? "") !== true;
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
