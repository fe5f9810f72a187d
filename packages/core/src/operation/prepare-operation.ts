import { requireAtMost } from "../arguments/checks.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { type Box, boxAt, boxExtents, boxVolume, unionBox } from "../lattice/box.ts";
import { chunkOfVoxel, voxelsOfChunks } from "../lattice/chunk-shape.ts";
import type { Position } from "../lattice/position.ts";
import { PositionSet } from "../lattice/position-map.ts";
import { type VoxelTest, voxelTestOf } from "./masks.ts";
import type { ConnectedSelection, Mask, Operation, Selection } from "./operation.ts";
import { type OperationPlan, type PlanContext, planOf } from "./operation-plan.ts";
import type { OperationWorld } from "./operation-world.ts";
import { drawnVoxels } from "./pen.ts";
import { grown, positionsSet, stepsToFaces, type VoxelSet, voxelSetOf } from "./selections.ts";
import { columnsAround, type SmoothedColumns, smoothColumns } from "./smoothed-columns.ts";

/** Maximum number of voxels in the columns that are smoothed at once. */
const SMOOTHED_VOXELS_MAX = 16_777_216;
/** The work of smoothing a column once, in comparisons. */
const SMOOTHING_WORK = 16;
/** Operations that say themselves where they are. */
const DRAWINGS = ["line", "curve", "paste"];
/** More than an operation can use. */
const SEEDS_PER_OPERATION = 2 ** 20;

/**
 * Returns the plan of a checked operation. Reads what decides which voxels it changes: connected ones, and the heights of
 * columns. Throws `ORT_ARGUMENT` for what the world does not have, `ORT_LIMIT` for more than an operation may be.
 */
export async function prepareOperation(operation: Operation, world: OperationWorld): Promise<OperationPlan> {
  const context = await prepareContext(operation, operation.seed ?? 0, world);
  const selected = operation.in && voxelSetOf(operation.in, context);
  if (selected === undefined && !DRAWINGS.some((kind) => Object.hasOwn(operation, kind)))
    throw wrongArgument(
      "operation.in",
      undefined,
      "it says which voxels: a selection, such as box(min, max)",
    );
  const columns =
    "smooth" in operation && selected !== undefined
      ? await smoothedColumns(selected.box, operation.smooth, world)
      : undefined;
  const drawn = "line" in operation || "curve" in operation ? await drawnVoxels(operation, world) : undefined;
  return planOf(operation, selected, { ...context, columns, drawn });
}

/** Voxels of a selection that a mask accepts. */
export interface SelectedVoxels {
  readonly box: Box;
  /** A box with all voxels that decide which ones are accepted. */
  readonly reads: Box;
  /** How many comparisons and reads a voxel may take: a measure of work. */
  readonly work: number;
  accepts(block: number, x: number, y: number, z: number, w: number): boolean;
}

/** Returns the voxels of a checked selection that a checked mask accepts, without one all. */
export async function prepareSelection(
  selection: Selection,
  mask: Mask | undefined,
  world: OperationWorld,
): Promise<SelectedVoxels> {
  const context = await prepareContext([selection, mask], 0, world);
  const { box, work, has } = voxelSetOf(selection, context);
  if (mask === undefined) return { box, reads: box, work, accepts: (_, x, y, z, w) => has(x, y, z, w) };
  const { low, high, work: testWork, accepts } = voxelTestOf(mask, context);
  return {
    box,
    work: work + testWork,
    reads: grown(box, low, high),
    accepts: (block, x, y, z, w) => has(x, y, z, w) && accepts(block, x, y, z, w),
  };
}

/** Returns what a checked value needs to know of its world, with the voxels of its selections of connected ones. */
async function prepareContext(
  value: unknown,
  seed: number,
  world: OperationWorld,
): Promise<Omit<PlanContext, "columns" | "drawn">> {
  const { axes, catalog, reader, generated } = world;
  const connected = new Map<ConnectedSelection, VoxelSet>();
  const base = seed * SEEDS_PER_OPERATION;
  let used = 0;
  const nextSeed = (): bigint => BigInt(base + used++);
  const context = { axes, catalog, connected, reader, generated, nextSeed };
  for (const selection of connectedIn(value)) {
    const test = voxelTestOf(selection.through, context);
    connected.set(selection, await connectedVoxels(selection, test, world));
  }
  return context;
}

/** Returns all selections of connected voxels in a value, the innermost first. */
function connectedIn(value: unknown): readonly ConnectedSelection[] {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  const inner = Object.values(value).flatMap(connectedIn);
  return "connected" in value ? [...inner, value as ConnectedSelection] : inner;
}

async function connectedVoxels(
  { connected, limit }: ConnectedSelection,
  { low, high, work, accepts }: VoxelTest,
  world: OperationWorld,
): Promise<VoxelSet> {
  const { axes, reader } = world;
  const faces = stepsToFaces(axes);
  const loaded = new PositionSet();
  const seen = new PositionSet();
  const found: Position[] = [];
  const voxels = new PositionSet();
  const load = async (voxel: Position): Promise<void> => {
    const chunk = chunkOfVoxel(world.shape, voxel);
    await world.load(grown(voxelsOfChunks(world.shape, boxAt(chunk)), low, high));
    loaded.add(...chunk);
  };
  const visit = (voxel: Position): void => {
    seen.add(...voxel);
    world.spend(work, 1);
    if (!accepts(reader.block(...voxel), ...voxel)) return;
    requireAtMost(
      found.length + 1,
      limit,
      "connected voxels",
      "raise the limit of the selection, or select less",
    );
    found.push(voxel);
    voxels.add(...voxel);
    world.remember(found.length);
  };
  const start = axes.position("a connected voxel", connected);
  await load(start);
  visit(start);
  let box: Box = boxAt(start);
  for (let at = 0; at < found.length; at++) {
    const [x, y, z, w] = found[at] as Position;
    box = unionBox(box, boxAt([x, y, z, w]));
    for (const [byX, byY, byZ, byW] of faces) {
      const next: Position = [x + byX, y + byY, z + byZ, w + byW];
      if (seen.has(...next)) continue;
      if (!loaded.has(...chunkOfVoxel(world.shape, next))) await load(next);
      visit(next);
    }
    const paused = world.pause();
    if (paused !== undefined) await paused;
  }
  return positionsSet(voxels, box);
}

async function smoothedColumns(box: Box, rounds: number, world: OperationWorld): Promise<SmoothedColumns> {
  const { dimensions } = world.axes;
  const around = columnsAround(box, rounds, dimensions);
  requireAtMost(
    boxVolume(around),
    SMOOTHED_VOXELS_MAX,
    "voxels around what is smoothed",
    "smooth it in parts",
  );
  const [, height] = boxExtents(around);
  world.spend(1 + (rounds * SMOOTHING_WORK) / height, boxVolume(around));
  await world.load(around);
  return smoothColumns(around, rounds, world);
}
