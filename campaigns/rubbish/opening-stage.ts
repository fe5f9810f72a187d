import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BlockCatalog,
  CUBE_CHUNKS,
  chunkShape,
  DEFAULT_BLOCKS,
  type Dimensions,
  GeneratorRegistry,
  isOrthantError,
  type Position,
  systemTime,
} from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";
import type { World } from "@orthant/world";
import { createWorld, openOrCreateWorld, openWorld } from "orthant";
import { differencesOf, publicWorld } from "./public-world.ts";
import type { Arguments, Stage, Target } from "./stage.ts";
import * as valid from "./valid-values.ts";

/** Opens and creates worlds in memory and in folders, then reopens each and compares it. */
export const openingStage: Stage = {
  name: "opening",
  async open(prng) {
    const folder = await mkdtemp(join(tmpdir(), "orthant-rubbish-"));
    // What a process loads when it first opens a folder is not counted for a call.
    await openWorld(join(folder, "none")).catch(() => undefined);
    const known = new MemoryDisk();
    await (await createWorld(known, { dimensions: 3, generator: valid.generator(prng) })).close();
    let folders = 0;
    const newPlace = (random: Prng): unknown =>
      random.chance(0.9) ? new MemoryDisk() : join(folder, `world-${++folders}`);
    const oldPlace = (): MemoryDisk => new MemoryDisk(known.image());
    return {
      targets: [
        opening("createWorld", createWorld, folder, (random) => [
          newPlace(random),
          newWorld(random),
          options(random),
        ]),
        opening("openWorld", openWorld, folder, (random) => [oldPlace(), options(random)]),
        opening("openOrCreateWorld", openOrCreateWorld, folder, (random) => [
          random.chance(0.5) ? oldPlace() : newPlace(random),
          { ...newWorld(random), dimensions: 3 },
          options(random),
        ]),
      ],
      finish: async () => {
        await rm(folder, { recursive: true });
        return [];
      },
    };
  },
};

/** Returns a name without separators that tells texts apart; a text that is not a name stays as it is. */
function encodeName(text: string): string {
  return text.replaceAll(/[/.]/g, "-");
}

type Opening = (...args: never[]) => Promise<World>;

/** Returns a target that opens a world, and then reopens it and compares both. */
function opening(name: string, open: Opening, folder: string, args: Arguments): Target {
  const call = async ([first, ...others]: readonly unknown[]): Promise<void> => {
    // A text is a path, and must not leave the folder of this stage.
    const isPath = typeof first === "string" && first !== "";
    const place = isPath && !first.startsWith(folder) ? join(folder, encodeName(first)) : first;
    const world = (await Reflect.apply(open, undefined, [place, ...others])) as World;
    const differences = await reopened(world, place as MemoryDisk | string);
    if (differences.length > 0) throw new Error(`reopened: ${differences.join("; ")}`);
  };
  return { name, args, called: open, call };
}

function newWorld(prng: Prng): object {
  const dimensions = prng.pick<Dimensions>([2, 3, 4]);
  return {
    dimensions,
    ...(prng.chance(0.6) && { name: valid.text(prng) }),
    ...(prng.chance(0.6) && { generator: valid.generator(prng) }),
    ...(prng.chance(0.3) && { blocks: new BlockCatalog(DEFAULT_BLOCKS.types) }),
    ...(prng.chance(0.6) && { spawn: valid.vector(prng, dimensions) }),
    ...(prng.chance(0.2) &&
      dimensions === 3 && { chunkShape: prng.pick([CUBE_CHUNKS, chunkShape([8, 8, 8, 1])]) }),
    ...(prng.chance(0.2) && { limits: { dataFileMaxBytes: 1_000_000 } }),
  };
}

/** Options of an open world, each of them sometimes. */
function options(prng: Prng): object {
  const all = {
    autosave: false,
    durability: prng.pick(["journal", "snapshot"]),
    time: systemTime,
    generators: prng.chance(0.5) ? DEFAULT_GENERATORS : new GeneratorRegistry([]),
    cadence: { worldMs: 1_000, playersMs: 1_000, entitiesMs: 2_000 },
    entityHysteresisChunks: 0.5,
    damagedJournal: prng.pick(["refuse", "cut"]),
    retention: { newest: 2, hours: 1, days: 1 },
    loadedBytesMax: 1_000_000,
    cacheLimits: { softBytes: 1_000_000, hardBytes: 2_000_000 },
    random: systemRandomBits,
    readOnly: false,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name === "autosave" || prng.chance(0.25)));
}

/** Edits a world, closes it, reopens it as it is by default, and returns what differs. */
async function reopened(world: World, place: MemoryDisk | string): Promise<readonly string[]> {
  const origin = new Array<number>(world.dimensions).fill(0) as unknown as Position<Dimensions>;
  try {
    await world.set(origin, 3);
  } catch (error) {
    await world.close();
    if (isOrthantError(error, "ORT_READ_ONLY")) return [];
    throw error;
  }
  const before = await publicWorld(world, [origin], []);
  await world.close();
  const again = await openWorld(place, { readOnly: true, generators: world.engine.state.generators });
  const after = await publicWorld(again, [origin], []);
  await again.close();
  return differencesOf(before, after);
}
