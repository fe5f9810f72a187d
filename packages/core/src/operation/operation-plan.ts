import { requireBlock } from "../arguments/checks.ts";
import { AIR } from "../chunk/chunk.ts";
import { type Box, boxExtents, intersectBoxes, unionBox } from "../lattice/box.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { AXES, type Position, positionFrom } from "../lattice/position.ts";
import { blockWith } from "./block-with.ts";
import type { CachedVoxels } from "./cached-voxels.ts";
import { NOT_COPIED, paletteIn, placeInBox } from "./clipboard.ts";
import { type OperationContext, READ_WORK, voxelTestOf } from "./masks.ts";
import type { BlockChoice, Operation, Pattern } from "./operation.ts";
import { mostWork, type VoxelChoice, voxelChoiceOf } from "./patterns.ts";
import type { ListedVoxels } from "./pen.ts";
import { axisOf, boxSet, boxWithin, grown, movedBox, stepsToFaces, type VoxelSet } from "./selections.ts";
import type { SmoothedColumns } from "./smoothed-columns.ts";
import {
  type AxisName,
  mirrorOf,
  positionBefore,
  type Turn,
  turnedExtents,
  turnedProperties,
  turnIn,
} from "./turn.ts";

/** What a voxel gets that stays as it is. */
export const UNCHANGED = -1;

/** What an operation does to single voxels. Every voxel depends only on the world before. */
export interface OperationPlan {
  /** Contains all voxels that may change. */
  readonly box: Box;
  /** The voxels that may change, if they are few in their box. */
  readonly voxels?: Iterable<Position>;
  /** The block that all voxels of the box get, if they all get the same. */
  readonly constant?: number;
  /** How many comparisons and reads a voxel may take: a measure of work. */
  readonly work: number;
  /** Returns boxes with all voxels that decide what those of a part become, besides the part itself. */
  reads(part: Box): readonly Box[];
  /** Returns what a voxel becomes, or `UNCHANGED`. `before` is its block. */
  blockAt(x: number, y: number, z: number, w: number, before: number): number;
  /** Returns the data that comes with the new block. Without it, data stays as long as the type of the block does. */
  dataAt?(x: number, y: number, z: number, w: number): Uint8Array | undefined;
}

/** What plans need to know of a world. */
export interface PlanContext extends OperationContext {
  /** Reads what the generator makes. */
  readonly generated: CachedVoxels;
  /** The columns of an operation that smooths. */
  readonly columns: SmoothedColumns | undefined;
  /** What an operation that draws covers. */
  readonly drawn: ListedVoxels | undefined;
}

const NOTHING_READ = (): readonly Box[] => [];
const DEFAULT_SOIL_DEPTH = 3;

/** Returns the plan of a checked operation in voxels of a selection. */
export function planOf(
  operation: Operation,
  selected: VoxelSet | undefined,
  context: PlanContext,
): OperationPlan {
  if ("line" in operation || "curve" in operation || "paste" in operation)
    return drawingPlan(operation, selected, context);
  const set = selected as VoxelSet;
  if ("set" in operation) return setPlan(operation.set, set, context);
  if ("replace" in operation) return replacePlan(operation, set, context);
  if ("drain" in operation)
    return replacePlan(
      { replace: operation.drain, with: { block: context.catalog.byId(AIR)?.name ?? "air" } },
      set,
      context,
    );
  if ("outline" in operation || "walls" in operation || "hollow" in operation)
    return borderPlan(operation, set, context);
  if ("overlay" in operation) return overlayPlan(operation, set, context);
  if ("naturalize" in operation) return naturalizePlan(operation, set, context);
  if ("smooth" in operation) return smoothPlan(set, context);
  if ("regenerate" in operation) return regeneratePlan(set, context);
  return contentPlan(operation, set, context);
}

type Kind<Name extends string> = Extract<Operation, { readonly [Key in Name]: unknown }>;

function setPlan(pattern: Pattern | BlockChoice, set: VoxelSet, context: PlanContext): OperationPlan {
  const { constant, work, blockAt } = choiceOf(pattern, context);
  return {
    box: set.box,
    work: set.work + work,
    ...(constant !== undefined && set.isBox && { constant }),
    reads: NOTHING_READ,
    blockAt: (x, y, z, w, before) => (set.has(x, y, z, w) ? blockAt(x, y, z, w, before) : UNCHANGED),
  };
}

function replacePlan(
  operation: Pick<Kind<"replace">, "replace" | "with">,
  set: VoxelSet,
  context: PlanContext,
): OperationPlan {
  const { low, high, work, accepts } = voxelTestOf(operation.replace, context);
  const { work: choiceWork, blockAt } = choiceOf(operation.with, context);
  return {
    box: set.box,
    work: set.work + work + choiceWork,
    reads: (part) => [grown(part, low, high)],
    blockAt: (x, y, z, w, before) =>
      set.has(x, y, z, w) && accepts(before, x, y, z, w) ? blockAt(x, y, z, w, before) : UNCHANGED,
  };
}

