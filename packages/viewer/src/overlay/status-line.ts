import type { WorldStatus } from "../message/world-facts.ts";
import { element, showText } from "./element.ts";

const NOTICE_MS = 3_500;

/** Shows the state of the connection to the world, and short notices. */
export class StatusLine {
  readonly #status = element("status", HTMLElement);
  readonly #text = element("status-text", HTMLElement);
  readonly #form = element("token-form", HTMLFormElement);
  readonly #token = element("token", HTMLInputElement);
  readonly #again = element("again", HTMLButtonElement);
  readonly #notice = element("notice", HTMLElement);
  #timer = 0;

  /** `onToken` receives a token that the visitor entered. `onAgain` runs when they want to retry. */
  constructor(onToken: (token: string) => void, onAgain: () => void) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#token.value.trim() !== "") onToken(this.#token.value.trim());
      this.#token.value = "";
    });
    this.#again.addEventListener("click", onAgain);
  }

  /** Shows a status. When it is `ready`, shows the text `ready`, followed by the status's own text. */
  show({ kind, text }: WorldStatus, ready: string): void {
    this.#status.dataset["kind"] = kind;
    showText(this.#text, kind === "ready" ? [ready, text].filter(Boolean).join(". ") : text);
    this.#form.hidden = kind !== "refused";
    this.#again.hidden = kind !== "failed" && kind !== "refused";
  }

  /** Shows a notice for a moment. */
  notice(text: string, isBad: boolean): void {
    showText(this.#notice, text);
    this.#notice.classList.toggle("bad", isBad);
    this.#notice.classList.add("shown");
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#notice.classList.remove("shown"), NOTICE_MS);
  }
}
