import type { Disk } from "@orthant/disk";
import { BulkSaveWriter, plainDescription } from "@orthant/save";
import type { ConversionOutcome } from "../format/format.ts";
import { ConversionLosses } from "../format/losses.ts";
import type { ImportSource } from "./import-source.ts";
import { type ImportedBlocks, isAir, StateCollector, wellFormed } from "./imported-blocks.ts";
import { holdsBlocks, leavesOf } from "./imported-leaves.ts";

const NAME_LENGTH_MAX = 1_024;
/** Spawn points farther away are those of no game. */
const SPAWN_MAX = 2 ** 31;

/** What a first pass has found: all states, and what would be lost. */
interface Census {
  readonly blocks: ImportedBlocks;
  readonly losses: ConversionLosses;
  readonly chunks: number;
  readonly savedAtMs: number;
}

/**
 * Converts a world of another program to a save, piece by piece: a first pass finds all states and losses, and a second
 * one writes.
 */
export class ImportConversion {
  readonly #source: ImportSource;
  #census: Census | undefined;

  constructor(source: ImportSource) {
    this.#source = source;
  }

  /** Converts the world. Without a disk, only reports what would be lost. */
  async run(target: Disk | undefined, onStep: () => void): Promise<ConversionOutcome> {
    const census = this.#census ?? (await this.#takeCensus(target === undefined ? onStep : () => undefined));
    this.#census = census;
    if (target !== undefined) await this.#write(target, census, onStep);
    return { chunks: census.chunks, losses: census.losses.list() };
  }

  async #takeCensus(onStep: () => void): Promise<Census> {
    const source = this.#source;
    const losses = new ConversionLosses();
    const states = new StateCollector(source);
    let chunks = 0;
    let savedAtMs = 0;
    for (const [piece, steps] of source.pieces.entries()) {
      const content = await source.readPiece(piece);
      for (const { palette } of content.chunks) for (const state of palette) states.add(state, losses);
      chunks += content.chunks.filter((chunk) => holdsBlocks(chunk, isAir)).length;
      savedAtMs = Math.max(savedAtMs, content.savedAtMs);
      losses.addAll(content.losses);
      for (let step = 0; step < steps; step++) onStep();
    }
    losses.addAll(source.losses);
    return { blocks: states.define(losses), losses, chunks, savedAtMs };
  }

  async #write(target: Disk, { blocks, savedAtMs }: Census, onStep: () => void): Promise<void> {
    const { shape, pieces, name = "", seed = 0n, spawn, attachments = [] } = this.#source;
    const writer = await BulkSaveWriter.create(target, shape);
    try {
      for (const [piece, steps] of pieces.entries()) {
        const { chunks } = await this.#source.readPiece(piece);
        await writer.add(leavesOf(chunks, shape, blocks));
        for (let step = 0; step < steps; step++) onStep();
      }
      const isNear = spawn?.every((at) => Number.isInteger(at) && Math.abs(at) < SPAWN_MAX) === true;
      await writer.finish({
        nowMs: savedAtMs,
        players: [],
        global: {
          base: { kind: "empty" },
          worldSeed: BigInt.asUintN(64, seed),
          generators: [],
          nextEntityId: 1n,
          playerEntityHints: [],
          description: {
            ...plainDescription(shape),
            name: wellFormed(name.slice(0, NAME_LENGTH_MAX)),
            ...(spawn !== undefined && isNear && { spawn: [...spawn, 0] as const }),
            blocks: blocks.encoded,
            attachments,
          },
        },
      });
    } finally {
      await writer.close();
    }
  }
}
