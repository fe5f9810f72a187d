import { dimensionsOf } from "@orthant/core";
import { PositionSet, regionOf } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { formatAmount, formatCount, formatPosition } from "@orthant/formats";
import { compareSaves, type Save, type SaveDifference } from "@orthant/save";
import type { SaveWithJournal } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseGenerations, parseInteger } from "../command/parse.ts";
import { positionJson } from "../command/report.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { openReadable } from "../world/found-world.ts";
import { exitWithJournals, openAskedSave, retryWhileWritten } from "../world/live-save.ts";

const LIMIT_MAX = 1_000_000;

/** `orthant diff`. */
export const diffCommand: Command = {
  name: "diff",
  summary: "Show how two worlds, or two generations of one, differ",
  details: [
    "Compares chunks, entities, players, the store and what the worlds say about themselves, whichever format they have;",
    "not clocks and ids, which depend on the order of the edits. The exit code is 0 when they are equal and 1 when not.",
  ].join(" "),
  arguments: [
    { name: "<before>", description: "the folder of a world, or its file" },
    { name: "[after]", description: "the folder of another; the same one unless given" },
  ],
  usesGenerators: true,
  options: [
    {
      flags: "--generation <n or n..m>",
      description: "generations to compare: n of <before>, m of <after> (default: the newest)",
    },
    { flags: "--limit <count>", description: "how many differences to list", default: "100" },
  ],
  examples: [
    "orthant diff my-world backups/monday",
    "orthant diff my-world --generation 41",
    "orthant diff my-world --generation 41..42 --json",
  ],

  async run(args, context) {
    const [beforeFolder, afterFolder] = [args.at(0), args.at(1) === "" ? args.at(0) : args.at(1)];
    const generations = args.parsed("generation", parseGenerations);
    const limit = args.parsed("limit", parseInteger(0, LIMIT_MAX)) ?? LIMIT_MAX;
    if (args.at(1) === "" && generations === undefined) {
      throw new UsageError("name another world to compare with, or a --generation of this one");
    }
    const before = { disk: (await openReadable(beforeFolder, context)).disk, generation: generations?.[0] };
    const after = { disk: (await openReadable(afterFolder, context)).disk, generation: generations?.[1] };
    const samePacks = beforeFolder === afterFolder;
    // A writer may save either world during the comparison.
    const found = await retryWhileWritten(before.disk, () =>
      retryWhileWritten(after.disk, () => compare(before, after, { samePacks, limit }, context)),
    );
    context.printJson({
      before: { world: beforeFolder, generation: found.opened[0].generation },
      after: { world: afterFolder, generation: found.opened[1].generation },
      equal: found.isEqual,
      counts: found.counts,
      truncated: found.isCut,
      differences: found.listed,
    });
    context.printAll(found.listed.map(differenceLine));
    if (found.isCut) context.note(`there are more than ${formatCount(limit)}; --limit shows more`);
    context.print(summaryOf(found));
    return exitWithJournals(found.opened, context, found.isEqual ? EXIT.ok : EXIT.failed);
  },
};

/** One of the two compared worlds. */
interface Side {
  readonly disk: Disk;
  /** `undefined` is the live one. */
  readonly generation: number | undefined;
}

interface CompareOptions {
  /** Whether both are generations of one world. */
  readonly samePacks: boolean;
  readonly limit: number;
}

interface Comparison {
  /** The compared worlds, closed. */
  readonly opened: readonly [before: SaveWithJournal, after: SaveWithJournal];
  readonly isEqual: boolean;
  readonly isCut: boolean;
  readonly listed: readonly Listed[];
  readonly counts: {
    readonly facts: number;
    readonly regions: number;
    readonly chunks: number;
    readonly entities: number;
    readonly players: number;
    /** Keys of the store. */
    readonly keys: number;
  };
}

