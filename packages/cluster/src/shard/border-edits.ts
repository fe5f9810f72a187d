import { type ChunkShape, OrthantError, type Position } from "@orthant/core";
import {
  type Codec,
  checkedWhenRead,
  combined,
  encode,
  list,
  record,
  string,
  varUint,
} from "@orthant/core/bytes";
import {
  axisOutside,
  chunkOfVoxel,
  PositionMap,
  positionCodec,
  positionsEqual,
  regionOf,
} from "@orthant/core/lattice";
import { isTickKind, TICK_KIND_BYTES_MAX } from "@orthant/save/content";
import type { BorderEdit, BorderTick } from "@orthant/world/engine";
import { shardNameCodec, type TransferId, transferIdCodec } from "./entity-record.ts";
import { placementCodec, voxelCodec } from "./requested-edit-codec.ts";

/** Edits of one step in one region of another shard, in order. */
export interface RegionEdits {
  readonly region: Position;
  readonly edits: readonly BorderEdit[];
}

/** Edits on their way to another shard. */
export interface EditTransfer extends TransferId, RegionEdits {}

/** Notes that a step applied edits of another shard. */
export interface TakenEdits {
  /** The shard that sent them. */
  readonly from: string;
  readonly region: Position;
  readonly transfer: TransferId;
  /** The earliest transfer of edits in the sender's outbox. */
  readonly low: TransferId;
}

/** Maximum number of regions, or parts of them, to which a step sends edits, and of those whose edits it applies. */
export const STEP_TRANSFERS_MAX = 256;
/** Size of the edits of a transfer above which no other edit joins them. */
const TRANSFER_BYTES_MAX = 65_536;
const TRANSFER_EDITS_MAX = 16_384;
/** Maximum delay of a tick, as for the ticks of a step. */
const DELAY_STEPS_MAX = 2 ** 36;
const KINDS = 2;

const tickCodec = checkedWhenRead<BorderTick>(
  record({ voxel: voxelCodec, tick: string(TICK_KIND_BYTES_MAX), inSteps: varUint }),
  "ORT_MESSAGE",
  ({ tick, inSteps }) => {
    if (!isTickKind(tick)) return `${JSON.stringify(tick)} is not a kind of ticks`;
    return inSteps > DELAY_STEPS_MAX ? `a tick in ${inSteps} steps, at most ${DELAY_STEPS_MAX}` : undefined;
  },
);

const borderEditCodec: Codec<BorderEdit> = {
  write(out, edit) {
    out.tag("tick" in edit ? 1 : 0, KINDS);
    if ("tick" in edit) tickCodec.write(out, edit);
    else placementCodec.write(out, edit);
  },
  read: (input) => (input.tag(KINDS) === 0 ? placementCodec : tickCodec).read(input),
};
/** Codec of edits in a region of another shard. */
export const borderEditsCodec: Codec<readonly BorderEdit[]> = list(borderEditCodec, TRANSFER_EDITS_MAX);

/** Codec of a transfer of edits. Rule K66 in docs/formats/cluster.md. */
export const editTransferCodec: Codec<EditTransfer> = combined(
  transferIdCodec,
  record({ region: positionCodec, edits: borderEditsCodec }),
);

/** Codec of a note that a step applied edits of another shard. Rule K67 in docs/formats/cluster.md. */
export const takenEditsCodec: Codec<TakenEdits> = record({
  from: shardNameCodec,
  region: positionCodec,
  transfer: transferIdCodec,
  low: transferIdCodec,
});

/** Returns the size of an edit in a transfer. */
export function borderEditBytes(edit: BorderEdit): number {
  return encode(borderEditCodec, edit).length;
}

/** Returns the size of a transfer. */
export function editTransferBytes(transfer: EditTransfer): number {
  return encode(editTransferCodec, transfer).length;
}

/** Divides the edits of a step by region, in order, into parts that are small enough for a transfer. */
export function byRegion(shape: ChunkShape, edits: readonly BorderEdit[]): readonly RegionEdits[] {
  const open = new PositionMap<{ edits: BorderEdit[]; bytes: number }>();
  const parts: RegionEdits[] = [];
  for (const edit of edits) {
    const region = regionOfVoxel(shape, edit.voxel);
    const bytes = borderEditBytes(edit);
    const known = open.get(...region);
    if (
      known !== undefined &&
      known.bytes + bytes <= TRANSFER_BYTES_MAX &&
      known.edits.length < TRANSFER_EDITS_MAX
    ) {
      known.edits.push(edit);
      known.bytes += bytes;
      continue;
    }
    const part = { edits: [edit], bytes };
    open.set(...region, part);
    parts.push({ region, edits: part.edits });
  }
  return parts;
}

/** Throws `ORT_MESSAGE` unless all edits are in their region, and in the world. */
export function requireInRegion(shape: ChunkShape, { region, edits }: RegionEdits): void {
  const stray = edits.find(
    ({ voxel }) =>
      !positionsEqual(regionOfVoxel(shape, voxel), region) ||
      axisOutside(shape, chunkOfVoxel(shape, voxel)) !== undefined,
  );
  if (stray === undefined) return;
  throw new OrthantError("ORT_MESSAGE", `an edit of [${stray.voxel}] among those of region [${region}]`);
}

function regionOfVoxel(shape: ChunkShape, voxel: Position): Position {
  return regionOf(chunkOfVoxel(shape, voxel));
}
