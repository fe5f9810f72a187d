import {
  boxContainsBox,
  comparePlaces,
  OrthantError,
  type Place,
  placeFrom,
  WHOLE_LATTICE,
} from "@orthant/core";
import { type Dialect, dialectOfIndex } from "./dialect.ts";
import { atFile } from "./files/at-file.ts";
import { type FlatIndex, flatIndexCodec } from "./flat/flat-payloads.ts";
import { flatIndexHeader } from "./layout.ts";
import type { BlobRef } from "./records/blob-ref.ts";
import type { IndexVersion, LeafEntry } from "./records/leaf-entry.ts";
import { decodePayloadFile } from "./records/payload-file.ts";
import { decodeIndexFile } from "./tree-index/index-file.ts";

/** What an index says, whichever dialect it is in. */
export interface ReadIndex {
  readonly dialect: Dialect;
  readonly generation: number;
  readonly leaves: readonly LeafEntry[];
  /** Of a tree. */
  readonly indexVersion: IndexVersion | undefined;
  /** Of a flat index. */
  readonly regionChunkEdge: number | undefined;
}

/** Reads an index file of either dialect. */
export function readIndexFile(path: string, bytes: Uint8Array): ReadIndex {
  const dialect = atFile({ path }, () => dialectOfIndex(bytes));
  if (dialect === "tree") {
    const { version, generation, leaves } = decodeIndexFile(path, bytes);
    return { dialect, generation, leaves, indexVersion: version, regionChunkEdge: undefined };
  }
  const index = decodePayloadFile(path, flatIndexHeader, flatIndexCodec, bytes);
  const leaves = atFile({ path }, () => leavesOfFlat(index));
  const { generation, regionChunkEdge } = index;
  return { dialect, generation, leaves, indexVersion: undefined, regionChunkEdge };
}

/** Throws `ORT_GENERATION` unless an index belongs to the generation that was asked for. */
export function requireGeneration(path: string, index: ReadIndex, generation: number): void {
  if (index.generation === generation) return;
  const detail = `the index is of generation ${index.generation}, not ${generation}`;
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

function leavesOfFlat({ leaves, regionChunkEdge }: FlatIndex): readonly LeafEntry[] {
  return leaves.map(({ region, blockRef, entityRef }, index) => {
    const previous = leaves[index - 1];
    if (previous !== undefined && comparePlaces(previous.region, region) >= 0) {
      throw new OrthantError("ORT_INDEX", `region [${region}] is out of order`);
    }
    const refs = { blockRefs: listOf(blockRef), entityRefs: listOf(entityRef) };
    return { cell: cellOfRegion(region, regionChunkEdge), ...refs, clocks: [] };
  });
}

function cellOfRegion(region: Place, edge: number): LeafEntry["cell"] {
  const min = placeFrom((axis) => region[axis] * edge);
  const cell = { min, max: placeFrom((axis) => min[axis] + edge) };
  if (!boxContainsBox(WHOLE_LATTICE, cell)) {
    throw new OrthantError("ORT_INDEX", `region [${region}] of ${edge} chunks an edge is off the lattice`);
  }
  return cell;
}

function listOf(ref: BlobRef | undefined): readonly BlobRef[] {
  return ref === undefined ? [] : [ref];
}
