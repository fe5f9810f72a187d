import type { Chunk } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { getOrAdd } from "@orthant/core/lattice";
import type { Piece } from "@orthant/core/tree";
import { type MeshTask, PIECE_NUMBERS } from "./mesh-tasks.ts";

/** Memory of a chunk in a worker besides its voxels. */
const CHUNK_BYTES = 200;

/** Which chunks each worker keeps. A chunk is immutable, so the object tells whether a worker has it. */
export class SentChunks {
  readonly #bytesMax: number;
  readonly #numbers = new WeakMap<Chunk, number>();
  /** By worker: the bytes of its chunks by number, those used least recently first. */
  readonly #workers = new Map<number, Map<number, number>>();
  readonly #bytes = new Map<number, number>();
  #nextNumber = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns what a worker needs for pieces of a world, which it has from now on. */
  toWorker(worker: number, pieces: readonly Piece<Chunk>[]): Pick<MeshTask, "pieces" | "sent" | "forgotten"> {
    const kept = getOrAdd(this.#workers, worker, () => new Map<number, number>());
    let bytes = this.#bytes.get(worker) ?? 0;
    const numbers = new Int32Array(pieces.length * PIECE_NUMBERS);
    const sent: [number, Uint8Array][] = [];
    const used = new Set<number>();
    for (const [index, { box, content }] of pieces.entries()) {
      const number = getOrAdd(this.#numbers, content, () => this.#nextNumber++);
      numbers.set([...box.min, ...box.max, number], index * PIECE_NUMBERS);
      used.add(number);
      const own = kept.get(number);
      if (own === undefined) {
        sent.push([number, encode(chunkCodec(content.volume), content)]);
        bytes += content.memoryBytes + CHUNK_BYTES;
      }
      kept.delete(number);
      kept.set(number, own ?? content.memoryBytes + CHUNK_BYTES);
    }
    const forgotten: number[] = [];
    for (const [number, size] of kept) {
      if (bytes <= this.#bytesMax || used.has(number)) break;
      kept.delete(number);
      bytes -= size;
      forgotten.push(number);
    }
    this.#bytes.set(worker, bytes);
    return { pieces: numbers, sent, forgotten };
  }

  /** Forgets a worker that has ended. */
  forget(worker: number): void {
    this.#workers.delete(worker);
    this.#bytes.delete(worker);
  }
}
