import { createHash } from "node:crypto";
import type { Chunk, Position } from "@orthant/core";
import {
  boxBetween,
  chunkOfVoxel,
  positionFrom,
  positionsLexicographic,
  voxelOfIndex,
} from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import type { Step, World } from "@orthant/world";
import { openPoured, SPRING, simulatePoured, TICK_KINDS, WATCHED } from "./poured-water.ts";

/** What is known of a chunk, which never changes. */
interface ReadChunk {
  readonly digest: string;
  /** Voxels that may have ticks. */
  readonly wet: readonly number[];
}

const readChunks = new WeakMap<Chunk, ReadChunk>();

/** All that a step finds: the watched chunks with their data, the ticks and the entities. */
export class StepContent {
  readonly digest: string;
  readonly #chunks: readonly (readonly [position: Position, chunk: Chunk])[];
  /** Each tick as text: its voxel, its kind, and the count of steps at which it is due. */
  readonly #ticks: readonly string[];
  /** Each entity as text: its id and its position. */
  readonly #entities: readonly string[];

  /** Reads the world as it is before `step`. */
  constructor({ engine: { state, shape, steps } }: World<3>, { schedule, entities }: Step<3>) {
    const chunks = watchedChunks(shape).map(
      (position) => [position, state.realizeChunk(...position)] as const,
    );
    const ticks: string[] = [];
    for (const [position, chunk] of chunks)
      for (const index of read(chunk).wet) {
        const [x, y, z] = voxelOfIndex(shape, position, index);
        for (const kind of TICK_KINDS) {
          const inSteps = schedule.find([x, y, z], kind);
          if (inSteps !== undefined) ticks.push(`[${x}, ${y}, ${z}] ${kind} at ${steps.last + 1 + inSteps}`);
        }
      }
    this.#chunks = chunks;
    this.#ticks = ticks;
    this.#entities = entities.in(WATCHED).map(({ id, position }) => `${id} at [${position}]`);
    this.digest = digestOf(...chunks.map(([, chunk]) => read(chunk).digest), ...ticks, ...this.#entities);
  }

  /** Number of voxels of water. */
  get wetVoxels(): number {
    return this.#chunks.reduce((sum, [, chunk]) => sum + read(chunk).wet.length, 0);
  }

  /** Whether no water flows and no duck falls any more. */
  get isSettled(): boolean {
    return this.#ticks.length === 0 && this.#entities.length === 0;
  }

  /** Describes the first difference from `expected`, voxel by voxel; `undefined` if everything is equal. */
  differenceFrom(expected: StepContent): string | undefined {
    for (const [number, [position, chunk]] of this.#chunks.entries()) {
      const other = expected.#chunks[number]?.[1];
      for (let index = 0; index < chunk.volume; index++) {
        const [found, wanted] = [voxelText(chunk, index), other && voxelText(other, index)];
        if (found !== wanted) return `voxel ${index} of chunk [${position}] is ${found}, not ${wanted}`;
      }
    }
    return (
      differenceOf("ticks", this.#ticks, expected.#ticks) ??
      differenceOf("entities", this.#entities, expected.#entities)
    );
  }
}

function differenceOf(what: string, found: readonly string[], wanted: readonly string[]): string | undefined {
  const [ours, others] = [found.join("; "), wanted.join("; ")];
  return ours === others ? undefined : `the ${what} are ${ours}, not ${others}`;
}

function voxelText(chunk: Chunk, index: number): string {
  const data = chunk.data.at(index);
  return data === undefined
    ? `${chunk.get(index)}`
    : `${chunk.get(index)} with data ${Buffer.from(data).toString("hex")}`;
}

function read(chunk: Chunk): ReadChunk {
  const known = readChunks.get(chunk);
  if (known !== undefined) return known;
  const voxels = chunk.voxels();
  const wet = Array.from(voxels.keys()).filter((index) => (voxels[index] ?? 0) >= SPRING);
  const data = wet.map((index) => voxelText(chunk, index));
  const made = { digest: digestOf(voxels, ...data), wet };
  readChunks.set(chunk, made);
  return made;
}

function digestOf(...parts: readonly (string | Uint16Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(typeof part === "string" ? `${part}\n` : part);
  return hash.digest("base64url").slice(0, 22);
}

function watchedChunks(shape: World<3>["engine"]["shape"]): readonly Position[] {
  const corner = ([x, y, z]: Position<3>): Position => chunkOfVoxel(shape, [x, y, z, 0]);
  const last = corner(WATCHED.max);
  const max = positionFrom((axis) => (axis === 3 ? 1 : last[axis]));
  return [...positionsLexicographic(boxBetween(corner(WATCHED.min), max))];
}

/** What an undisturbed run of a world has after each step. */
export interface UndisturbedRun {
  /** Digests of the content after each step, from 0 on. */
  readonly digests: readonly string[];
  /** The content after the last step. */
  readonly last: StepContent;
}

/** Makes the next step of a world, and returns what it found. */
export async function nextContent(world: World<3>): Promise<StepContent> {
  let found: StepContent | undefined;
  const simulation = await simulatePoured(world, (step) => {
    found = new StepContent(world, step);
  });
  await simulation.advance();
  await simulation.stop();
  return found as StepContent;
}

/** Makes `steps` steps of a new world in memory. */
export async function runUndisturbed(steps: number): Promise<UndisturbedRun> {
  const world = await openPoured(new MemoryDisk(), { durability: "snapshot", isNew: true });
  const digests: string[] = [];
  let last: StepContent | undefined;
  const simulation = await simulatePoured(world, (step) => {
    last = new StepContent(world, step);
    digests.push(last.digest);
  });
  await simulation.advance(steps + 1);
  await world.close();
  return { digests, last: last as StepContent };
}
