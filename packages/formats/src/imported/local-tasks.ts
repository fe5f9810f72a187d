import { OrthantError } from "@orthant/core";
import { type EncodedLeaf, encodeBulkLeaves } from "@orthant/save";
import type { ImportTasks, PieceCensus } from "../format/import-tasks.ts";
import type { ImportSource } from "./import-source.ts";
import { isAir } from "./imported-blocks.ts";
import { storedEntities } from "./imported-entities.ts";
import { holdsBlocks, leavesOf } from "./imported-leaves.ts";

/** The work on pieces in this thread. */
export class LocalImportTasks implements ImportTasks {
  readonly width: number = 1;
  readonly #source: ImportSource;
  readonly #seen = new Set<string>();
  #blocks: ReadonlyMap<string, number> = new Map();

  constructor(source: ImportSource) {
    this.#source = source;
  }

  async takeCensus(piece: number): Promise<PieceCensus> {
    const { chunks, entities = [], losses, savedAtMs } = await this.#source.readPiece(piece);
    const states: string[] = [];
    let solid = 0;
    for (const { voxels } of chunks) {
      if (holdsBlocks(voxels, isAir)) solid++;
      for (const state of voxels.palette) {
        if (this.#seen.has(state)) continue;
        this.#seen.add(state);
        states.push(state);
      }
    }
    return { states, chunks: solid, entities: entities.length, losses, savedAtMs };
  }

  useBlocks(blocks: ReadonlyMap<string, number>): void {
    this.#blocks = blocks;
  }

  async encode(piece: number): Promise<readonly EncodedLeaf[]> {
    const { shape } = this.#source;
    const { chunks, entities = [], savedAtMs } = await this.#source.readPiece(piece);
    const stored = storedEntities(entities, piece, savedAtMs);
    const leaves = leavesOf(chunks, shape, (state) => this.#blockOf(state), stored);
    return encodeBulkLeaves(leaves, shape);
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  #blockOf(state: string): number {
    const block = this.#blocks.get(state);
    if (block !== undefined) return block;
    const detail = `the world changed while it was read: ${state} is new`;
    throw new OrthantError("ORT_FOREIGN", `${detail}; close the game, and convert it again`);
  }
}

/** Works on pieces from `first` on, several at once, and yields the results in the order of the pieces. */
export async function* inOrder<Value>(
  first: number,
  end: number,
  width: number,
  work: (piece: number) => Promise<Value>,
): AsyncGenerator<Value> {
  const running: Promise<Value>[] = [];
  for (let piece = first; piece < end || running.length > 0; ) {
    while (piece < end && running.length < width) {
      const next = work(piece++);
      // The failure is thrown when its turn comes.
      next.catch(() => undefined);
      running.push(next);
    }
    yield await (running.shift() as Promise<Value>);
  }
}
