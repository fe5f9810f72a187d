import { varU32Bytes } from "./encoded-size.ts";
import {
  indexAt,
  indexBits,
  type PackedIndices,
  packedIndicesBytes,
  packIndices,
  repackThrough,
  replaceIndex,
  wordBytesAt,
  wordCount,
} from "./packed-indices.ts";
import { changePalette } from "./palette-change.ts";
import { type PaletteVoxels, packedHeaderBytes, uniformVoxels } from "./palette-voxels.ts";

/**
 * Returns the voxels with another block at one position. In nearly all cases every index keeps its
 * meaning; then this copies the words and changes one or two of them. Otherwise it repacks all indices.
 */
export function editVoxel(voxels: PaletteVoxels, position: number, block: number): PaletteVoxels {
  const { volume, bitWidth: oldBitWidth, indices: oldIndices } = voxels;
  const oldIndex = oldBitWidth === 0 ? 0 : indexAt(oldIndices, oldBitWidth, position);
  const { palette, firstPositions, ranks, newIndex } = changePalette(voxels, position, oldIndex, block);
  if (palette.length === 1) return uniformVoxels(volume, block);

  const bitWidth = indexBits(palette.length);
  const indices = ranks === undefined ? oldIndices.slice() : repack(voxels, ranks, bitWidth);
  replaceIndex(indices, bitWidth, position, newIndex);
  const oldBlock = voxels.palette[oldIndex] as number;
  return {
    volume,
    palette,
    firstPositions,
    bitWidth,
    indices,
    packedBytes:
      ranks === undefined
        ? voxels.packedBytes +
          paletteGrowthBytes(voxels, palette) +
          wordBytesAround(indices, bitWidth, position) -
          wordBytesAround(oldIndices, bitWidth, position)
        : packedHeaderBytes(volume, palette) + packedIndicesBytes(indices),
    denseBytes: voxels.denseBytes + varU32Bytes(block) - varU32Bytes(oldBlock),
  };
}

function repack(
  { volume, bitWidth, indices }: PaletteVoxels,
  ranks: Uint16Array,
  newBitWidth: number,
): PackedIndices {
  if (bitWidth > 0) return repackThrough(indices, bitWidth, volume, ranks, newBitWidth);
  const rank = ranks[0] as number;
  if (rank === 0) return new Uint32Array(wordCount(volume, newBitWidth) * 2);
  return packIndices(new Uint16Array(volume).fill(rank), volume, newBitWidth);
}

function paletteGrowthBytes({ volume, palette: before }: PaletteVoxels, after: Uint16Array): number {
  return before === after ? 0 : packedHeaderBytes(volume, after) - packedHeaderBytes(volume, before);
}

/** Returns the byte length of the one or two words that hold the index at a position. */
function wordBytesAround(indices: PackedIndices, bitWidth: number, position: number): number {
  const firstWord = (position * bitWidth) >>> 6;
  const lastWord = (position * bitWidth + bitWidth - 1) >>> 6;
  const bytes = wordBytesAt(indices, firstWord * 2);
  return lastWord === firstWord ? bytes : bytes + wordBytesAt(indices, lastWord * 2);
}
