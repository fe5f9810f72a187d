import { type Box, OrthantError, type Position } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import {
  type ByteReader,
  type ByteWriter,
  type Codec,
  constant,
  oneOf,
  record,
  varU16,
} from "@orthant/core/bytes";
import { STORED_VOXEL_DATA_BYTES_MAX } from "@orthant/core/chunk";
import { AXES, boxBetween, positionFrom } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { RejectionReason } from "@orthant/core/world";
import type { EditMessage } from "./client-message.ts";
import { counterCodec } from "./codecs.ts";
import { DETAIL_BYTES_MAX, EDIT_RESULTS_MAX, EDIT_VOXELS_MAX, VOXEL_COORDINATE_MAX } from "./limits.ts";
import { copyTarget } from "./requested-edit.ts";
import type { EditResults, NumberedEditResult } from "./server-message.ts";

type MessageOf<Kind extends EditMessage["kind"]> = Extract<EditMessage, { readonly kind: Kind }>;

const ORIGIN: Position = [0, 0, 0, 0];

/** Begins a list of placements of which some have data or no block; as a count it would be an edit of no voxels. */
const WITH_DATA = 0;

/** Flags of a placement in such a list. */
const HAS_BLOCK = 1;
const REMOVES_DATA = 2;
const HAS_DATA = 4;

/**
 * Blocks and data for voxels, each position relative to the one before. Rules N18 and N40 in protocol.md. Without data it
 * has not a byte for data.
 */
export const voxelsCodec: Codec<MessageOf<"voxels">> = {
  write(out, { editId, placements }) {
    counterCodec.write(out, editId);
    requireInteger(placements.length, 1, EDIT_VOXELS_MAX);
    const isPlain = placements.every(isPlainPlacement);
    if (!isPlain) out.varUint(WITH_DATA);
    out.varUint(placements.length);
    let previous = ORIGIN;
    for (const placement of placements) {
      const { voxel, block } = placement;
      requireVoxel(voxel);
      for (const [axis, coordinate] of voxel.entries()) out.varInt(coordinate - (previous[axis] as number));
      if (isPlain) out.varU16(block as number);
      else writeContent(out, placement);
      previous = voxel;
    }
  },

  read(input) {
    const editId = counterCodec.read(input);
    const plainCount = input.count(EDIT_VOXELS_MAX);
    const isPlain = plainCount !== WITH_DATA;
    const count = isPlain ? plainCount : input.count(EDIT_VOXELS_MAX);
    if (count === 0) throw input.fail("ORT_MESSAGE", "an edit of no voxels");
    const placements: VoxelPlacement[] = [];
    let previous = ORIGIN;
    for (let index = 0; index < count; index++) {
      const from = previous;
      const voxel = positionFrom((axis) => from[axis] + input.varInt());
      if (!isVoxel(voxel)) throw input.fail("ORT_POSITION_RANGE", `voxel [${voxel}] is in no world`);
      placements.push(isPlain ? { voxel, block: input.varU16() } : { voxel, ...readContent(input) });
      previous = voxel;
    }
    if (!isPlain && placements.every(isPlainPlacement))
      throw input.fail("ORT_MESSAGE", "a list with data that has none");
    return { kind: "voxels", editId, placements };
  },
};

function isPlainPlacement({ block, data }: VoxelPlacement): boolean {
  return block !== undefined && data === undefined;
}

function writeContent(out: ByteWriter, { block, data }: VoxelPlacement): void {
  const dataFlag = data === null ? REMOVES_DATA : HAS_DATA;
  const flags = (block === undefined ? 0 : HAS_BLOCK) | (data === undefined ? 0 : dataFlag);
  if (flags === 0) throw new OrthantError("ORT_ARGUMENT", "a placement without a block and without data");
  out.u8(flags);
  if (block !== undefined) out.varU16(block);
  if (data instanceof Uint8Array) out.bytes(data, STORED_VOXEL_DATA_BYTES_MAX);
}

function readContent(input: ByteReader): Pick<VoxelPlacement, "block" | "data"> {
  const flags = input.u8();
  if (flags === 0 || flags > (HAS_BLOCK | HAS_DATA))
    throw input.fail("ORT_TAG", `flags ${flags} of a placement`);
  const block = flags & HAS_BLOCK ? { block: input.varU16() } : {};
  if (flags & REMOVES_DATA) return { ...block, data: null };
  return flags & HAS_DATA ? { ...block, data: input.bytes(STORED_VOXEL_DATA_BYTES_MAX) } : block;
}