function borderPlan(
  operation: Kind<"outline"> | Kind<"walls"> | Kind<"hollow">,
  set: VoxelSet,
  context: PlanContext,
): OperationPlan {
  const isInner = "hollow" in operation;
  const pattern = isInner ? operation.hollow : "walls" in operation ? operation.walls : operation.outline;
  const { work, blockAt } = voxelChoiceOf(pattern, context);
  const { thickness = 1 } = operation;
  const faces = stepsToFaces(context.axes).filter(([, y]) => y === 0 || !("walls" in operation));
  const isBorder = (x: number, y: number, z: number, w: number): boolean => {
    for (const [byX, byY, byZ, byW] of faces)
      for (let far = 1; far <= thickness; far++)
        if (!set.has(x + byX * far, y + byY * far, z + byZ * far, w + byW * far)) return true;
    return false;
  };
  return {
    box: set.box,
    work: set.work * (1 + faces.length * thickness) + work,
    reads: NOTHING_READ,
    blockAt: (x, y, z, w, before) =>
      set.has(x, y, z, w) && isBorder(x, y, z, w) !== isInner ? blockAt(x, y, z, w, before) : UNCHANGED,
  };
}

function overlayPlan(
  { overlay, depth = 1 }: Kind<"overlay">,
  set: VoxelSet,
  context: PlanContext,
): OperationPlan {
  const { reader } = context;
  const { work, blockAt } = voxelChoiceOf(overlay, context);
  const isOnSurface = (x: number, y: number, z: number, w: number): boolean => {
    for (let below = 1; below <= depth; below++) if (reader.block(x, y - below, z, w) !== AIR) return true;
    return false;
  };
  return {
    box: set.box,
    work: set.work + READ_WORK * depth + work,
    reads: (part) => [grown(part, [0, depth, 0, 0], [0, 0, 0, 0])],
    blockAt: (x, y, z, w, before) =>
      before === AIR && set.has(x, y, z, w) && isOnSurface(x, y, z, w)
        ? blockAt(x, y, z, w, before)
        : UNCHANGED,
  };
}

function naturalizePlan(
  { naturalize, depth = DEFAULT_SOIL_DEPTH }: Kind<"naturalize">,
  set: VoxelSet,
  context: PlanContext,
): OperationPlan {
  const { reader } = context;
  const [top, soil, rock] = naturalize.map((pattern) => voxelChoiceOf(pattern, context)) as [
    VoxelChoice,
    VoxelChoice,
    VoxelChoice,
  ];
  const layerOf = (x: number, y: number, z: number, w: number): VoxelChoice => {
    for (let above = 1; above <= depth + 1; above++)
      if (reader.block(x, y + above, z, w) === AIR) return above === 1 ? top : soil;
    return rock;
  };
  return {
    box: set.box,
    work: set.work + READ_WORK * (depth + 1) + mostWork([top, soil, rock]),
    reads: (part) => [grown(part, [0, 0, 0, 0], [0, depth + 1, 0, 0])],
    blockAt: (x, y, z, w, before) =>
      before !== AIR && set.has(x, y, z, w) ? layerOf(x, y, z, w).blockAt(x, y, z, w, before) : UNCHANGED,
  };
}

/** Shifts each column up or down, so that what lies on its surface stays there. */
function smoothPlan(set: VoxelSet, { columns, reader }: PlanContext): OperationPlan {
  const { risesBy } = columns as SmoothedColumns;
  const { min, max } = set.box;
  const sourceOf = (x: number, y: number, z: number, w: number): Position | undefined => {
    const rise = set.has(x, y, z, w) ? risesBy(x, z, w) : 0;
    return rise === 0 ? undefined : [x, Math.min(Math.max(y - rise, min[1]), max[1] - 1), z, w];
  };
  return {
    box: set.box,
    work: set.work + 2 * READ_WORK,
    // The whole height, because a column may move by all of it.
    reads: (part) => [
      {
        min: [part.min[0], min[1], part.min[2], part.min[3]],
        max: [part.max[0], max[1], part.max[2], part.max[3]],
      },
    ],
    ...movedContent(sourceOf, reader),
  };
}

function regeneratePlan(set: VoxelSet, { generated }: PlanContext): OperationPlan {
  return {
    box: set.box,
    work: set.work + READ_WORK,
    reads: NOTHING_READ,
    blockAt: (x, y, z, w) => (set.has(x, y, z, w) ? generated.block(x, y, z, w) : UNCHANGED),
    dataAt: () => undefined,
  };
}

