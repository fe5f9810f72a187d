import { DEFAULT_BLOCKS } from "@orthant/core";
import { hash64 } from "@orthant/core/bytes";
import type { GeneratorRef } from "@orthant/core/generate";
import type { GeneratorMap } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { BulkSaveWriter, hasSave } from "@orthant/save";
import { storedGenerators } from "@orthant/save/content";
import type { ConversionOutcome } from "../format/format.ts";
import type { ImportTasks } from "../format/import-tasks.ts";
import { ConversionLosses } from "../format/losses.ts";
import { emptyGlobal } from "../format/new-world.ts";
import { importedName } from "../format/text.ts";
import type { Triple } from "../part/voxel-part.ts";
import { groundOf } from "./ground.ts";
import { ImportProgress, type StoredCensus } from "./import-progress.ts";
import type { ImportSource } from "./import-source.ts";
import { StateCollector } from "./imported-blocks.ts";
import { nextImportedId } from "./imported-entities.ts";
import { inOrder, LocalImportTasks } from "./local-tasks.ts";
import { generatorsAround } from "./surroundings.ts";

const NAME_LENGTH_MAX = 1_024;
/** Spawn points farther away are those of no game. */
const SPAWN_MAX = 2 ** 31;
/** Steps after which what is written is made durable: less than a second of work. */
const CHECKPOINT_STEPS = 256;

/**
 * Converts a world of another program to a save, piece by piece: a first pass finds all states and losses, and a second
 * one writes. If the source has a fingerprint, an interrupted second pass can be continued on the same disk.
 */
export class ImportConversion {
  readonly #source: ImportSource;
  readonly #tasks: ImportTasks;
  readonly #around: GeneratorMap | undefined;
  readonly #fingerprint: string | undefined;
  #census: StoredCensus | undefined;

  /** A generator fills the space around the world, which is air without one. */
  constructor(
    source: ImportSource,
    tasks: ImportTasks = new LocalImportTasks(source),
    generator?: GeneratorRef,
  ) {
    this.#source = source;
    this.#tasks = tasks;
    this.#around = generator && generatorsAround(source, generator);
    const { fingerprint } = source;
    this.#fingerprint = generator && fingerprint ? `${fingerprint} ${nameOf(generator)}` : fingerprint;
  }

  /** Ends the threads that work on it, and closes the source. */
  async close(): Promise<void> {
    await this.#tasks.close();
    await this.#source.close();
  }

  /** Takes over what an interrupted conversion to this disk has found, so that {@link run} need not look again. */
  async resume(target: Disk): Promise<void> {
    const fingerprint = this.#fingerprint;
    if (fingerprint !== undefined) this.#census ??= await ImportProgress.censusOn(target, fingerprint);
  }

  /** Converts the world. Without a disk, only reports what would be lost. */
  async run(target: Disk | undefined, onStep: () => void): Promise<ConversionOutcome> {
    const census = this.#census ?? (await this.#takeCensus(target === undefined ? onStep : () => undefined));
    this.#census = census;
    const { blocks, losses } = this.#define(census);
    if (target !== undefined) {
      this.#tasks.useBlocks(blocks.ids);
      await this.#write(target, census, blocks.encoded, onStep);
    }
    return { chunks: census.chunks, entities: census.entities, losses };
  }

  async #takeCensus(onStep: () => void): Promise<StoredCensus> {
    const { pieces, losses: general } = this.#source;
    const losses = new ConversionLosses();
    const states = new Set<string>();
    let [chunks, entities, savedAtMs, piece] = [0, 0, 0, 0];
    for await (const found of inOrder(0, pieces.length, this.#tasks.width, (at) =>
      this.#tasks.takeCensus(at),
    )) {
      for (const state of found.states) states.add(state);
      chunks += found.chunks;
      entities += found.entities;
      savedAtMs = Math.max(savedAtMs, found.savedAtMs);
      losses.addAll(found.losses);
      for (let step = pieces[piece++] ?? 0; step > 0; step--) onStep();
    }
    losses.addAll(general);
    return {
      fingerprint: this.#fingerprint ?? "",
      states: [...states],
      losses: losses.list(),
      chunks,
      entities,
      savedAtMs,
    };
  }

  #define({ states, losses: found }: StoredCensus): {
    readonly blocks: ReturnType<StateCollector["define"]>;
    readonly losses: ConversionOutcome["losses"];
  } {
    const collector = new StateCollector(this.#source, this.#around && DEFAULT_BLOCKS);
    const losses = new ConversionLosses();
    losses.addAll(found);
    for (const state of states) collector.add(state, losses);
    const blocks = collector.define(losses);
    return { blocks, losses: losses.list() };
  }

  async #write(target: Disk, census: StoredCensus, catalog: Uint8Array, onStep: () => void): Promise<void> {
    const { shape, pieces } = this.#source;
    const fingerprint = this.#fingerprint;
    const progress = fingerprint === undefined ? undefined : await ImportProgress.open(target, fingerprint);
    try {
      if (progress !== undefined && (await hasSave(target))) {
        await progress.remove();
        return;
      }
      if (progress !== undefined && progress.census === undefined) await progress.keepCensus(census);
      const writer =
        progress === undefined
          ? await BulkSaveWriter.create(target, shape)
          : await BulkSaveWriter.resume(target, shape, progress.checkpoints);
      try {
        let piece = progress?.pieces ?? 0;
        for (let step = sum(pieces.slice(0, piece)); step > 0; step--) onStep();
        let unsafe = 0;
        for await (const leaves of inOrder(piece, pieces.length, this.#tasks.width, (at) =>
          this.#tasks.encode(at),
        )) {
          await writer.write(leaves);
          const steps = pieces[piece++] ?? 0;
          unsafe += steps;
          if (progress !== undefined && unsafe >= CHECKPOINT_STEPS) {
            await progress.keep(piece, await writer.checkpoint());
            unsafe = 0;
          }
          for (let step = 0; step < steps; step++) onStep();
        }
        // Threads have nothing left to do, and the index and its verification need the memory.
        if (this.#tasks.width > 1) await this.#tasks.close();
        await this.#finish(writer, census, catalog);
      } finally {
        await writer.close();
      }
      await progress?.remove();
    } finally {
      await progress?.close();
    }
  }

  async #finish(writer: BulkSaveWriter, { savedAtMs }: StoredCensus, blocks: Uint8Array): Promise<void> {
    const { shape, pieces, name = "", seed = 0n, attachments = [] } = this.#source;
    const spawn = isNear(this.#source.spawn) ? this.#source.spawn : await groundOf(this.#source);
    return writer.finish({
      nowMs: savedAtMs,
      players: [],
      global: {
        ...emptyGlobal(shape, {
          name: importedName(name, NAME_LENGTH_MAX),
          ...(isNear(spawn) && { spawn: [...spawn, 0] as const }),
          blocks,
          attachments,
        }),
        worldSeed: BigInt.asUintN(64, seed),
        ...(this.#around && storedGenerators(this.#around)),
        nextEntityId: nextImportedId(pieces.length),
      },
    });
  }
}

function nameOf({ generatorId, parameters, seed, versionHash }: GeneratorRef): string {
  return `${generatorId} ${versionHash} ${seed} ${hash64(parameters)}`;
}

function isNear(spawn: Triple | undefined): spawn is Triple {
  return spawn?.every((at) => Math.abs(at) < SPAWN_MAX) === true;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