/** A box of voxels: its least corner and its extents. Rule N36 in protocol.md. */
export const voxelBoxCodec: Codec<Box> = {
  write(out, { min, max }) {
    writeVoxel(out, min);
    requireVoxel(lastOf(boxBetween(min, max)));
    for (const axis of AXES) out.varUint(max[axis] - min[axis]);
  },

  read(input) {
    const min = readVoxel(input);
    const extents = positionFrom(() => input.varUint());
    if (extents.includes(0)) throw input.fail("ORT_BOX", `a box of [${extents}] voxels`);
    const box = { min, max: positionFrom((axis) => min[axis] + extents[axis]) };
    if (!isVoxel(lastOf(box)))
      throw input.fail("ORT_POSITION_RANGE", `voxel [${lastOf(box)}] is in no world`);
    return box;
  },
};

/** Fills a box. Rule N36 in protocol.md. */
export const fillCodec: Codec<MessageOf<"fill">> = record({
  kind: constant("fill"),
  editId: counterCodec,
  box: voxelBoxCodec,
  block: varU16,
});

/** Copies a box. Rule N36 in protocol.md. */
export const copyCodec: Codec<MessageOf<"copy">> = {
  write(out, { editId, box, to }) {
    counterCodec.write(out, editId);
    voxelBoxCodec.write(out, box);
    writeVoxel(out, to);
    requireVoxel(lastOf(copyTarget({ box, to })));
  },
  read(input) {
    const editId = counterCodec.read(input);
    const box = voxelBoxCodec.read(input);
    const to = readVoxel(input);
    const last = lastOf(copyTarget({ box, to }));
    if (!isVoxel(last)) throw input.fail("ORT_POSITION_RANGE", `voxel [${last}] is in no world`);
    return { kind: "copy", editId, box, to };
  },
};

function writeVoxel(out: ByteWriter, voxel: Position): void {
  requireVoxel(voxel);
  for (const axis of AXES) out.varInt(voxel[axis]);
}

function readVoxel(input: ByteReader): Position {
  const voxel = positionFrom(() => input.varInt());
  if (!isVoxel(voxel)) throw input.fail("ORT_POSITION_RANGE", `voxel [${voxel}] is in no world`);
  return voxel;
}

function requireVoxel(voxel: Position): void {
  if (!isVoxel(voxel)) throw new OrthantError("ORT_POSITION_RANGE", `voxel [${voxel}] is in no world`);
}

function lastOf({ max }: Box): Position {
  return positionFrom((axis) => max[axis] - 1);
}

function isVoxel(voxel: Position): boolean {
  return voxel.every(
    (coordinate) =>
      Number.isInteger(coordinate) &&
      coordinate >= -VOXEL_COORDINATE_MAX - 1 &&
      coordinate <= VOXEL_COORDINATE_MAX,
  );
}

const statusCodec = oneOf<NumberedEditResult["status"]>(["applied", "unchanged", "duplicate", "rejected"]);
const refusalCodec = oneOf<RejectionReason>([
  "role",
  "rate",
  "tooMany",
  "tooLarge",
  "reach",
  "vetoed",
  "world",
  "block",
  "data",
]);

/** The results of edits; each id is relative to the previous one. Rule N27 in docs/formats/protocol.md. */
export const editResultsCodec: Codec<EditResults> = {
  write(out, { results }) {
    requireInteger(results.length, 1, EDIT_RESULTS_MAX);
    out.varUint(results.length);
    let previous = 0;
    for (const result of results) {
      if (result.editId <= previous) {
        throw new OrthantError("ORT_ARGUMENT", `result ${result.editId} behind ${previous}`);
      }
      out.varUint(result.editId - previous);
      statusCodec.write(out, result.status);
      if (result.status === "rejected") {
        refusalCodec.write(out, result.reason);
        out.string(result.detail, DETAIL_BYTES_MAX);
      }
      previous = result.editId;
    }
  },

  read(input) {
    const count = input.count(EDIT_RESULTS_MAX);
    if (count === 0) throw input.fail("ORT_MESSAGE", "a list of no results");
    const results: NumberedEditResult[] = [];
    for (let index = 0; index < count; index++) {
      results.push(readEditResult(input, results.at(-1)?.editId ?? 0));
    }
    return { kind: "editResults", results };
  },
};

function readEditResult(input: ByteReader, previous: number): NumberedEditResult {
  const step = input.varUint();
  const editId = previous + step;
  if (step === 0 || !Number.isSafeInteger(editId)) {
    throw input.fail("ORT_MESSAGE", `a result ${step} behind result ${previous}`);
  }
  const status = statusCodec.read(input);
  if (status !== "rejected") return { editId, status };
  return { editId, status, reason: refusalCodec.read(input), detail: input.string(DETAIL_BYTES_MAX) };
}
