import type { Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import {
  boxAt,
  boxExtents,
  boxVolume,
  chunksOfVoxels,
  getOrAdd,
  intersectBoxes,
  positionsLexicographic,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import {
  CLIPBOARD_VOXELS_MAX,
  Clipboard,
  type Mask,
  NOT_COPIED,
  placeInBox,
  prepareSelection,
  type SelectedVoxels,
  type Selection,
  typesOfBlocks,
} from "@orthant/core/operations";
import { ReadWorld, type RunContext } from "./operation-world.ts";

/** How much work is done between two moments at which others may go on. */
const WORK_AT_A_TIME = 8_192;
/** Bytes of a voxel of a clipboard, and of the objects around the data of one. */
const VOXEL_BYTES = 2;
const DATA_OBJECT_BYTES = 128;

/** Returns the memory of a clipboard. */
export function clipboardBytes({ content: { voxels, data } }: Clipboard): number {
  let bytes = voxels.byteLength;
  for (const { length } of data.values()) bytes += length + DATA_OBJECT_BYTES;
  return bytes;
}

/** Returns a copy of selected voxels. Throws `ORT_LIMIT` if their box is too large. */
export async function clipboardOf(
  context: RunContext,
  selection: Selection,
  bytesMax: number = Number.POSITIVE_INFINITY,
): Promise<Clipboard> {
  const world = new ReadWorld(context);
  const selected = await prepareSelection(selection, undefined, world);
  const { min } = selected.box;
  const extents = boxExtents(selected.box);
  requireAtMost(boxVolume(selected.box), CLIPBOARD_VOXELS_MAX, "voxels of a clipboard", "copy in parts");
  requireAtMost(boxVolume(selected.box) * VOXEL_BYTES, bytesMax, "bytes of a clipboard", "copy less");
  const voxels = new Uint16Array(boxVolume(selected.box)).fill(NOT_COPIED);
  const places = new Map<number, number>();
  const data = new Map<number, Uint8Array>();
  let dataBytes = 0;
  await visitSelected(selected, world, (block, [x, y, z, w]) => {
    const index = placeInBox(extents, [x - min[0], y - min[1], z - min[2], w - min[3]]);
    voxels[index] = getOrAdd(places, block, () => places.size);
    const bytes = world.reader.data(x, y, z, w);
    if (bytes === undefined) return;
    data.set(index, bytes);
    dataBytes += bytes.length + DATA_OBJECT_BYTES;
    requireAtMost(voxels.byteLength + dataBytes, bytesMax, "bytes of a clipboard with data", "copy less");
  });
  const { catalog } = world;
  const blocks = typesOfBlocks(catalog, places.keys());
  const palette = Array.from(places.keys(), (block) => catalog.describe(block) ?? block);
  return new Clipboard(world.axes.dimensions, { extents, blocks, palette, voxels, data });
}

/** Returns how many of the selected voxels that a mask accepts have each block. */
export async function countBlocks(
  context: RunContext,
  selection: Selection,
  mask: Mask | undefined,
): Promise<ReadonlyMap<number, number>> {
  const world = new ReadWorld(context);
  const counts = new Map<number, number>();
  await visitSelected(await prepareSelection(selection, mask, world), world, (block) => {
    counts.set(block, (counts.get(block) ?? 0) + 1);
  });
  return new Map([...counts].sort(([a], [b]) => a - b));
}

/** Calls `visit` with each voxel, all as they are at one moment. */
async function visitSelected(
  { box, reads, work, accepts }: SelectedVoxels,
  world: ReadWorld,
  visit: (block: number, position: Position) => void,
): Promise<void> {
  world.spend(work, boxVolume(box));
  await world.load(reads);
  const { shape, reader } = world;
  let untilPause = WORK_AT_A_TIME;
  for (const chunk of positionsLexicographic(chunksOfVoxels(shape, box))) {
    const { min, max } = intersectBoxes(voxelsOfChunks(shape, boxAt(chunk)), box) ?? box;
    for (let w = min[3]; w < max[3]; w++)
      for (let z = min[2]; z < max[2]; z++)
        for (let y = min[1]; y < max[1]; y++)
          for (let x = min[0]; x < max[0]; x++) {
            untilPause -= work;
            if (untilPause < 0) {
              const paused = world.pause();
              if (paused !== undefined) await paused;
              untilPause = WORK_AT_A_TIME;
            }
            const block = reader.block(x, y, z, w);
            if (accepts(block, x, y, z, w)) visit(block, [x, y, z, w]);
          }
  }
}
