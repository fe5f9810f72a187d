import { deepEqual, equal, notDeepEqual, ok } from "node:assert/strict";
import { isOrthantError } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { detectFormat, type MarsMinerSave, openMarsMiner, verifyMarsMiner } from "@orthant/formats";
import {
  applyMarsMinerRepair,
  describeMarsMinerAddress,
  type MarsMinerChunk,
  type MarsMinerDialect,
  type MarsMinerState,
  type Octree,
  octreeBoxes,
  octreeVoxel,
  planMarsMinerRepair,
} from "@orthant/formats/internal";
import { goldenPath } from "@orthant/testkit/golden";
import type {
  ExpectedChunk,
  ExpectedMarsMiner,
  ExpectedState,
  ExpectedTree,
} from "./marsminer/marsminer-expected.ts";
import { copyFolderToMemory } from "./polychora/folder-disk.ts";
import { type GoldenRow, type GoldenSuite, parseJson } from "./suite.ts";

const FOLDER = "marsminer-v0";
const CUBE_SIZE = 64;

const DIALECTS: Readonly<Record<string, MarsMinerDialect>> = {
  "d1-seed": "draft",
  "d2-subtypes": "subtypes",
  "d3-stringblock": "stringblock",
  "d4-global-pointers": "global-pointers",
};
const IN_ALL = [
  "branch-values",
  "crash-before-header",
  "degenerate",
  "full-height",
  "large-ids",
  "mixed",
  "never-saved",
  "no-chunks",
  "null-save-name",
  "strings",
  "two-saves",
  "uniform",
];
const IN_LATER = [
  "author-tests",
  "game-world",
  "game-world-fine",
  "multi-blob",
  "multi-blob-resave",
  "reopen-reuse",
  "translator-leaf-stream",
];

/** All 70 saves that the original wrote, one row each. */
export const marsMinerSaveSuites: readonly GoldenSuite[] = Object.keys(DIALECTS)
  .flatMap((dialect) =>
    [...IN_ALL, ...(dialect === "d1-seed" ? ["multi-blob-pointers"] : IN_LATER)].map(
      (name) => `${dialect}/${name}`,
    ),
  )
  .map((name) => ({
    file: `${FOLDER}/${name}/expected.json`,
    check: async (file: Uint8Array) => [await checkSave(name, parseJson<ExpectedMarsMiner>(file))],
  }));

