import { OrthantError } from "@orthant/core";
import { sortedStateText } from "../blocks/block-state.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import type { FindingLog } from "../part/finding-log.ts";
import { NOT_STORED, PALETTE_MAX, type Triple } from "../part/voxel-part.ts";
import {
  addTriples,
  type EntryFields,
  prefixedTriple,
  readBlockData,
  readEntities,
  type Schematic,
  type SchematicInput,
  unsignedSize,
  volumeOf,
} from "./schematic.ts";

const VARINT_BYTES_MAX = 5;
/** Indices above are beyond any palette that fits. */
const INDEX_MAX = 0xffff;
const EMPTY_COMPOUND: Uint8Array = Uint8Array.of(0);

/** Returns whether NBT is a schematic of Sponge, of any version. */
export function isSponge(root: NbtCompound): boolean {
  const holder = root.compound("Schematic") ?? root;
  return holder.bytes("BlockData") !== undefined || holder.compound("Blocks") !== undefined;
}

/** Reads a schematic of Sponge, versions 1 to 3. */
export function readSponge({ root, findings, voxelsMax }: SchematicInput): Schematic {
  const holder = root.compound("Schematic") ?? root;
  const version = holder.integer("Version");
  if (version !== 1 && version !== 2 && version !== 3) {
    throw new OrthantError(
      "ORT_VERSION",
      `a Sponge schematic of version ${version ?? "unknown"}; 1 to 3 are read`,
    );
  }
  const size = unsignedSize(holder);
  const volume = volumeOf(size, voxelsMax);
  const blocks = version === 3 ? holder.compound("Blocks") : holder;
  const palette = blocks?.compound("Palette");
  const data = blocks?.bytes(version === 3 ? "Data" : "BlockData");
  if (size === undefined || blocks === undefined || palette === undefined || data === undefined) {
    throw new OrthantError("ORT_FOREIGN", "a Sponge schematic without palette or data");
  }
  const { states, places } = readPalette(palette, findings);
  const indices = readVarints(data, volume, places, findings);
  const metadata = holder.compound("Metadata");
  const dataName = version === 1 ? "TileEntities" : "BlockEntities";
  return {
    format: "sponge",
    version,
    dataVersion: holder.integer("DataVersion"),
    name: metadata?.text("Name"),
    ...placeOf(holder, metadata, version),
    parts: [
      {
        name: "",
        min: [0, 0, 0],
        size,
        palette: states,
        indices,
        blockData: readBlockData(blocks.compounds(dataName), fieldsOf(version), { size, findings }),
        entities: readEntities(holder.compounds("Entities"), fieldsOf(version)),
      },
    ],
    findings: findings.list(),
  };
}

/** WorldEdit writes the origin to `Offset` in version 2, and the offset in version 3. */
function placeOf(
  holder: NbtCompound,
  metadata: NbtCompound | undefined,
  version: number,
): { readonly offset: Triple | undefined; readonly origin: Triple | undefined } {
  const stated = holder.triple("Offset");
  const pasted = prefixedTriple(metadata, "WEOffset");
  if (version < 3 && pasted !== undefined) return { offset: pasted, origin: stated };
  const player = metadata?.compound("WorldEdit")?.triple("Origin");
  const origin = stated === undefined || player === undefined ? undefined : addTriples(stated, player);
  return { offset: stated, origin };
}

interface SpongePalette {
  readonly states: readonly string[];
  /** Places in `states` by the numbers of the file. */
  readonly places: Uint16Array;
}

function readPalette(palette: NbtCompound, findings: FindingLog): SpongePalette {
  const names = palette.names;
  if (names.length > PALETTE_MAX) {
    throw new OrthantError("ORT_LIMIT", `${names.length} states, the limit is ${PALETTE_MAX}`);
  }
  const numbers = names.map((name) => palette.integer(name) ?? -1);
  const isUsable = (number: number): boolean => number >= 0 && number <= INDEX_MAX;
  const places = new Uint16Array(INDEX_MAX + 1).fill(NOT_STORED);
  for (const [place, number] of numbers.entries()) {
    if (isUsable(number)) places[number] = place;
    else findings.damage("ORT_FOREIGN", `state ${names[place]} has the number ${number}, and is left out`);
  }
  return { states: names.map(sortedStateText), places };
}

function readVarints(
  data: Uint8Array,
  volume: number,
  places: Uint16Array,
  findings: FindingLog,
): Uint16Array {
  const indices = new Uint16Array(volume).fill(NOT_STORED);
  let missing = 0;
  let count = 0;
  for (let offset = 0; offset < data.length; count++) {
    const start = offset;
    let number = 0;
    let byte: number;
    do {
      if (offset === data.length) throw broken("is not terminated", start);
      if (offset - start === VARINT_BYTES_MAX) throw broken(`has more than ${VARINT_BYTES_MAX} bytes`, start);
      byte = data[offset++] as number;
      number += (byte & 0x7f) * 2 ** (7 * (offset - start - 1));
    } while (byte >= 0x80);
    if (count >= volume) continue;
    const place = number <= INDEX_MAX ? (places[number] as number) : NOT_STORED;
    if (place === NOT_STORED) missing++;
    indices[count] = place;
  }
  if (missing > 0)
    findings.damage("ORT_FOREIGN", `${missing} voxels with no state in the palette are not stored`);
  if (count < volume)
    findings.damage("ORT_FOREIGN", `${count} voxels where the size has ${volume}; the rest is not stored`);
  if (count > volume) findings.damage("ORT_FOREIGN", `${count - volume} voxels left over after ${volume}`);
  return indices;
}

function broken(detail: string, offset: number): OrthantError {
  return new OrthantError("ORT_FOREIGN", `the number of a voxel ${detail}, at byte ${offset} of the data`);
}

function fieldsOf(version: number): EntryFields {
  return {
    position: (entry) => entry.triple("Pos"),
    id: (entry) => entry.text("Id"),
    nbt: (entry) => (version === 3 ? (entry.compound("Data")?.toBytes() ?? EMPTY_COMPOUND) : entry.toBytes()),
  };
}
