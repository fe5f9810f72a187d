import { cachedStateText } from "../blocks/block-state.ts";
import { ColumnSection, type SectionVoxels } from "../blocks/column-section.ts";
import { NumberedBlocks } from "../blocks/numbered-blocks.ts";
import { bitsFor, INDEX_BITS_MIN, LongIndices, longsFor } from "../blocks/packed-indices.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import type { FindingLog } from "../part/finding-log.ts";

/** Edge of a section of a column. */
export const SECTION_EDGE = 16;
const VOXELS = SECTION_EDGE ** 3;

/** From this version of the data on (20w17a, before 1.16), no index crosses two longs. */
const WHOLE_LONGS_VERSION = 2529;

/** Where a section lies, for messages, and in which version it was written. */
interface SectionPlace {
  readonly chunkX: number;
  readonly chunkZ: number;
  /** `undefined` before 1.9. */
  readonly dataVersion: number | undefined;
}

/**
 * Reads a section of a column; `undefined` if it holds no blocks. A section whose arrays have the wrong length is a
 * finding, and left out: any other bit width would be a guess.
 */
export function readSection(
  section: NbtCompound,
  place: SectionPlace,
  findings: FindingLog,
): ColumnSection | undefined {
  const y = section.integer("Y");
  const states = section.compound("block_states");
  const holder = states ?? section;
  const paletteName = states === undefined ? "Palette" : "palette";
  const blocks = section.bytes("Blocks");
  if (blocks === undefined && !holder.has(paletteName)) return undefined;
  const name = `section ${y ?? "?"} of chunk [${place.chunkX}, ${place.chunkZ}]`;
  if (y === undefined || y < -128 || y > 127) {
    findings.damage("ORT_FOREIGN", `${name} has no place, and is left out`);
    return undefined;
  }
  const min = [place.chunkX * SECTION_EDGE, y * SECTION_EDGE, place.chunkZ * SECTION_EDGE] as const;
  const size = [SECTION_EDGE, SECTION_EDGE, SECTION_EDGE] as const;
  const content =
    blocks === undefined
      ? readPalette(
          holder,
          paletteName,
          states === undefined ? "BlockStates" : "data",
          (place.dataVersion ?? 0) < WHOLE_LONGS_VERSION,
          name,
          findings,
        )
      : readNumbers(section, blocks, name, findings);
  return content && new ColumnSection(min, size, content.palette, content.voxels);
}

interface Content {
  readonly palette: readonly string[];
  /** `undefined` if all voxels have the first state. */
  readonly voxels: SectionVoxels | undefined;
}

function readNumbers(
  section: NbtCompound,
  ids: Uint8Array,
  name: string,
  findings: FindingLog,
): Content | undefined {
  const data = section.bytes("Data");
  const add = section.bytes("Add");
  if (
    ids.length !== VOXELS ||
    data?.length !== VOXELS / 2 ||
    (add !== undefined && add.length !== VOXELS / 2)
  ) {
    const lengths = `${ids.length} ids, ${data?.length ?? "no"} bytes of data`;
    findings.damage("ORT_FOREIGN", `${name} has ${lengths}, and is left out`);
    return undefined;
  }
  const voxels = new NumberedBlocks({ ids, add, data, dataBits: 4 });
  return { palette: voxels.palette, voxels };
}

function readPalette(
  holder: NbtCompound,
  paletteName: string,
  indicesName: string,
  crossLongs: boolean,
  name: string,
  findings: FindingLog,
): Content | undefined {
  if (holder.count(paletteName) > VOXELS) {
    findings.damage("ORT_LIMIT", `${name} has ${holder.count(paletteName)} states, and is left out`);
    return undefined;
  }
  const palette: string[] = [];
  for (const entry of holder.compounds(paletteName)) palette.push(cachedStateText(entry) ?? "");
  if (palette.length === 0 || palette.includes("")) {
    findings.damage("ORT_FOREIGN", `${name} has a palette without names, and is left out`);
    return undefined;
  }
  const longs = holder.longs(indicesName);
  if (longs === undefined && palette.length === 1) return { palette, voxels: undefined };
  const bits = bitsFor(palette.length, INDEX_BITS_MIN);
  const needed = longsFor({ count: VOXELS, bits, crossLongs });
  const found = (longs?.byteLength ?? 0) / 8;
  if (longs === undefined || found !== needed) {
    const detail = `${found} longs where ${palette.length} states need ${needed}`;
    findings.damage("ORT_FOREIGN", `${name} has ${detail}, and is left out`);
    return undefined;
  }
  const voxels = new LongIndices(longs, { count: VOXELS, bits, crossLongs, paletteLength: palette.length });
  if (voxels.beyond > 0) {
    const detail = `${voxels.beyond} voxels with states beyond its ${palette.length}`;
    findings.damage("ORT_FOREIGN", `${name} has ${detail}, which are not stored`);
  }
  return { palette, voxels };
}
