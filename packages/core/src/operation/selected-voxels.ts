import { requireAtMost } from "../arguments/checks.ts";
import { boxAt, boxExtents, boxVolume, intersectBoxes, positionsLexicographic } from "../lattice/box.ts";
import { chunksOfVoxels, voxelsOfChunks } from "../lattice/chunk-shape.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import type { Position } from "../lattice/position.ts";
import { CLIPBOARD_VOXELS_MAX, Clipboard, NOT_COPIED, placeInBox, typesOfBlocks } from "./clipboard.ts";
import type { Mask, Selection } from "./operation.ts";
import type { OperationWorld } from "./operation-world.ts";
import { prepareSelection, type SelectedVoxels } from "./prepare-operation.ts";

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

/** Returns a copy of the voxels of a checked selection. Throws `ORT_LIMIT` if their box is too large. */
export async function copyVoxels(
  world: OperationWorld,
  selection: Selection,
  bytesMax: number = Number.POSITIVE_INFINITY,
): Promise<Clipboard> {
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

/** Returns how many voxels of a checked selection that a checked mask accepts have each block. */
export async function countVoxels(
  world: OperationWorld,
  selection: Selection,
  mask: Mask | undefined,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  await visitSelected(await prepareSelection(selection, mask, world), world, (block) => {
    counts.set(block, (counts.get(block) ?? 0) + 1);
  });
  return new Map([...counts].sort(([a], [b]) => a - b));
}

/** Calls `visit` with each voxel, all as they are at one moment. */
async function visitSelected(
  { box, reads, work, accepts }: SelectedVoxels,
  world: OperationWorld,
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