/** Returns what fills each voxel with the content of another one, or leaves it for `undefined`. */
function movedContent(
  sourceOf: (x: number, y: number, z: number, w: number) => Position | undefined,
  reader: CachedVoxels,
): Required<Pick<OperationPlan, "blockAt" | "dataAt">> {
  return {
    blockAt: (x, y, z, w) => {
      const source = sourceOf(x, y, z, w);
      return source === undefined ? UNCHANGED : reader.block(...source);
    },
    dataAt: (x, y, z, w) => {
      const source = sourceOf(x, y, z, w);
      return source && reader.data(...source);
    },
  };
}

/** Moves, stacks, turns or mirrors what a selection contains. */
function contentPlan(
  operation: Kind<"move"> | Kind<"stack"> | Kind<"rotate"> | Kind<"mirror">,
  set: VoxelSet,
  context: PlanContext,
): OperationPlan {
  if ("move" in operation) return movePlan(operation, set, context);
  if ("stack" in operation) return stackPlan(operation, set, context);
  const { axes } = context;
  if ("mirror" in operation) {
    axisOf(operation.mirror, axes);
    return turnPlan(mirrorOf(operation.mirror), set, context);
  }
  for (const name of operation.rotate) axisOf(name as AxisName, axes);
  return turnPlan(turnIn(operation.rotate, operation.turns ?? 1), set, context);
}

function movePlan({ move, leave }: Kind<"move">, set: VoxelSet, context: PlanContext): OperationPlan {
  const { axes, reader } = context;
  const by = axes.position("move", move);
  const back = positionFrom((axis) => -by[axis]);
  const left = leave === undefined ? undefined : voxelChoiceOf(leave, context);
  const to = movedBox(set.box, by);
  const box = unionBox(set.box, boxWithin(axes, to.min, to.max));
  return contentInto(box, (part) => [movedBox(part, back)], set, {
    reader,
    sourceOf: (x, y, z, w) => [x - by[0], y - by[1], z - by[2], w - by[3]],
    ...(left && { left }),
  });
}

function stackPlan(
  { stack, by }: Kind<"stack">,
  set: VoxelSet,
  { axes, reader }: PlanContext,
): OperationPlan {
  const step = axes.position("by", by);
  const last = movedBox(set.box, step, stack);
  const box = unionBox(movedBox(set.box, step), boxWithin(axes, last.min, last.max));
  // The last copy lies on top.
  const sourceOf = (x: number, y: number, z: number, w: number): Position | undefined => {
    const [first, end] = copiesAt([x, y, z, w], set.box, step, stack);
    for (let copy = end; copy >= first; copy--) {
      const source: Position = [
        x - step[0] * copy,
        y - step[1] * copy,
        z - step[2] * copy,
        w - step[3] * copy,
      ];
      if (set.has(...source)) return source;
    }
    return undefined;
  };
  // How many copies may lie over each other at a voxel.
  const depth = Math.min(
    stack,
    ...AXES.filter((axis) => step[axis] !== 0).map((axis) =>
      Math.ceil((set.box.max[axis] - set.box.min[axis]) / Math.abs(step[axis])),
    ),
  );
  return {
    box,
    work: 1 + depth * set.work * 2 + 2 * READ_WORK,
    // Every part may come from anywhere in the selection.
    reads: () => [set.box],
    ...movedContent(sourceOf, reader),
  };
}

/** Returns the first and the last copy of a box that contain a voxel. */
function copiesAt(
  voxel: Position,
  { min, max }: Box,
  step: Position,
  count: number,
): readonly [first: number, last: number] {
  let [first, last] = [1, count];
  for (const axis of AXES) {
    const size = step[axis];
    if (size === 0) continue;
    // The copies for which min <= voxel - copy * size < max.
    const [low, high] = [(voxel[axis] - max[axis] + 1) / size, (voxel[axis] - min[axis]) / size];
    first = Math.max(first, Math.ceil(Math.min(low, high)));
    last = Math.min(last, Math.floor(Math.max(low, high)));
  }
  return [first, last];
}

function turnPlan(turn: Turn, set: VoxelSet, { axes, catalog, reader }: PlanContext): OperationPlan {
  const { min } = set.box;
  const extents = boxExtents(set.box);
  const turned = turnedExtents(turn, extents);
  const to = boxWithin(
    axes,
    min,
    positionFrom((axis) => min[axis] + turned[axis]),
  );
  const isTarget = boxSet(to).has;
  const sourceOf = (x: number, y: number, z: number, w: number): Position | undefined => {
    if (!isTarget(x, y, z, w)) return undefined;
    const at = positionBefore(turn, turned, [x - min[0], y - min[1], z - min[2], w - min[3]]);
    return [min[0] + at[0], min[1] + at[1], min[2] + at[2], min[3] + at[3]];
  };
  const known = new Map<number, number>();
  const turnedBlock = (block: number): number =>
    getOrAdd(known, block, () => {
      const described = catalog.describe(block);
      if (described === undefined) return block;
      return blockWith(catalog, described.type, turnedProperties(turn, described.properties));
    });
  return contentInto(unionBox(set.box, to), () => [set.box], set, { reader, sourceOf, turnedBlock });
}

