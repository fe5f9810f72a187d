import { AIR, type BlockCatalog } from "@orthant/core";
import { encodeUtf8, joinBytes } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import { boxWriter, type ExportedVoxels, type VoxelsWriter } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { littleWords } from "../format/number-bytes.ts";

const VERSION = 150;
/** Edge of a model; a larger box becomes several. */
const MODEL_EDGE = 256;
const COLOURS_MAX = 255;
const PALETTE_BYTES = 1_024;

/** Writes files of MagicaVoxel. */
export const voxWriter: VoxelsWriter = boxWriter(".vox", voxOf);

/** Returns a file of MagicaVoxel. Its z axis points up, so that the voxel [x, y, z] is there at [x, -1 - z, y]. Rules EX5 and EX6. */
function voxOf(voxels: ExportedVoxels, losses: ConversionLosses): Uint8Array {
  const { catalog, blocks, data } = voxels;
  const kinds = new Set(blocks);
  kinds.delete(AIR);
  losses.add("names of blocks", "a voxel has only a colour there", kinds.size);
  losses.add("data of voxels", "a voxel has only a colour there", data.length);
  const { places, palette } = paletteOf(catalog, blocks, losses);
  const models = modelsOf(voxels, places);
  const chunks = [
    ...models.flatMap(({ size, content }) => [chunk("SIZE", littleWords(...size)), chunk("XYZI", content)]),
    ...sceneOf(models),
    chunk("RGBA", palette),
  ];
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  return joinBytes([
    encodeUtf8("VOX "),
    littleWords(VERSION),
    encodeUtf8("MAIN"),
    littleWords(0, bytes),
    ...chunks,
  ]);
}

interface Palette {
  /** Colour index of each block, 1 to 255; 0 is empty. */
  readonly places: Uint8Array;
  readonly palette: Uint8Array;
}

/** The most common colours get entries; any other block gets the nearest of them. */
function paletteOf(catalog: BlockCatalog, blocks: Uint16Array, losses: ConversionLosses): Palette {
  const counts = new Map<number, number>();
  const colours = new Map<number, number>();
  for (const block of blocks) {
    if (block === AIR) continue;
    const colour = getOrAdd(colours, block, () => catalog.colourOf(block));
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const kept = sorted.slice(0, COLOURS_MAX);
  losses.add("colours", `${COLOURS_MAX} are kept, others become the nearest`, sorted.length - kept.length);
  const palette = new Uint8Array(PALETTE_BYTES).fill(0xff);
  for (const [place, colour] of kept.entries()) palette.set([...parts(colour), 0xff], place * 4);
  const places = new Uint8Array(65_536);
  for (const [block, colour] of colours) places[block] = nearest(kept, colour) + 1;
  return { places, palette };
}

function nearest(colours: readonly number[], wanted: number): number {
  const distance = (colour: number): number =>
    parts(colour).reduce((sum, part, at) => sum + (part - (parts(wanted)[at] ?? 0)) ** 2, 0);
  const exact = colours.indexOf(wanted);
  if (exact >= 0) return exact;
  return colours.reduce(
    (best, colour, at) => (distance(colour) < distance(colours[best] ?? 0) ? at : best),
    0,
  );
}

function parts(colour: number): readonly number[] {
  return [colour >>> 16, (colour >>> 8) & 0xff, colour & 0xff];
}

interface Model {
  /** In the file's axes. */
  readonly size: readonly [number, number, number];
  readonly min: readonly [number, number, number];
  readonly content: Uint8Array;
}

function modelsOf({ min, size, blocks }: ExportedVoxels, places: Uint8Array): readonly Model[] {
  const models: Model[] = [];
  for (let y = 0; y < size[1]; y += MODEL_EDGE) {
    for (let z = 0; z < size[2]; z += MODEL_EDGE) {
      for (let x = 0; x < size[0]; x += MODEL_EDGE) {
        const edges = [size[0] - x, size[2] - z, size[1] - y].map((edge) => Math.min(edge, MODEL_EDGE));
        const [wide, deep, high] = edges as [number, number, number];
        const found: number[] = [];
        for (let up = 0; up < high; up++) {
          for (let back = 0; back < deep; back++) {
            // The last row on our z axis is the first on that of the file.
            const row = (z + deep - 1 - back + (y + up) * size[2]) * size[0] + x;
            for (let right = 0; right < wide; right++) {
              const place = places[blocks[row + right] as number] as number;
              if (place !== 0) found.push(right, back, up, place);
            }
          }
        }
        if (found.length === 0) continue;
        models.push({
          size: [wide, deep, high],
          min: [min[0] + x, -(min[2] + z + deep), min[1] + y],
          content: joinBytes([littleWords(found.length / 4), Uint8Array.from(found)]),
        });
      }
    }
  }
  return models;
}

/** A group with a transform and a shape for each model; a transform moves the middle of its model. */
function sceneOf(models: readonly Model[]): readonly Uint8Array[] {
  const transform = (id: number, child: number, at?: readonly number[]): Uint8Array =>
    chunk(
      "nTRN",
      joinBytes([
        littleWords(id, 0, child, -1, at === undefined ? -1 : 0, 1),
        at === undefined ? littleWords(0) : pair("_t", at.join(" ")),
      ]),
    );
  return [
    transform(0, 1),
    chunk("nGRP", littleWords(1, 0, models.length, ...models.map((_, index) => 2 + index * 2))),
    ...models.flatMap(({ min, size }, index) => [
      transform(
        2 + index * 2,
        3 + index * 2,
        min.map((at, axis) => at + Math.floor((size[axis] ?? 0) / 2)),
      ),
      chunk("nSHP", littleWords(3 + index * 2, 0, 1, index, 0)),
    ]),
  ];
}

function chunk(id: string, content: Uint8Array): Uint8Array {
  return joinBytes([encodeUtf8(id), littleWords(content.length, 0), content]);
}

function pair(name: string, value: string): Uint8Array {
  return joinBytes([
    littleWords(1, name.length),
    encodeUtf8(name),
    littleWords(value.length),
    encodeUtf8(value),
  ]);
}
