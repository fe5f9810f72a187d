import { deepEqual, equal, ok } from "node:assert/strict";
import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  emptyChunk,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { crc32, decode, decodeForeign, encode } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { GeneratorRef } from "@orthant/core/generate";
import {
  boxAt,
  boxContainsBox,
  comparePositions,
  positionFrom,
  positionsLexicographic,
  positionsMinorToMajor,
  regionOf,
} from "@orthant/core/lattice";
import { OverrideTree, RegionTree } from "@orthant/core/tree";
import { fromHex, toHex } from "@orthant/testkit";
import { foreignPagedSparseRleCodec } from "./region-tree/foreign-paged-sparse-rle.ts";
import { foreignRegionTreeCodec } from "./region-tree/foreign-region-tree-codec.ts";
import { type BoundedTree, regionTreeCodec } from "./region-tree/region-tree-codec.ts";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";

/** A box of the original, which includes its greatest position. */
interface InclusiveBox {
  readonly min: Position;
  readonly max: Position;
}

interface PalettePacked {
  readonly palette: readonly number[];
  readonly bit_width: number;
  readonly packed_indices: readonly (number | string)[];
}

type Payload = "Empty" | { readonly Uniform: number } | { readonly PalettePacked: PalettePacked };

interface ArrayData {
  readonly bounds: InclusiveBox;
  readonly chunk_palette: readonly Payload[];
  readonly default_chunk_idx: number | null;
  readonly index_data: readonly number[];
}

interface TreeNode {
  readonly bounds: InclusiveBox;
  readonly kind:
    | "Empty"
    | { readonly Uniform: number }
    | { readonly ChunkArray: ArrayData }
    | { readonly Branch: readonly TreeNode[] };
}

interface SetChunk {
  readonly set_chunk: Position;
  /** `null` removes the override. */
  readonly payload: Payload | null;
  readonly root: TreeNode | null;
  readonly root_postcard_hex: string | null;
}

interface TreeFile {
  readonly procedural_ref: { readonly postcard_hex: string };
  readonly region_ids: readonly {
    readonly chunk: Position;
    readonly region: Record<"x" | "y" | "z" | "w", number>;
  }[];
  readonly set_chunk_sequence: readonly SetChunk[];
}

/** A position and its block, or the checksum of the bytes of a chunk with several blocks. */
type SolidChunk = readonly [position: Position, content: number | string];

interface SpliceStep {
  readonly splice_bounds: InclusiveBox;
  readonly core_postcard_hex: string;
  readonly reference_solid_chunks: readonly SolidChunk[];
}

interface SpliceSequence {
  readonly seed: number;
  readonly steps: readonly SpliceStep[];
  readonly slice: { readonly bounds: InclusiveBox; readonly postcard_hex: string };
}

const VOLUME = 4096;
const strict = regionTreeCodec(VOLUME);
const foreign = foreignRegionTreeCodec(VOLUME);

/** Trees of the original: their content is normative, their subdivision is not. */
export const regionTreeSuites: readonly GoldenSuite[] = [
  {
    file: "polychora-v3/vectors/region-tree.json",
    async check(file) {
      const {
        procedural_ref: generated,
        region_ids: regions,
        set_chunk_sequence: steps,
      } = parseJson<TreeFile>(file);
      return [checkGenerated(generated.postcard_hex), ...regions.map(checkRegion), ...checkSetChunks(steps)];
    },
  },
  {
    file: "polychora-v3/vectors/region-tree-splice.json",
    check: async (file) => parseJson<{ sequences: SpliceSequence[] }>(file).sequences.flatMap(checkSplices),
  },
];

function checkGenerated(hex: string): GoldenRow {
  return row("procedural_ref", () => {
    const bounds: Box = { min: [-8, -2, -8, -8], max: [8, 0, 8, 8] };
    const generator = new GeneratorRef("flat-floor", Uint8Array.of(11), 1337n, 16045690981116495207n);
    const tree = RegionTree.EMPTY.fill(bounds, generator);
    equal(toHex(encode(strict, { bounds, tree })), hex);
    const found = decode(strict, fromHex(hex));
    deepEqual(found.bounds, bounds);
    ok(found.tree.equals(tree));
  });
}

function checkRegion({ chunk, region: { x, y, z, w } }: TreeFile["region_ids"][number]): GoldenRow {
  return row(`region of ${chunk}`, () => deepEqual(regionOf(chunk), [x, y, z, w]));
}

