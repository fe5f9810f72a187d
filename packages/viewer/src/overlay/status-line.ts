import type { WorldStatus } from "../message/world-facts.ts";
import { element, showText } from "./element.ts";

const NOTICE_MS = 3_500;

/** Says how the page stands with its world, and what just happened. */
export class StatusLine {
  readonly #status = element("status", HTMLElement);
  readonly #text = element("status-text", HTMLElement);
  readonly #form = element("token-form", HTMLFormElement);
  readonly #token = element("token", HTMLInputElement);
  readonly #again = element("again", HTMLButtonElement);
  readonly #notice = element("notice", HTMLElement);
  #timer = 0;

  /** `onToken` is told a token that the visitor entered, `onAgain` that they want to try once more. */
  constructor(onToken: (token: string) => void, onAgain: () => void) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#token.value.trim() !== "") onToken(this.#token.value.trim());
      this.#token.value = "";
    });
    this.#again.addEventListener("click", onAgain);
  }

  /** Shows a status; `ready` says what there is to say when all is well; a text comes behind it. */
  show({ kind, text }: WorldStatus, ready: string): void {
    this.#status.dataset["kind"] = kind;
    showText(this.#text, kind === "ready" ? [ready, text].filter(Boolean).join(". ") : text);
    this.#form.hidden = kind !== "refused";
    this.#again.hidden = kind !== "failed" && kind !== "refused";
  }

  /** Says something for a moment. */
  notice(text: string, isBad: boolean): void {
    showText(this.#notice, text);
    this.#notice.classList.toggle("bad", isBad);
    this.#notice.classList.add("shown");
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#notice.classList.remove("shown"), NOTICE_MS);
  }
}
