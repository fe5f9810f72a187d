import type { Position } from "@orthant/core";
import type { PageMessage, VoxelContent, WorkerMessage } from "./message/messages.ts";

const UNKNOWN: VoxelContent = { block: undefined, data: undefined };

/** Asks the worker, which holds the world, for the content of voxels. */
export class VoxelQuestions {
  readonly #send: (message: PageMessage) => void;
  readonly #open = new Map<number, (content: VoxelContent) => void>();
  #lastId = 0;

  constructor(send: (message: PageMessage) => void) {
    this.#send = send;
  }

  /** Returns the content of a voxel. */
  ask(position: Position): Promise<VoxelContent> {
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      this.#open.set(id, resolve);
      this.#send({ kind: "voxel", id, position });
    });
  }

  /** Handles an answer of the worker. */
  receive(message: Extract<WorkerMessage, { kind: "voxel" }>): void {
    this.#open.get(message.id)?.(message);
    this.#open.delete(message.id);
  }

  /** Answers all open questions with an unknown voxel. */
  end(): void {
    for (const answer of this.#open.values()) answer(UNKNOWN);
    this.#open.clear();
  }
}
