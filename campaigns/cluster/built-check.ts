import { shardOf } from "@orthant/cluster/internal";
import type { Position } from "@orthant/core";
import {
  chunkOfVoxel,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { faultOfRegion } from "../sockets/bot-check.ts";
import type { Brick, Builder } from "./builder.ts";
import type { StagedCluster } from "./staged-cluster.ts";

const SIGHT_CHUNKS = 2;

/** Amount of data compared, and the faults found. */
export interface BuiltReport {
  readonly voxels: number;
  readonly regions: number;
  readonly shards: number;
  readonly faults: readonly string[];
}

/** Checks a builder's view against its results: all applied edits are visible, and no rejected ones. */
export function faultsOfView(builder: Builder): readonly string[] {
  const { bricks, contest, world } = builder;
  const built = [...bricks.values()].map((brick) => {
    const seen = world.voxelAt(brick.voxel);
    return seen === undefined ? undefined : faultOfBrick(brick, seen);
  });
  const contested = contest.voxels.map((voxel) => {
    const seen = world.voxelAt(voxel);
    return seen === undefined ? undefined : contest.faultOf(voxel, seen);
  });
  return [...built, ...contested].flatMap((fault) =>
    fault === undefined ? [] : [`builder ${builder.lane} sees that ${fault}`],
  );
}

/** Describes how two builders' views of the same region differ; `undefined` if they agree. */
export function differenceOfViews(builders: readonly Builder[]): string | undefined {
  const seen = new PositionMap<{ readonly clock: number | undefined; readonly lane: number }>();
  for (const builder of builders) {
    for (const region of positionsLexicographic(regionsTouching(sightOf(builder)))) {
      const clock = builder.world.clockOf(region);
      const other = seen.get(...region);
      if (other === undefined) seen.set(...region, { clock, lane: builder.lane });
      else if (other.clock !== clock)
        return `builder ${builder.lane} has [${region}] at ${clock}, and ${other.lane} at ${other.clock}`;
    }
  }
  return undefined;
}

/** Compares the owners' saves with the builders' results and views, bit by bit. */
export async function compareSaves(
  staged: StagedCluster,
  builders: readonly Builder[],
): Promise<BuiltReport> {
  const map = await staged.map();
  const worlds = new Map<string, WorldEngine>();
  const worldAt = async (region: Position): Promise<WorldEngine> => {
    const shard = shardOf(map, region);
    const world =
      worlds.get(shard) ??
      (await openWorldEngine(new NodeDisk(await staged.folderOf(shard)), { readOnly: true }));
    worlds.set(shard, world);
    return world;
  };
  const faults: string[] = [];
  let voxels = 0;
  let regions = 0;
  const blockAt = async (builder: Builder, voxel: Position): Promise<number> => {
    voxels++;
    return (await worldAt(regionOf(chunkOfVoxel(builder.world.shape, voxel)))).get(voxel);
  };
  for (const builder of builders) {
    for (const brick of builder.bricks.values()) {
      const fault = faultOfBrick(brick, await blockAt(builder, brick.voxel));
      if (fault !== undefined) faults.push(`builder ${builder.lane}: in the save ${fault}`);
    }
    for (const voxel of builder.contest.voxels) {
      const fault = builder.contest.faultOf(voxel, await blockAt(builder, voxel));
      if (fault !== undefined) faults.push(`builder ${builder.lane}: in the save ${fault}`);
    }
    for (const region of positionsLexicographic(regionsTouching(sightOf(builder)))) {
      regions++;
      const fault = await faultOfRegion(builder, region, await worldAt(region));
      if (fault !== undefined) faults.push(`builder ${builder.lane}: ${fault}`);
    }
  }
  await Promise.all(Array.from(worlds.values(), (world) => world.close()));
  return { voxels, regions, shards: worlds.size, faults };
}

function faultOfBrick({ voxel, block, fate }: Brick, found: number): string | undefined {
  if (fate === "made" && found !== block)
    return `[${voxel}] is ${found}, not ${block} as it was acknowledged`;
  if (fate === "refused" && found !== 0) return `[${voxel}] is ${found}, and was refused`;
  return undefined;
}

function sightOf(builder: Builder): { readonly min: Position; readonly max: Position } {
  const middle = chunkOfVoxel(builder.world.shape, builder.center);
  return {
    min: positionFrom((axis) => middle[axis] - SIGHT_CHUNKS),
    max: positionFrom((axis) => middle[axis] + SIGHT_CHUNKS + 1),
  };
}
