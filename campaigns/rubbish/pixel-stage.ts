import { isDeepStrictEqual } from "node:util";
import { MemoryDisk } from "@orthant/disk";
import {
  applyPixelRepair,
  createPixelWorld,
  decodePixelBody,
  detectPixelWorld,
  encodePixelBody,
  openPixelSave,
  openPixelWorld,
  type PixelBody,
  type PixelWorld,
  packMask,
  pixelsOf,
  planPixelRepair,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import type { Prng } from "@orthant/testkit";
import { functionTargets, methodTargets, type OpenStage, type Stage, type Target } from "./stage.ts";
import { shown } from "./try-call.ts";

const PATH = "world.pxsw";
const CHUNK_EDGE = 16;
const PIXEL_BYTES = 4;
const REACH = 3;
const BODY_EDGE = 4;

/** Calls a world of pixels and its files, then reopens the world and compares it. */
export const pixelStage: Stage = {
  name: "pixels",
  async open() {
    const disk = new MemoryDisk();
    const world = await createPixelWorld(
      disk,
      PATH,
      { chunkEdge: CHUNK_EDGE, worldSeed: 7n },
      { autosave: false },
    );
    return new PixelCalls(disk, world);
  },
};

class PixelCalls implements OpenStage {
  readonly targets: readonly Target[];
  readonly #disk: MemoryDisk;
  readonly #world: PixelWorld;

  constructor(disk: MemoryDisk, world: PixelWorld) {
    this.#disk = disk;
    this.#world = world;
    this.targets = [...worldTargets(world), ...fileTargets(disk)];
  }

  async finish(): Promise<readonly string[]> {
    await this.#world.save().done;
    const before = await publicPixels(this.#world);
    await this.#world.close();
    const again = await openPixelWorld(this.#disk, PATH, { autosave: false });
    const after = await publicPixels(again);
    await again.close();
    return [...new Set([...before.keys(), ...after.keys()])]
      .filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)))
      .map((name) => `reopened: ${name} was ${shown(before.get(name))} and is ${shown(after.get(name))}`);
  }
}

/** Reads all chunks and bodies near the origin. */
async function publicPixels(world: PixelWorld): Promise<ReadonlyMap<string, unknown>> {
  const everything = new Map<string, unknown>();
  for (let x = -REACH; x <= REACH; x++) {
    for (let y = -REACH; y <= REACH; y++) {
      const pixels = await world.load(x, y);
      if (pixels !== undefined) everything.set(`chunk ${x},${y}`, pixels);
      for (const body of await world.bodiesIn(x, y)) everything.set(`body ${body.id}`, body);
    }
  }
  return everything;
}

function worldTargets(world: PixelWorld): readonly Target[] {
  const at = (prng: Prng) => [prng.between(-REACH, REACH), prng.between(-REACH, REACH)];
  const pixels = (prng: Prng) => prng.bytes(CHUNK_EDGE * CHUNK_EDGE * PIXEL_BYTES);
  let copies = 0;
  return methodTargets("PixelWorld", world, {
    onDamageFound: () => [() => undefined],
    stateOf: at,
    has: at,
    load: at,
    store: (prng) => [...at(prng), pixels(prng)],
    delete: at,
    bodiesIn: at,
    body: (prng) => [BigInt(prng.between(1, 5))],
    storeBody: (prng) => [body(prng)],
    removeBody: (prng) => [BigInt(prng.between(1, 5))],
    newBodyId: () => [],
    save: () => [],
    saveTo: () => [`copy-${++copies}.pxsw`],
    pauseAutosave: () => [],
    resumeAutosave: () => [],
    idle: () => [],
  });
}

function fileTargets(disk: MemoryDisk): readonly Target[] {
  const opening = { dispose: (opened: unknown) => (opened as { close(): Promise<void> }).close() };
  return [
    ...functionTargets(
      {
        createPixelWorld: [
          createPixelWorld,
          () => [
            new MemoryDisk(),
            PATH,
            { worldSeed: 5n, chunkEdge: 32, tileEdge: 16, layers: [{ name: "block", kept: 1 }] },
            {
              autosave: false,
              autosaveMs: 1_000,
              compactAtDeadShare: 0.5,
              compactFromBytes: 4_096,
              pendingMax: 8,
            },
          ],
        ],
        openPixelWorld: [openPixelWorld, () => [new MemoryDisk(disk.image()), PATH, { autosave: false }]],
        openPixelSave: [openPixelSave, () => [disk, PATH]],
      },
      opening,
    ),
    ...functionTargets({
      detectPixelWorld: [detectPixelWorld, () => [disk, PATH]],
      verifyPixelWorld: [verifyPixelWorld, () => [disk, PATH, { onChunk: () => undefined }]],
      planPixelRepair: [planPixelRepair, () => [disk, PATH]],
      applyPixelRepair: [applyPixelRepair, () => [disk, PATH, {}, new MemoryDisk(), "repaired.pxsw"]],
      encodePixelBody: [encodePixelBody, (prng) => [body(prng), PIXEL_BYTES]],
      decodePixelBody: [decodePixelBody, (prng) => [encodePixelBody(body(prng), PIXEL_BYTES), PIXEL_BYTES]],
      packMask: [packMask, () => [[true, false, true]]],
      pixelsOf: [
        pixelsOf,
        (prng) => [
          { storage: "full", pixels: prng.bytes(CHUNK_EDGE * CHUNK_EDGE * PIXEL_BYTES) },
          { chunkEdge: CHUNK_EDGE, layers: [{ name: "all", kept: PIXEL_BYTES }] },
          undefined,
          0,
          0,
        ],
      ],
    }),
  ];
}

function body(prng: Prng): PixelBody {
  const count = BODY_EDGE * BODY_EDGE;
  return {
    id: BigInt(prng.between(1, 5)),
    position: [prng.between(-30, 30), prng.between(-30, 30)],
    rotation: 0.5,
    velocity: [1, 2],
    angularVelocity: 0.25,
    width: BODY_EDGE,
    height: BODY_EDGE,
    origin: [2, 2],
    pixels: prng.bytes(count * PIXEL_BYTES),
    mask: packMask(Array.from({ length: count }, (_, index) => index === 0 || prng.chance(0.7))),
    extension: prng.bytes(2),
  };
}