async function checkSave(name: string, expected: ExpectedMarsMiner): Promise<GoldenRow> {
  try {
    const disk = await copySave(name);
    const before = disk.image();
    if (expected.mustRefuse === true) await checkRefused(disk, expected);
    else await checkGood(disk, expected);
    deepEqual(disk.image(), before, "reading has written");
    return { name, failure: undefined };
  } catch (error) {
    return { name, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function checkGood(disk: MemoryDisk, expected: ExpectedMarsMiner): Promise<void> {
  const save = await openMarsMiner(disk);
  deepEqual(
    save.fittingDialects,
    expected.detectedDialects.map((dialect) => DIALECTS[dialect]),
  );
  equal((await detectFormat(disk))?.format, "marsminer");
  // When two dialects fit, the content is the same in both; the writer's own is tested as well.
  await checkContent(save, expected);
  await checkContent(
    await openMarsMiner(disk, { dialect: DIALECTS[expected.dialect] as MarsMinerDialect }),
    expected,
  );
  await save.close();
  ok(isWhole(await verifyMarsMiner(disk)), "called damaged");
  await checkRewrite(disk, expected);
}

/** Repairing an intact save rewrites it in the first dialect: with everything but the subtypes. */
async function checkRewrite(disk: MemoryDisk, expected: ExpectedMarsMiner): Promise<void> {
  const plan = await planMarsMinerRepair(disk, { dialect: DIALECTS[expected.dialect] as MarsMinerDialect });
  const target = new MemoryDisk();
  await applyMarsMinerRepair(disk, plan, target);
  ok(isWhole(await verifyMarsMiner(target)), "what we wrote is damaged");
  const state = expected.current === null ? undefined : expected.states[expected.current];
  const again = await openMarsMiner(target, { dialect: "draft" });
  equal(again.state?.ticks, state && BigInt(state.timestampTicks));
  equal(again.state?.name ?? null, state?.saveName ?? null);
  for (const [index, entry] of (again.state?.chunks ?? []).entries()) {
    const place = state?.chunkTable[index];
    deepEqual([entry.x, entry.z], [place?.x, place?.z]);
    const trees = (await again.readChunk(entry)).octrees.map((octree) => treeOf(octree, 0));
    const expectedChunk = state?.chunks[place?.chunk ?? -1];
    deepEqual(
      trees,
      expectedChunk?.octrees.map(({ tree }) => tree),
    );
  }
}

async function checkContent(save: MarsMinerSave, expected: ExpectedMarsMiner): Promise<void> {
  const current = expected.current === null ? undefined : expected.states[expected.current];
  if (current === undefined) equal(save.state, undefined);
  else {
    ok(save.state !== undefined, "no state");
    deepEqual(await contentOf(save, save.state), contentExpected(current));
    await checkProbes(save, save.state, current);
  }
  await checkOldStates(save, expected);
}

/** No field says that a save fits no dialect; only its invalid octrees reveal it. */
async function checkRefused(disk: MemoryDisk, expected: ExpectedMarsMiner): Promise<void> {
  equal((await detectFormat(disk))?.format, "marsminer");
  const save = await openMarsMiner(disk, { dialect: DIALECTS[expected.dialect] as MarsMinerDialect });
  deepEqual((await openMarsMiner(disk)).fittingDialects, []);
  for (const entry of save.state?.chunks ?? []) {
    const refusal = await save.readChunk(entry).catch((error: unknown) => error);
    ok(isOrthantError(refusal, "ORT_OCTREE"), `read without complaint: ${String(refusal)}`);
  }
  const codes = (await verifyMarsMiner(disk)).map(({ code }) => code);
  ok(codes.includes("ORT_OCTREE"), "not called damaged");
  // Lost shapes cannot be recovered: every invalid octree is a loss, and becomes empty.
  const plan = await planMarsMinerRepair(disk, { dialect: DIALECTS[expected.dialect] as MarsMinerDialect });
  ok(
    plan.losses.some(({ what }) => what === "octree"),
    "nothing is called lost",
  );
  const target = new MemoryDisk();
  await applyMarsMinerRepair(disk, plan, target);
  deepEqual(await verifyMarsMiner(target), []);
}

/** Exactly the intact states are found; something else lies at the address of a lost one. */
async function checkOldStates(save: MarsMinerSave, { states }: ExpectedMarsMiner): Promise<void> {
  if (states.some(({ savedStateIndexAddress }) => savedStateIndexAddress === null)) return;
  const found = new Map<string, MarsMinerState>();
  for (const state of await save.findStates()) found.set(describeMarsMinerAddress(state.address), state);
  const readable = states.filter(({ readableAtAddress }) => readableAtAddress === true);
  deepEqual(
    [...found.keys()].sort(),
    readable.map(({ savedStateIndexAddress }) => savedStateIndexAddress).sort(),
  );
  for (const state of states) {
    const there = found.get(state.savedStateIndexAddress ?? "");
    if (there === undefined) continue;
    const content = await contentOf(save, there);
    if (state.readableAtAddress === true) deepEqual(content, contentExpected(state));
    else notDeepEqual(content, contentExpected(state));
  }
}

interface Content {
  readonly ticks: bigint;
  readonly name: string | null;
  readonly chunks: readonly unknown[];
}

async function contentOf(save: MarsMinerSave, state: MarsMinerState): Promise<Content> {
  const chunks: unknown[] = [];
  for (const entry of state.chunks) {
    const { blockTypes, octrees } = await save.readChunk(entry);
    const types = blockTypes.map(({ name, subtype }) =>
      subtype === undefined ? { name } : { name, subType: subtype },
    );
    chunks.push([entry.x, entry.z, types, octrees.map((octree) => treeOf(octree, 0))]);
  }
  return { ticks: state.ticks, name: state.name ?? null, chunks };
}

function contentExpected(state: ExpectedState): Content {
  const chunks = state.chunkTable.map(({ x, z, chunk }) => {
    const { blockTypeTable, octrees } = state.chunks[chunk] as ExpectedChunk;
    return [x, z, state.blockTypeTables[blockTypeTable], octrees.map(({ tree }) => tree)];
  });
  return { ticks: BigInt(state.timestampTicks), name: state.saveName, chunks };
}

function treeOf(octree: Octree, node: number): ExpectedTree {
  const value = octree.values[node] as number;
  const first = octree.firstChildren[node] as number;
  if (first === 0) return value;
  return { v: value, c: Array.from({ length: 8 }, (_, child) => treeOf(octree, first + child)) };
}

async function checkProbes(
  save: MarsMinerSave,
  state: MarsMinerState,
  expected: ExpectedState,
): Promise<void> {
  for (const [index, { chunk }] of expected.chunkTable.entries()) {
    const found: MarsMinerChunk = await save.readChunk(
      state.chunks[index] as MarsMinerState["chunks"][number],
    );
    for (const [level, { nodeCount, probes64 }] of (expected.chunks[chunk]?.octrees ?? []).entries()) {
      const octree = found.octrees[level] as Octree;
      equal(octree.values.length, nodeCount);
      for (const [x, y, z, value] of probes64) equal(octreeVoxel(octree, CUBE_SIZE, x, y, z), value);
      let voxels = 0;
      for (const { box } of octreeBoxes(octree, CUBE_SIZE)) voxels += (box.max[0] - box.min[0]) ** 3;
      equal(voxels, CUBE_SIZE ** 3);
    }
  }
}

function copySave(name: string): Promise<MemoryDisk> {
  return copyFolderToMemory(goldenPath(FOLDER, name, "save"));
}