function checkSetChunks(steps: readonly SetChunk[]): readonly GoldenRow[] {
  let overrides = OverrideTree.UNTOUCHED;
  return steps.map(({ set_chunk: position, payload, root, root_postcard_hex: hex }, index) => {
    overrides =
      payload === null ? overrides.carve(boxAt(position)) : overrides.set(position, chunkOf(payload));
    const expected = overrides;
    return row(`set_chunk ${index}`, () => {
      deepEqual(solidsOf(expected.pieces()), root === null ? [] : sorted(solidsOfNode(root)));
      if (hex === null) return;
      const found = checkForeign(hex);
      ok(found.tree.equals(RegionTree.EMPTY.under(expected)), "the bytes hold something else");
    });
  });
}

function checkSplices({ seed, steps, slice }: SpliceSequence): readonly GoldenRow[] {
  let tree = RegionTree.EMPTY;
  const rows = steps.map(
    ({ splice_bounds, core_postcard_hex: hex, reference_solid_chunks: expected }, index) =>
      row(`sequence ${seed}, splice ${index}`, () => {
        const box = halfOpen(splice_bounds);
        const core = checkForeign(hex);
        const spliced = tree.graft(box, core.tree);
        for (const difference of tree.differences(spliced)) ok(boxContainsBox(box, difference.box));
        tree = spliced;
        deepEqual(solidsOf(tree.pieces()), sorted(expected));
      }),
  );
  const last = row(`sequence ${seed}, slice`, () => {
    const sliced = tree.slice(halfOpen(slice.bounds));
    ok(checkForeign(slice.postcard_hex).tree.equals(sliced), "the bytes hold something else");
  });
  return [...rows, last];
}

/** Reads a tree of the original, and checks that our own encoding of it reads back equal. */
function checkForeign(hex: string): BoundedTree {
  const found = decodeForeign(foreign, fromHex(hex));
  const ours = decode(strict, encode(strict, found));
  deepEqual(ours.bounds, found.bounds);
  ok(ours.tree.equals(found.tree), "our own bytes hold something else");
  return found;
}

function solidsOf(pieces: Iterable<{ box: Box; content: unknown }>): readonly SolidChunk[] {
  const solids: SolidChunk[] = [];
  for (const { box, content } of pieces) {
    for (const position of positionsLexicographic(box)) solids.push([position, describe(content as Chunk)]);
  }
  return sorted(solids);
}

function solidsOfNode({ bounds, kind }: TreeNode): readonly SolidChunk[] {
  if (kind === "Empty") return [];
  if ("Branch" in kind) return kind.Branch.flatMap(solidsOfNode);
  if ("Uniform" in kind) {
    return [...positionsLexicographic(halfOpen(bounds))].map(
      (position): SolidChunk => [position, kind.Uniform],
    );
  }
  const { chunk_palette: palette, default_chunk_idx: defaultIndex, index_data: data } = kind.ChunkArray;
  const box = halfOpen(kind.ChunkArray.bounds);
  const extents = positionFrom((axis) => box.max[axis] - box.min[axis]);
  const shape = { extents, paletteLength: palette.length, defaultIndex: defaultIndex ?? undefined };
  const indices = decodeForeign(foreignPagedSparseRleCodec(shape), Uint8Array.from(data));
  return [...positionsMinorToMajor(box)].map(
    (position, cell): SolidChunk => [position, describe(chunkOf(palette[indices[cell] ?? -1] as Payload))],
  );
}

function describe(chunk: Chunk): number | string {
  return chunk.uniformBlock ?? `crc:${crc32(encode(chunkCodec(VOLUME), chunk))}`;
}

function chunkOf(payload: Payload): Chunk {
  if (payload === "Empty") return emptyChunk(VOLUME);
  if ("Uniform" in payload) return uniformChunk(VOLUME, payload.Uniform);
  const { palette, bit_width: bits, packed_indices: words } = payload.PalettePacked;
  const packed = words.map(BigInt).reduceRight((all, word) => (all << 64n) | word, 0n);
  const mask = (1n << BigInt(bits)) - 1n;
  return chunkFromVoxels(
    Uint16Array.from(
      { length: VOLUME },
      (_, voxel) => palette[Number((packed >> BigInt(voxel * bits)) & mask)] ?? -1,
    ),
  );
}

function sorted(solids: readonly SolidChunk[]): readonly SolidChunk[] {
  return [...solids].sort(([a], [b]) => comparePositions(a, b));
}

function halfOpen({ min, max }: InclusiveBox): Box {
  return { min, max: positionFrom((axis) => max[axis] + 1) };
}