async function compare(
  first: Side,
  second: Side,
  options: CompareOptions,
  context: Context,
): Promise<Comparison> {
  const before = await openAskedSave(first.disk, first.generation, context.generators);
  try {
    const after = await openAskedSave(second.disk, second.generation, context.generators);
    try {
      const found = await compareOpen(before.save, after.save, options, context);
      return { ...found, opened: [before, after] };
    } finally {
      await after.save.close();
    }
  } finally {
    await before.save.close();
  }
}

async function compareOpen(
  before: Save,
  after: Save,
  { samePacks, limit }: CompareOptions,
  context: Context,
): Promise<Omit<Comparison, "opened">> {
  const leaves = before.index.totals.leaves + after.index.totals.leaves;
  const progress = context.progress("comparing", "leaves", leaves);
  const counts = { fact: 0, chunk: 0, entity: 0, player: 0, store: 0 };
  const regions = new PositionSet();
  const listed: Listed[] = [];
  let isCut = false;
  try {
    const options = { samePacks, onLeaf: () => progress.advance(1) };
    for await (const difference of compareSaves(before, after, options)) {
      counts[difference.kind]++;
      if (difference.kind === "chunk") regions.add(...regionOf(difference.position));
      if (listed.length < limit) listed.push(listedOf(difference, before, after));
      else isCut = true;
    }
  } finally {
    progress.end();
  }
  const { fact: facts, chunk: chunks, entity: entities, player: players, store: keys } = counts;
  const isEqual = facts + chunks + entities + players + keys === 0;
  return {
    isEqual,
    isCut,
    listed,
    counts: { facts, regions: regions.size, chunks, entities, players, keys },
  };
}

/** A difference in JSON; unknown values are `null`. */
type Listed = ReturnType<typeof listedOf>;

function listedOf(difference: SaveDifference, first: Save, second: Save) {
  if (difference.kind === "fact" && difference.fact === "spawn")
    return { ...difference, before: spawnOf(first), after: spawnOf(second) };
  if (difference.kind !== "chunk") return difference;
  const { position, before, after, voxels, data } = difference;
  const dimensions = dimensionsOf(first.global.description.chunkShape);
  return {
    kind: "chunk",
    chunk: positionJson(position, dimensions),
    region: positionJson(regionOf(position), dimensions),
    before,
    after,
    voxels: voxels ?? null,
    data: data ?? null,
  } as const;
}

function differenceLine(difference: Listed): string {
  switch (difference.kind) {
    case "fact":
      return `${difference.fact}: ${difference.before} -> ${difference.after}`;
    case "chunk": {
      const { chunk, region, before, after, voxels, data } = difference;
      const where = `chunk ${formatPosition(chunk)} of region ${formatPosition(region)}`;
      const amount = voxels === null ? "" : `, ${formatAmount(voxels, "voxel")}`;
      const withData = data === null || data === 0 ? "" : `, data of ${formatCount(data)}`;
      return `${where}: ${before} -> ${after}${amount}${withData}`;
    }
    case "entity":
      return `entity ${difference.entityId}: ${difference.change}`;
    case "player":
      return `player ${difference.playerId}: ${difference.change}`;
    case "store":
      return `store ${JSON.stringify(difference.key)}: ${difference.change}`;
  }
}

function spawnOf({ global }: Save): string {
  const { spawn, chunkShape } = global.description;
  return formatPosition(spawn, dimensionsOf(chunkShape));
}

function summaryOf({ isEqual, counts }: Comparison): string {
  if (isEqual) return "equal";
  const parts = [
    counts.facts > 0 && formatAmount(counts.facts, "fact"),
    counts.chunks > 0 &&
      `${formatAmount(counts.chunks, "chunk")} in ${formatAmount(counts.regions, "region")}`,
    counts.entities > 0 && formatAmount(counts.entities, "entity", "entities"),
    counts.players > 0 && formatAmount(counts.players, "player"),
    counts.keys > 0 && formatAmount(counts.keys, "key"),
  ];
  return `different: ${parts.filter((part) => part !== false).join(", ")}`;
}
