import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isOrthantError } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { convertPixelToPixel, convertPixelToTree, convertTreeToPixel } from "@orthant/formats";
import {
  applyPixelRepair,
  openPixelSave,
  type PixelBody,
  type PixelGenerator,
  type PixelSave,
  pixelsOf,
  planPixelRepair,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { openSave } from "@orthant/save";
import { goldenPath } from "@orthant/testkit/golden";
import { DAMAGED, type DamagedPixelWorld } from "./pixelworld/pxsw-damaged.ts";
import type { ExpectedPixelBody, ExpectedPixelWorld } from "./pixelworld/pxsw-expected.ts";
import { type GoldenSuite, parseJson } from "./suite.ts";

const FOLDER = "pxsw";
const GOOD: readonly string[] = [
  "00-empty",
  "01-one-full",
  "02-one-delta",
  "03-delta-zero",
  "04-one-empty-chunk",
  "05-multi-save",
  "06-bodies",
  "07-bodies-moved-removed",
  "08-bodies-all-removed",
  "09-sort-order",
  "50-web-empty",
  "51-web-chunks-bodies",
  "52-web-multi-save",
];
const FILE = "world.save";

/** The `seedbase` generator of the golden folder's README, to which changes are relative. */
const seedbase: PixelGenerator = {
  ref: new GeneratorRef("seedbase", new Uint8Array(0), 42n, 1n),
  fill(chunkX, _chunkY, pixels) {
    for (let y = 0; y < 512; y++) {
      for (let x = 0; x < 512; x++) {
        const across = x + 512 * chunkX;
        if (y < 200 + (((across % 37) + 37) % 37)) pixels.set([3, (x ^ y) & 7, 0, 2], (y * 512 + x) * 4);
      }
    }
  },
};

/** All 42 files, one row each. */
export const pxswSuites: readonly GoldenSuite[] = [...GOOD, ...Object.keys(DAMAGED)].map((name) => ({
  file: `${FOLDER}/${name}.json`,
  async check(bytes) {
    const expected = parseJson<ExpectedPixelWorld>(bytes);
    try {
      const disk = await copyFile(expected.file);
      const damage = DAMAGED[name];
      if (damage === undefined) await checkGood(disk, expected);
      else await checkDamaged(disk, expected, damage);
      return [{ name, failure: undefined }];
    } catch (error) {
      return [{ name, failure: error instanceof Error ? error.message : String(error) }];
    }
  },
}));

async function copyFile(file: string): Promise<MemoryDisk> {
  const bytes = await readFile(goldenPath(FOLDER, file));
  return new MemoryDisk({ directories: [], files: new Map([[FILE, new Uint8Array(bytes)]]) });
}

async function checkGood(disk: MemoryDisk, expected: ExpectedPixelWorld): Promise<void> {
  const save = await openPixelSave(disk, FILE);
  const { header, chunks = [], bodies = [] } = expected;
  equal(save.dialect, expected.dialect === "native-WXSP" ? "native" : "browser");
  equal(save.facts.worldSeed, BigInt(header?.world_seed ?? 0));
  equal(save.facts.createdMs, (header?.creation_time ?? 0) * 1_000);
  equal(save.modifiedMs, (header?.modified_time ?? 0) * 1_000);
  equal(save.deadBytes, expected.dead_bytes);
  equal(save.chunkCount, chunks.length);
  for (const chunk of chunks) {
    const ref = save.chunkAt(chunk.x, chunk.y);
    ok(ref !== undefined, `chunk [${chunk.x}, ${chunk.y}] is missing`);
    const stored = await save.readChunk(ref);
    equal(stored.storage, chunk.storage_type.toLowerCase());
    if (stored.storage === "delta") equal(stored.delta.positions.length, chunk.delta_entries);
    const pixels = pixelsOf(stored, save.facts, seedbase, chunk.x, chunk.y);
    equal(sha256(pixels), chunk.raw_sha256);
    for (const [x, y, ...sample] of chunk.samples_xy_mcdf) {
      deepEqual([...pixels.subarray((y * 512 + x) * 4, (y * 512 + x) * 4 + 4)], sample);
    }
  }
  await checkBodies(save, bodies);
  ok(isWhole(await verifyPixelWorld(disk, FILE)), "verify finds damage");
  const content = await contentOf(save);
  await checkRewritten(save, content);
  await checkThroughTree(save, content);
  await save.close();
}

async function checkBodies(save: PixelSave, expected: readonly ExpectedPixelBody[]): Promise<void> {
  equal(save.bodyCount, expected.length);
  const refs = new Map(Array.from(save.bodies(), (ref) => [String(ref.id), ref]));
  for (const { index, record } of expected) {
    const ref = refs.get(record.stable_id);
    ok(ref !== undefined, `body ${record.stable_id} is missing`);
    if (save.dialect === "native") deepEqual([ref.x, ref.y], index.chunk);
    const body = await save.readBody(ref);
    deepEqual(body, {
      id: BigInt(record.stable_id),
      position: record.position,
      rotation: record.rotation,
      velocity: record.linear_velocity,
      angularVelocity: record.angular_velocity,
      width: record.width,
      height: record.height,
      origin: record.origin,
      pixels: new Uint8Array(Buffer.from(record.pixels_hex, "hex")),
      mask: new Uint8Array(Buffer.from(record.packed_mask_hex, "hex")),
      extension: new Uint8Array(Buffer.from(record.extension_hex, "hex")),
    });
  }
}

/** Written in either version, it reads back equal. */
async function checkRewritten(save: PixelSave, content: Content): Promise<void> {
  for (const kind of ["native", "version2"] as const) {
    const disk = new MemoryDisk();
    await convertPixelToPixel(save, kind, { disk, path: FILE }, { generator: seedbase });
    const again = await openPixelSave(disk, FILE);
    equal(again.facts.worldSeed, save.facts.worldSeed);
    equal(again.modifiedMs, save.modifiedMs);
    const found = await contentOf(again);
    deepEqual(found.bodies, content.bodies, `${kind}: bodies`);
    // Version 2 does not store a chunk that equals the generated one.
    for (const [position, hash] of content.chunks)
      ok([hash, undefined].includes(found.chunks.get(position)), `${kind}: ${position}`);
    ok(found.chunks.size === content.chunks.size || content.isGenerated, `${kind}: chunks`);
    ok(isWhole(await verifyPixelWorld(disk, FILE)), `${kind}: verify finds damage`);
  }
}

/** Converts to a native world and back: materials, bodies and facts are unchanged. */
async function checkThroughTree(save: PixelSave, content: Content): Promise<void> {
  const options = { generator: seedbase, acceptLosses: true };
  const middle = new MemoryDisk();
  const there = await convertPixelToTree(save, middle, options);
  const inside = new Map(
    [...content.materials].filter(([position]) => position.split(",").every((at) => isInside(Number(at)))),
  );
  equal(there.chunks, inside.size);
  equal(
    there.losses.find(({ what }) => what === "chunks beyond the lattice")?.count ?? 0,
    save.chunkCount - inside.size,
  );
  equal(there.entities, save.bodyCount);
  const tree = await openSave(middle);
  const disk = new MemoryDisk();
  await convertTreeToPixel(tree, "version2", { disk, path: FILE }, options);
  const back = await openPixelSave(disk, FILE);
  const found = await contentOf(back);
  deepEqual(found.materials, inside);
  deepEqual(found.bodies, content.bodies);
  deepEqual(back.facts, save.facts);
  equal(back.modifiedMs, save.modifiedMs);
}

/** A pixel chunk is four chunks wide in the native world, whose coordinates have 32 bits. */
function isInside(coordinate: number): boolean {
  return coordinate >= -(2 ** 29) && coordinate < 2 ** 29;
}

interface Content {
  readonly chunks: ReadonlyMap<string, string>;
  /** Hashes of the first layer alone. */
  readonly materials: ReadonlyMap<string, string>;
  readonly bodies: readonly PixelBody[];
  /** Whether some chunk equals the generated one. */
  readonly isGenerated: boolean;
}

async function contentOf(save: PixelSave): Promise<Content> {
  const chunks = new Map<string, string>();
  const materials = new Map<string, string>();
  let isGenerated = false;
  for (const ref of save.chunks()) {
    const stored = await save.readChunk(ref);
    isGenerated ||= stored.storage === "delta" && stored.delta.positions.length === 0;
    const pixels = pixelsOf(stored, save.facts, seedbase, ref.x, ref.y);
    chunks.set(`${ref.x},${ref.y}`, sha256(pixels));
    materials.set(
      `${ref.x},${ref.y}`,
      sha256(pixels.filter((_byte, at) => at % save.facts.layers.length === 0)),
    );
  }
  const bodies: PixelBody[] = [];
  for (const ref of save.bodies()) bodies.push(await save.readBody(ref));
  return { chunks, materials, bodies: bodies.sort((a, b) => (a.id < b.id ? -1 : 1)), isGenerated };
}

async function checkDamaged(
  disk: MemoryDisk,
  expected: ExpectedPixelWorld,
  damage: DamagedPixelWorld,
): Promise<void> {
  equal(await strictFault(disk), damage.strict, "strict reading");
  equal(isWhole(await verifyPixelWorld(disk, FILE)), damage.strict === undefined, "verify");
  if (damage.hopeless) {
    const refused = await planPixelRepair(disk, FILE).then(
      () => "nothing",
      (error: unknown) => (isOrthantError(error) ? error.code : String(error)),
    );
    equal(refused, damage.strict, "salvage");
    return;
  }
  const plan = await planPixelRepair(disk, FILE);
  deepEqual(
    sorted(plan.chunks.map(({ x, y }) => `${x},${y}`)),
    sorted(expected.salvage_chunks ?? damage.chunks ?? []),
    "chunks",
  );
  deepEqual(
    sorted(plan.bodies.map(({ id }) => `${id}`)),
    sorted(expected.salvage_bodies ?? damage.bodies ?? []),
    "bodies",
  );
  deepEqual(sorted(plan.carved.map(({ id }) => `${id}`)), sorted(damage.carved ?? []), "carved");
  const unplaced = /(\d+) chunks are there, and nothing says/.exec(plan.losses.join("\n"))?.[1] ?? "0";
  equal(Number(unplaced), damage.unplaced ?? 0, "chunks without a place");
  const mended = new MemoryDisk();
  await applyPixelRepair(disk, FILE, plan, mended, FILE);
  const save = await openPixelSave(mended, FILE);
  const content = await contentOf(save);
  equal(content.chunks.size, plan.chunks.length);
  equal(content.bodies.length, plan.bodies.length + plan.carved.length);
  if (damage.repairedSha256 !== undefined) deepEqual([...content.chunks.values()], [damage.repairedSha256]);
  ok(isWhole(await verifyPixelWorld(mended, FILE)), "what was mended is damaged");
}

/** Returns the code of the first error when all of a file is read. */
async function strictFault(disk: MemoryDisk): Promise<string | undefined> {
  try {
    const save = await openPixelSave(disk, FILE);
    for (const ref of save.chunks()) await save.readChunk(ref);
    for (const ref of save.bodies()) await save.readBody(ref);
    return undefined;
  } catch (error) {
    if (isOrthantError(error)) return error.code;
    throw error;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function sorted(values: readonly string[]): readonly string[] {
  return [...values].sort();
}
