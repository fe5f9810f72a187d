import { boxContainsBox, comparePositions, OrthantError, type Position, WHOLE_LATTICE } from "@orthant/core";
import { atFile } from "@orthant/disk/files";
import type { BlobRef } from "../codec/blob-ref.ts";
import { type Dialect, dialectOfIndex, versionOfIndex } from "../codec/dialect.ts";
import { flatIndexHeader } from "../codec/layout.ts";
import type { IndexVersion, LeafEntry } from "../codec/leaf-entry.ts";
import { decodePayloadFile } from "../codec/payload-file.ts";
import { type FlatIndex, flatIndexCodec } from "../flat/flat-payloads.ts";
import { flatRegionCell } from "../flat/flat-regions.ts";
import { decodeIndexFile } from "./index-file.ts";
import { LeafIndex, type PageReader } from "./leaf-index.ts";
import { decodeRoot, PAGE_VERSION } from "./page-codec.ts";

/** A decoded index of either dialect. */
export interface ReadIndex {
  readonly dialect: Dialect;
  readonly generation: number;
  readonly index: LeafIndex;
  /** Set for a tree index. */
  readonly indexVersion: IndexVersion | undefined;
  /** Set for a flat index. */
  readonly regionChunkEdge: number | undefined;
}

/** Reads an index file of either dialect. `read` loads its pages when they are needed. */
export function readIndexFile(path: string, bytes: Uint8Array, read: PageReader): ReadIndex {
  const dialect = atFile({ path }, () => dialectOfIndex(bytes));
  if (dialect === "tree" && versionOfIndex(bytes) === PAGE_VERSION) {
    const { generation, root, totals } = decodeRoot(path, bytes);
    const index = LeafIndex.over(root, totals, read);
    return { dialect, generation, index, indexVersion: PAGE_VERSION, regionChunkEdge: undefined };
  }
  if (dialect === "tree") {
    const { version, generation, leaves } = decodeIndexFile(path, bytes);
    const index = LeafIndex.of(leaves);
    return { dialect, generation, index, indexVersion: version, regionChunkEdge: undefined };
  }
  const flat = decodePayloadFile(path, flatIndexHeader, flatIndexCodec, bytes);
  const index = LeafIndex.of(atFile({ path }, () => leavesOfFlat(flat)));
  const { generation, regionChunkEdge } = flat;
  return { dialect, generation, index, indexVersion: undefined, regionChunkEdge };
}

/** Throws `ORT_GENERATION` unless an index belongs to the requested generation. */
export function requireGeneration(path: string, index: ReadIndex, generation: number): void {
  if (index.generation === generation) return;
  const detail = `the index is of generation ${index.generation}, not ${generation}`;
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

function leavesOfFlat({ leaves, regionChunkEdge }: FlatIndex): readonly LeafEntry[] {
  return leaves.map(({ region, blockRef, entityRef }, index) => {
    const previous = leaves[index - 1];
    if (previous !== undefined && comparePositions(previous.region, region) >= 0) {
      throw new OrthantError("ORT_INDEX", `region [${region}] is out of order`);
    }
    const refs = { blockRefs: listOf(blockRef), entityRefs: listOf(entityRef) };
    return { cell: cellOfRegion(region, regionChunkEdge), ...refs, chunks: 0, clocks: [] };
  });
}

function cellOfRegion(region: Position, edge: number): LeafEntry["cell"] {
  const cell = flatRegionCell(region, edge);
  if (!boxContainsBox(WHOLE_LATTICE, cell)) {
    throw new OrthantError("ORT_INDEX", `region [${region}] of ${edge} chunks an edge is off the lattice`);
  }
  return cell;
}

function listOf(ref: BlobRef | undefined): readonly BlobRef[] {
  return ref === undefined ? [] : [ref];
}
