import type { ChunkShape, Dimensions, VoxelBox } from "@orthant/core";
import {
  checkedOptions,
  convertList,
  fieldsOf,
  requireList,
  whole,
  wrongArgument,
} from "@orthant/core/arguments";
import type { SeededGenerator } from "@orthant/core/generate";
import { type Axes, chunksOfRegions, chunksOfVoxels, voxelsOfChunks } from "@orthant/core/lattice";
import type { GeneratorMap } from "@orthant/core/tree";
import type { KeptGenerators, WorldGenerators } from "../engine/world-generators.ts";
import { requireSeededGenerator } from "../options/checked-arguments.ts";

/** What keeps its generator when a world gets another one, besides every region in which something was built. */
export interface KeepOptions<D extends Dimensions = Dimensions> {
  /** Distance around those regions, in chunks, rounded up to whole regions of 4 chunks. Default: 4. */
  readonly margin?: number;
  /** Boxes that stay as they are although nothing was built there, rounded up to whole regions. */
  readonly boxes?: readonly VoxelBox<D>[];
}

/** Options of `World.changeGenerator`. */
export interface ChangeGeneratorOptions<D extends Dimensions = Dimensions> {
  readonly keep?: KeepOptions<D>;
}

/** What `World.changeGenerator` left as it was. */
export interface KeptSpace<D extends Dimensions = Dimensions> {
  /** Disjoint boxes in which an earlier generator stays. The new one applies everywhere else. */
  readonly kept: readonly VoxelBox<D>[];
}

/** One region around what was built. */
const MARGIN_CHUNKS = 4;
const MARGIN_CHUNKS_MAX = 4_096;
const BOXES_MAX = 4_096;

/** Changes the generator of a world, with as many axes as it has. See `World.changeGenerator`. */
export async function changeGenerator<D extends Dimensions>(
  { shape, generators }: { readonly shape: ChunkShape; readonly generators: WorldGenerators },
  axes: Axes<D>,
  next: SeededGenerator,
  options: ChangeGeneratorOptions<D> = {},
): Promise<KeptSpace<D>> {
  const generator = requireSeededGenerator("next", next);
  return keptSpace(axes, shape, await generators.change(generator, keptBy(axes, shape, options)));
}

/** Returns what a change of the generator keeps, with four axes. Throws `ORT_ARGUMENT` for wrong options. */
function keptBy<D extends Dimensions>(
  axes: Axes<D>,
  shape: ChunkShape,
  options: ChangeGeneratorOptions<D>,
): KeptGenerators {
  const { keep = {} } = checkedOptions<ChangeGeneratorOptions<D>>("the options", options, {
    keep: fieldsOf<KeepOptions<D>>({
      margin: whole(0, MARGIN_CHUNKS_MAX),
      boxes: (_, boxes) => requireBoxes(boxes) as readonly VoxelBox<D>[],
    }),
  });
  const advice = "it is a list of boxes, such as [box([0, 0, 0], [64, 64, 64])]";
  const boxes = convertList("keep.boxes", keep.boxes ?? [], advice, (box, index) =>
    axes.voxels(`keep.boxes[${index}]`, box),
  );
  return {
    marginChunks: keep.margin ?? MARGIN_CHUNKS,
    boxes: boxes.map((box) => chunksOfVoxels(shape, box)),
  };
}

/** Returns the boxes of voxels that have another generator than the rest of a world. */
function keptSpace<D extends Dimensions>(
  axes: Axes<D>,
  shape: ChunkShape,
  { kept }: GeneratorMap,
): KeptSpace<D> {
  return { kept: kept.map(({ box }) => axes.publicVoxels(voxelsOfChunks(shape, chunksOfRegions(box)))) };
}

function requireBoxes(boxes: unknown): readonly unknown[] {
  requireList("keep.boxes", boxes, "it is a list of boxes");
  if (boxes.length <= BOXES_MAX) return boxes;
  throw wrongArgument("keep.boxes.length", boxes.length, `there are at most ${BOXES_MAX}`);
}
