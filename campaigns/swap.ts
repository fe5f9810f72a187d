import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOrthantError } from "@orthant/core";
import { type Disk, type DiskImage, MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { verifySave } from "@orthant/save";
import { FakeTime, Prng } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { contentsOf, LINK_KINDS, type LinkKind, placeLink, writeImage } from "./save/linked-folder.ts";

/** Kinds of files in a world, which a manual restore might mix up. */
const KINDS: Readonly<Record<string, RegExp>> = {
  manifest: /^manifest\.json$/,
  global: /^global\./,
  players: /^players\./,
  index: /^index\//,
  packs: /^data\//,
  journal: /^journal\//,
};
const QUIET: EngineOptions = { time: new FakeTime(), autosave: false };

/** One way to mix up the files of two worlds. */
export interface MixUp {
  readonly name: string;
  readonly image: DiskImage;
  /** The world that its manifest comes from, whose content it must have if it opens. */
  readonly owner: "ours" | "theirs";
}

/** A file or folder of a world that is replaced with a link. */
export interface LinkedPart {
  readonly path: string;
  readonly kind: LinkKind;
}

/** Two worlds killed at the same moment of the same history, with the same file names. */
export interface TwoWorlds {
  readonly ours: DiskImage;
  readonly theirs: DiskImage;
}

/** Replaces files of a world with those of another one or with links, or removes them. */
export const swapCampaign: Campaign = {
  name: "swap",
  summary:
    "files of another world or links in place of a world's own, or gone: named by verify, or no effect",
  goal: 1_000,
  unit: "mix-ups",
  async run(options) {
    const failures: string[] = [];
    let cases = 0;
    for (let seed = options.seed; goesOn(cases, options) && failures.length < FAILURES_MAX; seed++) {
      const worlds = await twoWorlds(seed);
      for (const mixUp of mixUps(worlds)) {
        if (!goesOn(cases, options) || failures.length >= FAILURES_MAX) break;
        const fault = await findSwapFault(worlds, mixUp);
        if (fault !== undefined) failures.push(`seed ${seed}, ${mixUp.name}: ${fault}`);
        options.progress(++cases);
      }
      for (const part of linkedParts(worlds)) {
        if (!goesOn(cases, options) || failures.length >= FAILURES_MAX) break;
        const fault = await findLinkFault(worlds, part);
        if (fault !== undefined) failures.push(`seed ${seed}, ${part.path} links ${part.kind}: ${fault}`);
        options.progress(++cases);
      }
    }
    return { cases, failures };
  },
};

/** Creates the two worlds. */
export async function twoWorlds(seed: number): Promise<TwoWorlds> {
  return { ours: await killedWorld(new Prng(seed)), theirs: await killedWorld(new Prng(seed + 1)) };
}

/** Yields every set of kinds, and every single file, taken from the other world, and every file removed. */
export function* mixUps({ ours, theirs }: TwoWorlds): Generator<MixUp> {
  const names = Object.keys(KINDS);
  for (let set = 1; set < 2 ** names.length; set++) {
    const kinds = names.filter((_, bit) => Math.floor(set / 2 ** bit) % 2 === 1);
    const isTheirs = (path: string): boolean => kinds.some((kind) => KINDS[kind]?.test(path));
    const files = new Map([...ours.files].filter(([path]) => !isTheirs(path)));
    for (const [path, bytes] of theirs.files) if (isTheirs(path)) files.set(path, bytes);
    const owner = kinds.includes("manifest") ? "theirs" : "ours";
    yield { name: `${kinds.join(", ")} of the other world`, image: { ...ours, files }, owner };
  }
  for (const [path] of ours.files) {
    const bytes = theirs.files.get(path);
    const owner = path === "manifest.json" ? "theirs" : "ours";
    if (bytes !== undefined) {
      const files = new Map([...ours.files, [path, bytes]]);
      yield { name: `${path} of the other world`, image: { ...ours, files }, owner };
    }
    const files = new Map([...ours.files].filter(([other]) => other !== path));
    yield { name: `${path} is gone`, image: { ...ours, files }, owner: "ours" };
  }
}

/**
 * Describes how a mix-up was mishandled, if it was. Opening must return exactly the content of the manifest's
 * world, or throw an `OrthantError`, in which case `verifySave` must name damage.
 */
export async function findSwapFault(worlds: TwoWorlds, mixUp: MixUp): Promise<string | undefined> {
  const expected = await contentOf(worlds[mixUp.owner]);
  const found = await contentOf(mixUp.image);
  if (found === expected) return undefined;
  if (found !== undefined) return `other content: ${found} where ${expected} was`;
  const findings = await verifySave(new MemoryDisk(mixUp.image));
  return findings.some(({ severity }) => severity === "damage") ? undefined : "refused, and verify is silent";
}

/** Yields every file and folder of the first world as a link of every kind. */
export function* linkedParts({ ours }: TwoWorlds): Generator<LinkedPart> {
  const paths = [...ours.directories.filter((path) => path !== ""), ...ours.files.keys()];
  for (const path of paths) for (const kind of LINK_KINDS) yield { path, kind };
}

/**
 * Describes how a link in a world was mishandled, if it was. Opening the world, and writing as much as it permits, must
 * leave everything outside of its folder as it was. Reading it is as in {@link findSwapFault}.
 */
export async function findLinkFault(
  worlds: TwoWorlds,
  { path, kind }: LinkedPart,
): Promise<string | undefined> {
  const root = await mkdtemp(join(tmpdir(), "orthant-swap-"));
  const [ours, theirs] = [join(root, "ours"), join(root, "theirs")];
  try {
    await writeImage(worlds.ours, ours);
    await writeImage(worlds.theirs, theirs);
    await placeLink(ours, path, kind, theirs);
    const before = await contentsOf(theirs);
    const disk = new NodeDisk(ours);
    const found = await contentOn(disk);
    const isNamed = (await verifySave(disk)).some(({ severity }) => severity === "damage");
    await useWorld(disk);
    if ((await contentsOf(theirs)) !== before) return "the other world changed";
    if (found === undefined) return isNamed ? undefined : "refused, and verify is silent";
    return found === (await contentOf(worlds.ours)) ? undefined : `other content: ${found}`;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Opens a world and makes it write and remove as much as it can. */
async function useWorld(disk: Disk): Promise<void> {
  const retention = { newest: 1, hours: 0, days: 0 };
  for (const durability of ["journal", "snapshot"] as const) {
    try {
      const world = await openWorldEngine(disk, {
        autosave: false,
        durability,
        retention,
        damagedJournal: "cut",
      });
      try {
        for (const block of [1, 2]) {
          await world.set([0, 0, 0, 0], block);
          await world.save();
        }
        await world.compact();
      } finally {
        await world.close();
      }
    } catch (error) {
      if (!isOrthantError(error)) throw error;
    }
  }
}

/** Returns everything in the world on a disk; `undefined` when it cannot be opened. */
function contentOf(image: DiskImage): Promise<string | undefined> {
  return contentOn(new MemoryDisk(image));
}

async function contentOn(disk: Disk): Promise<string | undefined> {
  try {
    const world = await openWorldEngine(disk, {
      ...QUIET,
      readOnly: true,
      damagedJournal: "refuse",
    });
    const content = await describeWorld(world);
    await world.close();
    return content;
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

async function describeWorld(world: WorldEngine): Promise<string> {
  const voxels: number[] = [];
  for (let step = 0; step < STEPS; step++) voxels.push(await world.get([step * 40, step, 0, 0]));
  const players = world.players.map(({ playerId, name }) => `${playerId} ${name}`);
  return JSON.stringify([world.name, String(world.worldId), voxels, players]);
}

const STEPS = 6;
const SAVES_AFTER: readonly number[] = [1, 3];

/** Creates a world with a journal, two saves and later changes, as a killed process leaves it. */
async function killedWorld(prng: Prng): Promise<DiskImage> {
  const disk = new MemoryDisk();
  const random = (): bigint => BigInt(prng.u32()) * 0x1_0000_0000n + BigInt(prng.u32());
  const world = await createWorldEngine(
    disk,
    { name: `world ${prng.below(1_000_000)}` },
    { ...QUIET, durability: "journal", random },
  );
  for (let step = 0; step < STEPS; step++) {
    await world.set([step * 40, step, 0, 0], prng.between(1, 1_000));
    world.upsertPlayer({ playerId: 1n, name: `player ${prng.below(1_000_000)}` });
    await world.whenDurable();
    if (SAVES_AFTER.includes(step)) await world.save();
  }
  const image = disk.image();
  await world.close();
  return image;
}
