import { GeneratorRef } from "@orthant/core/generate";
import type { Disk } from "@orthant/disk";
import {
  createPixelWorld,
  openPixelSave,
  openPixelWorld,
  type PixelBody,
  type PixelGenerator,
  type PixelSave,
  type PixelWorld,
  type PixelWorldOptions,
  packMask,
  pixelsOf,
} from "@orthant/pixel-world";
import { FakeTime, Prng } from "@orthant/testkit";

/** Path of the pixel world. */
export const PIXEL_FILE = "world.pxsw";
const EDGE = 16;
const LAYERS = 4;

/** Parameters of a history. */
export interface PixelHistoryPlan {
  readonly saves: number;
  /** File size from which compaction runs when a quarter is dead. */
  readonly compactFromBytes: number;
  readonly seed: number;
}

/** Result of a history. */
export interface PixelHistory {
  /** Content of the world after each acknowledged save. */
  readonly digests: readonly string[];
  /** Number of times that compaction rewrote the file. */
  readonly compactions: number;
}

/** Long enough for every kind of change, several stacked tables, and compaction. */
export const LONG_PIXEL_HISTORY: PixelHistoryPlan = { saves: 24, compactFromBytes: 0, seed: 3 };
/** As short as it can be to expose the mutants. */
export const SHORT_PIXEL_HISTORY: PixelHistoryPlan = { saves: 12, compactFromBytes: 0, seed: 7 };

/** Creates a world and changes it, save by save. Calls `onSaved` after each acknowledgement. */
export async function playPixelHistory(
  disk: Disk,
  plan: PixelHistoryPlan,
  onSaved: () => void,
): Promise<PixelHistory> {
  const prng = new Prng(plan.seed);
  const options = optionsOf(plan.compactFromBytes);
  const world = await createPixelWorld(disk, PIXEL_FILE, { worldSeed: 7n, chunkEdge: EDGE }, options);
  onSaved();
  const model = new PixelModel();
  const digests = [model.digest()];
  let compactions = 0;
  for (let save = 0; save < plan.saves; save++) {
    await change(world, model, prng);
    await world.save().done;
    onSaved();
    digests.push(model.digest());
    const { fileBytes } = world;
    await world.idle();
    if (world.fileBytes < fileBytes) compactions++;
  }
  await world.close();
  return { digests, compactions };
}

/** Returns a text of everything in the file, equal for equal content. Opens the file strictly. */
export async function digestOfPixels(disk: Disk): Promise<string> {
  const save = await openPixelSave(disk, PIXEL_FILE);
  try {
    return await digestOf(save);
  } finally {
    await save.close();
  }
}

/** Stores a new chunk in the existing world, and saves it. */
export async function commitPixelsOnce(disk: Disk): Promise<void> {
  const world = await openPixelWorld(disk, PIXEL_FILE, optionsOf(0));
  await world.store(99, 99, new Uint8Array(EDGE * EDGE * LAYERS).fill(5));
  await world.save().done;
  await world.close();
}

function optionsOf(compactFromBytes: number): PixelWorldOptions {
  return { generator: stripes, time: new FakeTime(), autosave: false, compactFromBytes, random: () => 5n };
}

async function change(world: PixelWorld, model: PixelModel, prng: Prng): Promise<void> {
  for (let changes = prng.between(1, 4); changes > 0; changes--) {
    const [x, y] = [prng.below(3) - 1, prng.below(3) - 1];
    const id = BigInt(prng.below(3));
    const kind = prng.below(8);
    if (kind < 4) {
      const pixels = prng.chance(0.5) ? prng.bytes(EDGE * EDGE * LAYERS) : edited(x, y, prng);
      await world.store(x, y, pixels);
      model.chunks.set(`${x},${y}`, kept(pixels));
    } else if (kind === 4) {
      await world.delete(x, y);
      model.chunks.delete(`${x},${y}`);
    } else if (kind < 7) {
      const body = randomBody(id, prng);
      await world.storeBody(body);
      model.bodies.set(id, body);
    } else {
      await world.removeBody(id);
      model.bodies.delete(id);
    }
  }
}

/** Returns a generated chunk with a few pixels changed. */
function edited(x: number, y: number, prng: Prng): Uint8Array {
  const pixels = new Uint8Array(EDGE * EDGE * LAYERS);
  stripes.fill(x, y, pixels);
  for (let edits = prng.between(1, 5); edits > 0; edits--)
    pixels.set([9, 8, 7, 0], prng.below(EDGE * EDGE) * LAYERS);
  return pixels;
}

/** Clears all flags but the one that is stored. */
function kept(pixels: Uint8Array): Uint8Array {
  return pixels.map((byte, at) => (at % LAYERS === 3 ? byte & 0x20 : byte));
}

function randomBody(id: bigint, prng: Prng): PixelBody {
  return {
    id,
    position: [prng.below(60) - 30, prng.below(60) - 30.5],
    rotation: 0.5,
    velocity: [1, -2],
    angularVelocity: 0,
    width: 3,
    height: 2,
    origin: [-1, 0],
    pixels: prng.bytes(24),
    mask: packMask([true, false, prng.chance(0.5), true, false, true]),
    extension: prng.bytes(prng.below(9)),
  };
}

/** Expected content of the world. */
class PixelModel {
  readonly chunks = new Map<string, Uint8Array>();
  readonly bodies = new Map<bigint, PixelBody>();

  digest(): string {
    return lines(this.chunks, this.bodies.values());
  }
}

async function digestOf(save: PixelSave): Promise<string> {
  const chunks = new Map<string, Uint8Array>();
  const bodies: PixelBody[] = [];
  for (const ref of save.chunks()) {
    chunks.set(`${ref.x},${ref.y}`, pixelsOf(await save.readChunk(ref), save.facts, stripes, ref.x, ref.y));
  }
  for (const ref of save.bodies()) bodies.push(await save.readBody(ref));
  return lines(chunks, bodies);
}

function lines(chunks: ReadonlyMap<string, Uint8Array>, bodies: Iterable<PixelBody>): string {
  return [
    "a pixel world",
    ...Array.from(chunks, ([position, pixels]) => `chunk ${position} ${hex(pixels)}`),
    ...Array.from(
      bodies,
      ({ id, position, pixels, mask, extension }) =>
        `body ${id} ${position} ${hex(pixels)} ${hex(mask)} ${hex(extension)}`,
    ),
  ]
    .sort()
    .join("\n");
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Stripes that depend on the position, so that a chunk differs from its neighbour. */
export const stripes: PixelGenerator = {
  ref: new GeneratorRef("stripes", Uint8Array.of(1), 7n, 1n),
  fill(chunkX, chunkY, pixels) {
    const edge = Math.sqrt(pixels.length / 4);
    for (let y = 0; y < edge; y++) {
      for (let x = 0; x < edge; x++)
        pixels.set([1 + ((x + chunkX + y * chunkY) & 3), y & 255, 0, 2], (y * edge + x) * 4);
    }
  },
};
