import type { Builder, BuilderTargets } from "./builder/builder.ts";
import type { BuildAnswer, BuildRequest } from "./edit/build-messages.ts";
import type { Hit, PageMessage, WorkerMessage } from "./message/messages.ts";

/** Loads the builder's tools when they are first wanted, and passes input and answers to them. */
export class Building {
  readonly #targets: Omit<BuilderTargets, "ask" | "undo" | "redo">;
  readonly #send: (message: PageMessage) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #open = new Map<number, (answer: BuildAnswer) => void>();
  #lastId = 0;
  #builder: Builder | undefined;
  #loading: Promise<void> | undefined;
  #isOn = false;

  constructor(
    targets: Omit<BuilderTargets, "ask" | "undo" | "redo">,
    send: (message: PageMessage) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#targets = targets;
    this.#send = send;
    this.#onFailure = onFailure;
  }

  /** Shows or hides the tools. */
  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    if (this.#builder !== undefined) this.#builder.isOn = isOn;
    else if (isOn) this.#loading ??= this.#load().catch(this.#onFailure);
  }

  /** Forgets the world. */
  leave(): void {
    for (const answer of this.#open.values()) answer({ kind: "nothing" });
    this.#open.clear();
    this.#builder?.forget();
  }

  hover(hit: Hit | undefined): void {
    this.#builder?.hover(hit);
  }

  click(hit: Hit | undefined, isPutting: boolean): void {
    this.#builder?.click(hit, isPutting);
  }

  /** Returns whether a key does anything for the tools. */
  key(event: KeyboardEvent): boolean {
    return this.#builder?.key(event) ?? false;
  }

  /** Handles a message of the worker. */
  receive(message: Extract<WorkerMessage, { kind: "built" | "buildNews" }>): void {
    if (message.kind === "buildNews") this.#builder?.receive(message.news);
    else {
      this.#open.get(message.id)?.(message.answer);
      this.#open.delete(message.id);
    }
  }

  async #load(): Promise<void> {
    const { Builder } = await import("./builder/builder.ts");
    this.#builder = new Builder({
      ...this.#targets,
      ask: (request) => this.#ask(request),
      undo: () => this.#send({ kind: "undo" }),
      redo: () => this.#send({ kind: "redo" }),
    });
    this.#builder.isOn = this.#isOn;
  }

  #ask(request: BuildRequest): Promise<BuildAnswer> {
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      this.#open.set(id, resolve);
      this.#send({ kind: "build", id, request });
    });
  }
}