/** How content of a selection comes to lie elsewhere. */
interface Movement {
  readonly reader: CachedVoxels;
  readonly sourceOf: (x: number, y: number, z: number, w: number) => Position | undefined;
  readonly turnedBlock?: (block: number) => number;
  /** What its voxels get that get no content. Default: air. */
  readonly left?: VoxelChoice;
}

function contentInto(
  box: Box,
  reads: OperationPlan["reads"],
  set: VoxelSet,
  { reader, sourceOf, turnedBlock, left }: Movement,
): OperationPlan {
  const contentOf = (x: number, y: number, z: number, w: number): Position | undefined => {
    const source = sourceOf(x, y, z, w);
    return source && set.has(...source) ? source : undefined;
  };
  return {
    box,
    work: 3 * set.work + 2 * READ_WORK + (left?.work ?? 0),
    reads,
    blockAt: (x, y, z, w, before) => {
      const source = contentOf(x, y, z, w);
      if (source !== undefined) {
        const block = reader.block(...source);
        return turnedBlock === undefined ? block : turnedBlock(block);
      }
      if (!set.has(x, y, z, w)) return UNCHANGED;
      return left === undefined ? AIR : left.blockAt(x, y, z, w, before);
    },
    dataAt: (x, y, z, w) => {
      const source = contentOf(x, y, z, w);
      return source && reader.data(...source);
    },
  };
}

/** Draws a line or a clipboard, within a selection if there is one. */
function drawingPlan(
  operation: Kind<"line"> | Kind<"curve"> | Kind<"paste">,
  selected: VoxelSet | undefined,
  context: PlanContext,
): OperationPlan {
  const plan = "paste" in operation ? pastePlan(operation, context) : penPlan(operation, context);
  if (selected === undefined) return plan;
  const box = intersectBoxes(plan.box, selected.box) ?? selected.box;
  return {
    ...plan,
    box,
    work: plan.work + selected.work,
    blockAt: (x, y, z, w, before) =>
      selected.has(x, y, z, w) ? plan.blockAt(x, y, z, w, before) : UNCHANGED,
  };
}

function penPlan(operation: Kind<"line"> | Kind<"curve">, context: PlanContext): OperationPlan {
  const { work, blockAt } = voxelChoiceOf(operation.with, context);
  const set = context.drawn as ListedVoxels;
  return {
    box: set.box,
    voxels: set.voxels,
    work: set.work + work,
    reads: NOTHING_READ,
    blockAt: (x, y, z, w, before) => (set.has(x, y, z, w) ? blockAt(x, y, z, w, before) : UNCHANGED),
  };
}

function pastePlan({ paste, at, only }: Kind<"paste">, context: PlanContext): OperationPlan {
  const { axes, catalog } = context;
  const { extents, voxels, data } = paste.content;
  const min = axes.position("at", at);
  const box = boxWithin(
    axes,
    min,
    positionFrom((axis) => min[axis] + extents[axis]),
  );
  const blocks = paletteIn(catalog, paste.content);
  const test = only === undefined ? undefined : voxelTestOf(only, context);
  const has = boxSet(box).has;
  const indexOf = (x: number, y: number, z: number, w: number): number =>
    placeInBox(extents, [x - min[0], y - min[1], z - min[2], w - min[3]]);
  const { low, high } = test ?? { low: [0, 0, 0, 0], high: [0, 0, 0, 0] };
  return {
    box,
    work: 2 * READ_WORK + (test?.work ?? 1),
    reads: (part) => (test === undefined ? [] : [grown(part, low, high)]),
    blockAt: (x, y, z, w, before) => {
      if (!has(x, y, z, w)) return UNCHANGED;
      const place = voxels[indexOf(x, y, z, w)] as number;
      if (place === NOT_COPIED) return UNCHANGED;
      const block = blocks[place] as number;
      const isPasted = test === undefined ? block !== AIR : test.accepts(before, x, y, z, w);
      return isPasted ? block : UNCHANGED;
    },
    dataAt: (x, y, z, w) => data.get(indexOf(x, y, z, w)),
  };
}

function choiceOf(pattern: Pattern | BlockChoice, context: PlanContext): VoxelChoice {
  if (typeof pattern !== "function") return voxelChoiceOf(pattern, context);
  const { axes } = context;
  const name = "what the function of the operation returns";
  return {
    work: READ_WORK,
    blockAt: (x, y, z, w, before) => requireBlock(name, pattern(axes.publicPosition([x, y, z, w]), before)),
  };
}
