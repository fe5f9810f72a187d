import { AIR, BlockCatalog, type BlockDescription, isOrthantError } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { decode } from "@orthant/core/bytes";
import { blockCatalogCodec, idCountOf } from "@orthant/core/chunk";
import { getOrAdd } from "@orthant/core/lattice";
import { CLIPBOARD_VOXELS_MAX, Clipboard, decodeClipboard, NOT_COPIED } from "@orthant/core/operations";
import { withMinecraftValues } from "../blocks/minecraft-values.ts";
import { type ConversionLoss, ConversionLosses } from "../format/losses.ts";
import { dataOfBlocks, encodedData } from "../imported/chunk-data.ts";
import { damageLosses } from "../imported/damage-losses.ts";
import { isAir, StateCollector } from "../imported/imported-blocks.ts";
import { NOT_STORED, type Triple, type VoxelPart } from "../part/voxel-part.ts";
import { openSchematic } from "./open-schematic.ts";
import { type Schematic, schematicBounds } from "./schematic.ts";

/** Reads a clipboard's own file, or a schematic. `path` is for messages. */
export async function readClipboard(
  bytes: Uint8Array,
  path: string,
): Promise<{ readonly clipboard: Clipboard; readonly losses: readonly ConversionLoss[] }> {
  try {
    return { clipboard: await decodeClipboard(bytes), losses: [] };
  } catch (error) {
    // Not gzip, or something else in it.
    if (!isOrthantError(error, "ORT_MAGIC", "ORT_DEFLATE", "ORT_TRUNCATED")) throw error;
  }
  const losses = new ConversionLosses();
  const clipboard = clipboardOfSchematic(await openSchematic(bytes, path), losses);
  return { clipboard, losses: losses.list() };
}

/** Returns the voxels of a schematic. What none of its parts stores is not copied. */
function clipboardOfSchematic(schematic: Schematic, losses: ConversionLosses): Clipboard<3> {
  const { parts, findings } = schematic;
  const { min, size } = schematicBounds(schematic) ?? { min: [0, 0, 0] as const, size: [1, 1, 1] as const };
  losses.addAll(damageLosses(findings));
  const entities = parts.reduce((sum, part) => sum + part.entities.length, 0);
  losses.add("entities", "only voxels are copied", entities);
  const volume = size[0] * size[1] * size[2];
  requireAtMost(volume, CLIPBOARD_VOXELS_MAX, "voxels of a clipboard", "paste the file with orthant paste");
  const { blocks, ids } = blocksOf(parts, losses);
  const voxels = new Uint16Array(volume).fill(NOT_COPIED);
  const places = new Map<number, number>();
  for (const part of parts) {
    const toPlace = part.palette.map((state) => placeOf(places, ids.get(state) ?? AIR));
    copyPart(part, toPlace, places.get(AIR), { min, size, voxels });
  }
  const data = new Map<number, Uint8Array>();
  for (const { position, id, value } of parts.flatMap((part) => dataOfBlocks(part.blockData))) {
    const index = indexOf(size, [position[0] - min[0], position[1] - min[1], position[2] - min[2]]);
    const bytes = encodedData({ value });
    if (bytes === undefined || voxels[index] === NOT_COPIED)
      losses.add("data of blocks", `too long, or of no block; the first is ${id}`);
    else data.set(index, bytes);
  }
  const palette = Array.from(places.keys(), (block) => blocks.describe(block) ?? block);
  return new Clipboard<3>(3, { extents: [...size, 1], blocks, palette, voxels, data });
}

/** Returns the types of all states, with all values that Minecraft has for them, so that they can be turned. */
function blocksOf(
  parts: readonly VoxelPart[],
  losses: ConversionLosses,
): { readonly blocks: BlockCatalog; readonly ids: ReadonlyMap<string, number> } {
  const states = new Set(parts.flatMap(({ palette }) => palette));
  const collector = new StateCollector();
  for (const state of states) if (!isAir(state)) collector.add(state, losses);
  const found = collector.define(losses);
  const narrow = decode(blockCatalogCodec, found.encoded);
  let endId = 0;
  const types = withMinecraftValues(narrow.types, 0).map((type) => {
    const placed = { ...type, id: endId };
    endId += idCountOf(type);
    return placed;
  });
  const blocks = new BlockCatalog(types);
  const ids = new Map(
    Array.from(found.ids, ([state, narrowId]) => {
      const { type, properties } = narrow.describe(narrowId) as BlockDescription;
      return [state, blocks.id(type, properties)];
    }),
  );
  return { blocks, ids };
}

/** Returns a block's place in the palette. */
function placeOf(places: Map<number, number>, block: number): number {
  return getOrAdd(places, block, () => places.size);
}

/** A box of voxels in the order of clipboards: x runs fastest, then y, then z. */
interface ClipboardBox {
  readonly min: Triple;
  readonly size: Triple;
  readonly voxels: Uint16Array;
}

/** Copies a part over those before it. Its air leaves what they have. */
function copyPart(
  { min, size, indices }: VoxelPart,
  toPlace: readonly number[],
  air: number | undefined,
  box: ClipboardBox,
): void {
  for (let y = 0, from = 0; y < size[1]; y++)
    for (let z = 0; z < size[2]; z++)
      for (let x = 0; x < size[0]; x++, from++) {
        const state = indices === undefined ? 0 : (indices[from] as number);
        const place = state === NOT_STORED ? undefined : toPlace[state];
        if (place === undefined) continue;
        const index = indexOf(box.size, [
          min[0] - box.min[0] + x,
          min[1] - box.min[1] + y,
          min[2] - box.min[2] + z,
        ]);
        if (place !== air || box.voxels[index] === NOT_COPIED) box.voxels[index] = place;
      }
}

function indexOf([width, height]: Triple, [x, y, z]: Triple): number {
  return x + width * (y + height * z);
}
