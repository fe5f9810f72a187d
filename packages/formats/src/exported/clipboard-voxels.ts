import { AIR, type DataCodec } from "@orthant/core";
import { type Clipboard, NOT_COPIED, paletteIn } from "@orthant/core/operations";
import { dataValue } from "../format/data-value.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { type ExportedVoxels, exportSize } from "./exported-voxels.ts";

/** How the voxels of a clipboard are read. */
interface ClipboardReading {
  /** Names that types have in the file, by those of the clipboard. */
  readonly names: ReadonlyMap<string, string>;
  readonly dataCodec: DataCodec;
  readonly losses: ConversionLosses;
}

/** Returns the voxels of a clipboard as exports have them. Throws `ORT_ARGUMENT` for several places on the fourth axis. */
export function clipboardVoxels(
  { content }: Clipboard,
  { names, dataCodec, losses }: ClipboardReading,
): ExportedVoxels {
  const { blocks: catalog, extents, voxels, data } = content;
  const size = exportSize({ min: [0, 0, 0, 0], max: extents });
  const [width, height, depth] = size;
  const palette = paletteIn(catalog, content);
  const blocks = new Uint16Array(voxels.length);
  let left = 0;
  for (let z = 0, from = 0; z < depth; z++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++, from++) {
        const place = voxels[from] as number;
        if (place === NOT_COPIED) left++;
        blocks[x + (z + y * depth) * width] = place === NOT_COPIED ? AIR : (palette[place] as number);
      }
  losses.add("voxels of the box that were not selected", "they become air", left);
  return {
    min: [0, 0, 0],
    size,
    catalog,
    describe(block) {
      const { type, properties } = catalog.describe(block) ?? { type: `block ${block}`, properties: {} };
      return { type: names.get(type) ?? type, properties };
    },
    blocks,
    data: Array.from(data, ([index, bytes]) => {
      const [x, rest] = [index % width, Math.floor(index / width)];
      return {
        position: [x, rest % height, Math.floor(rest / height)] as const,
        value: dataValue(dataCodec, bytes),
      };
    }),
    isEmpty: !blocks.some((block) => block !== AIR),
  };
}
