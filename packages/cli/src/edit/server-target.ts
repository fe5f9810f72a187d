import type { ClientWorld } from "@orthant/client";
import type { Dimensions } from "@orthant/core";
import type { Clipboard, Operation, Selection } from "@orthant/core/operations";
import type { ApplyOptions } from "@orthant/world";
import type { EditTarget, TargetChange } from "./edit-target.ts";

/** How operations of a server are done. */
export interface ServerTargetOptions {
  readonly isDry: boolean;
  /** Whether the user knows that an operation is large. */
  readonly isConfirmed: boolean;
}

/** A world of a server. The server keeps clipboards, and what its player can undo, also after the command. */
export class ServerTarget implements EditTarget {
  readonly keepsClipboards = true;
  readonly #client: ClientWorld;
  readonly #options: ServerTargetOptions;

  constructor(client: ClientWorld, options: ServerTargetOptions) {
    this.#client = client;
    this.#options = options;
  }

  get dimensions(): Dimensions {
    return this.#client.dimensions;
  }

  apply(operation: Operation, options: ApplyOptions): Promise<TargetChange> {
    const { isDry, isConfirmed } = this.#options;
    return this.#client.apply(operation, { ...options, dryRun: isDry, confirm: isConfirmed });
  }

  undo(): Promise<TargetChange> {
    return this.#client.operations.undo();
  }

  redo(): Promise<TargetChange> {
    return this.#client.operations.redo();
  }

  clipboard(selection: Selection): Promise<Clipboard> {
    return this.#client.clipboard(selection);
  }

  async defineBlocks(): Promise<readonly string[]> {
    // Players define no blocks; what they copied has those of the world.
    return [];
  }
}
