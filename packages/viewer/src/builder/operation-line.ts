import type { BuildAnswer, BuildFault, BuildRequest } from "../edit/build-messages.ts";
import { showText, type ViewerElements } from "../overlay/elements.ts";

/** What the line needs of the builder. */
interface LineEvents {
  ask(request: BuildRequest): Promise<BuildAnswer>;
  /** Does an operation. Resolves with what is wrong with it, if anything is. */
  run(text: string): Promise<BuildFault | undefined>;
  leave(): void;
}

/** A line for the text of an operation, with words to complete it and the place of a mistake. */
export class OperationLine {
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #fault: HTMLElement;
  readonly #events: LineEvents;
  #from = 0;
  #words: readonly string[] = [];
  #chosen = -1;
  /** Counts questions, so that only the last answer counts. */
  #asked = 0;
  /** Operations that were done, to be found again with the arrows. */
  #earlier: readonly string[] = [];

  constructor(elements: ViewerElements, events: LineEvents) {
    this.#input = elements.find("build-line", HTMLInputElement);
    this.#list = elements.find("build-words", HTMLElement);
    this.#fault = elements.find("build-fault", HTMLElement);
    this.#events = events;
    this.#input.addEventListener("input", () => void this.#complete());
    this.#input.addEventListener("focus", () => void this.#complete());
    this.#input.addEventListener("blur", () => this.#offer(0, []));
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    elements.find("build-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#run();
    });
    // Before the input loses the focus.
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const index = [...this.#list.children].indexOf(event.target as Element);
      if (index >= 0) this.#take(index);
    });
  }

  focus(): void {
    this.#input.focus();
  }

  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") {
      if (this.#words.length > 0) this.#offer(0, []);
      else this.#events.leave();
    } else if (event.key === "Tab" && this.#words.length > 0 && !event.shiftKey) {
      event.preventDefault();
      this.#take(Math.max(0, this.#chosen));
    } else if (event.key === "Enter" && this.#chosen >= 0) {
      event.preventDefault();
      this.#take(this.#chosen);
    } else if (step !== 0) {
      event.preventDefault();
      if (this.#words.length > 0)
        this.#choose((this.#chosen + step + this.#words.length) % this.#words.length);
      else if (step < 0) this.#recall();
    }
  }

  #recall(): void {
    const [last, ...rest] = this.#earlier;
    if (last === undefined) return;
    this.#earlier = [...rest, last];
    this.#input.value = last;
  }

  async #complete(): Promise<void> {
    const { value, selectionStart } = this.#input;
    const before = value.slice(0, selectionStart ?? value.length);
    const asked = ++this.#asked;
    const answer = await this.#events.ask({ kind: "complete", text: before });
    if (answer.kind !== "completed" || asked !== this.#asked) return;
    this.#showFault(answer.fault, value);
    const isFocused = (this.#input.getRootNode() as ShadowRoot).activeElement === this.#input;
    this.#offer(answer.from, isFocused ? answer.words : []);
  }

  async #run(): Promise<void> {
    const text = this.#input.value.trim();
    if (text === "") return;
    this.#asked++;
    this.#offer(0, []);
    const fault = await this.#events.run(text);
    this.#showFault(fault, this.#input.value);
    if (fault !== undefined) return;
    this.#earlier = [text, ...this.#earlier.filter((other) => other !== text)];
    this.#input.value = "";
    this.#events.leave();
  }

  #offer(from: number, words: readonly string[]): void {
    this.#from = from;
    this.#words = words;
    this.#list.hidden = words.length === 0;
    this.#input.setAttribute("aria-expanded", String(words.length > 0));
    this.#list.replaceChildren(
      ...words.map((word, index) => {
        const option = document.createElement("div");
        option.id = `build-word-${index}`;
        option.role = "option";
        showText(option, word);
        return option;
      }),
    );
    this.#choose(-1);
  }

  #choose(index: number): void {
    this.#chosen = index;
    for (const [at, option] of [...this.#list.children].entries())
      option.setAttribute("aria-selected", String(at === index));
    if (index < 0) this.#input.removeAttribute("aria-activedescendant");
    else this.#input.setAttribute("aria-activedescendant", `build-word-${index}`);
  }

  #take(index: number): void {
    const word = this.#words[index];
    if (word === undefined) return;
    const { value, selectionStart } = this.#input;
    const rest = value.slice(selectionStart ?? value.length);
    const begin = value.slice(0, this.#from) + word;
    const space = rest === "" && !/[ (=]$/.test(word) ? " " : "";
    this.#input.value = begin + space + rest;
    this.#input.setSelectionRange(begin.length + space.length, begin.length + space.length);
    void this.#complete();
  }

  #showFault(fault: BuildFault | undefined, text: string): void {
    this.#fault.hidden = fault === undefined;
    this.#input.setAttribute("aria-invalid", String(fault !== undefined));
    if (fault === undefined) return;
    const { column } = fault;
    const lines = column === undefined ? [] : [text, `${" ".repeat(column - 1)}^`];
    this.#fault.textContent = [...lines, fault.text].join("\n");
  }
}
