import type { Box, ChunkShape, Position } from "@orthant/core";
import { boxContains, chunksOfVoxels, PositionMap, regionOf } from "@orthant/core/lattice";
import type { LeafEntry, Save, StoredChunk } from "@orthant/save";
import { type Colour, mix } from "./paint.ts";
import type { MapView } from "./view.ts";

/** What a heat map shows for each column of chunks. */
export type HeatKind = "clocks" | "bytes" | "age";

/** All kinds, in the order of the help. */
export const HEAT_KINDS: readonly HeatKind[] = ["clocks", "bytes", "age"];

/** From cold to hot. */
const RAMP: readonly Colour[] = [
  [43, 61, 142, 255],
  [32, 144, 140, 255],
  [121, 200, 83, 255],
  [248, 216, 62, 255],
  [236, 94, 38, 255],
];
const HEAT_SHARE = 0.72;
/** Generated columns are grey, so that only edits have colours. */
const GREY: Colour = [128, 128, 128, 255];
const GREY_SHARE = 0.45;

/** Returns the colour of a pixel under the heat of its column of chunks. */
export type Heat = (colour: Colour, chunk: Position) => Colour;

/**
 * Reads the edits in a box, leaf by leaf: `clocks` is hot where regions changed last, `bytes` where chunks
 * take most bytes, `age` where records were written last.
 */
export async function readHeat(
  content: Save,
  shape: ChunkShape,
  box: Box,
  view: MapView,
  kind: HeatKind,
): Promise<Heat> {
  const chunks = chunksOfVoxels(shape, box);
  const values = new Map<string, number>();
  for (const leaf of await content.leavesIn(chunks)) {
    const clocks = clocksOf(leaf);
    const age = ageOf(leaf);
    for (const stored of await content.readStored(leaf)) {
      const { position } = stored;
      if (!boxContains(chunks, position)) continue;
      const key = keyOf(position[view.across], position[view.down]);
      const known = values.get(key) ?? 0;
      if (kind === "bytes") values.set(key, known + storedBytes(stored));
      else values.set(key, Math.max(known, kind === "age" ? age : (clocks.get(...regionOf(position)) ?? 0)));
    }
  }
  if (kind === "bytes") for (const [key, bytes] of values) values.set(key, Math.log2(bytes));
  return heatOf(kind === "bytes" ? values : ranked(values), view);
}

function heatOf(values: ReadonlyMap<string, number>, view: MapView): Heat {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values.values()) [min, max] = [Math.min(min, value), Math.max(max, value)];
  return (colour, chunk) => {
    const value = values.get(keyOf(chunk[view.across], chunk[view.down]));
    if (value === undefined) return colour[3] === 0 ? colour : mix(greyOf(colour), GREY, GREY_SHARE);
    const hot = rampAt(max === min ? 1 : (value - min) / (max - min));
    return colour[3] === 0 ? hot : mix(greyOf(colour), hot, HEAT_SHARE);
  };
}

function storedBytes(stored: StoredChunk): number {
  const { parts = [] } = stored;
  const own = stored.kind === "chunk" ? stored.content.chunk.byteLength : stored.change.length;
  return parts.reduce((sum, { bytes }) => sum + bytes.length, own);
}

function clocksOf({ clocks }: LeafEntry): PositionMap<number> {
  const map = new PositionMap<number>();
  for (const { region, clock } of clocks) map.set(...region, clock);
  return map;
}

/** Packs only grow, so a record's location tells when it was written. */
function ageOf({ chunkRefs }: LeafEntry): number {
  return Math.max(0, ...chunkRefs.map(({ packId, recordOffset }) => packId * 2 ** 40 + recordOffset));
}

/** Only the order of clocks and offsets is meaningful, not their distance. */
function ranked(values: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const order = new Map(
    [...new Set(values.values())].sort((a, b) => a - b).map((value, rank) => [value, rank]),
  );
  return new Map(Array.from(values, ([key, value]) => [key, order.get(value) ?? 0]));
}

function keyOf(across: number, down: number): string {
  return `${across},${down}`;
}

function greyOf([red, green, blue, opacity]: Colour): Colour {
  const light = Math.round(0.3 * red + 0.59 * green + 0.11 * blue);
  return [light, light, light, opacity];
}

function rampAt(share: number): Colour {
  const at = share * (RAMP.length - 1);
  const index = Math.min(RAMP.length - 2, Math.floor(at));
  return mix(RAMP[index] as Colour, RAMP[index + 1] as Colour, at - index);
}
