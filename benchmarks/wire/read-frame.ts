import { CUBE_CHUNKS, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { RegionClocks, type RegionPatch } from "@orthant/core/tree";
import { type EntityMove, type ServerFrame, serverFrameCodec } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { compare } from "../compare.ts";
import type { Figure } from "../figure.ts";

/** Others that a player sees move, as in the crowd of `npm run bench -- server`. */
const OTHERS = 50;
const EDITS = 20;
const REGION: Position = [0, 0, 0, 0];
const EPOCH = 3;
/** The most steps by which another moves in a tick. */
const STEPS_MAX = 32;
/** How long a client takes to read a frame of a crowd, beside the same frame as JSON. */
export function readFrameFigure(): Figure {
  const frame = crowdFrame(new Prng(3));
  const codec = serverFrameCodec(CUBE_CHUNKS.volume);
  const bytes = encode(codec, frame);
  const text = JSON.stringify(frame);
  const figure = compare({
    name: "wire/read-frame",
    baseline: "JSON.parse of the same frame",
    // A machine may be busy; the guard tries again.
    budget: undefined,
    work: [1, "frames"],
    ours: () => decode(codec, bytes).messages.length,
    bare: () => JSON.parse(text).messages.length,
  });
  const remark = `${OTHERS} moves and ${EDITS} edits in ${bytes.length} bytes, as JSON ${text.length}; ${figure.remark}`;
  return { ...figure, remark };
}

function crowdFrame(prng: Prng): ServerFrame {
  const turn = (): number => prng.between(-STEPS_MAX, STEPS_MAX);
  const moves = Array.from({ length: OTHERS }, (_, number): EntityMove => {
    return { number: number * 2, steps: [turn(), 0, turn(), 0, turn(), 0, turn(), 0] };
  });
  const indexes = new Set<number>();
  while (indexes.size < EDITS) indexes.add(prng.below(CUBE_CHUNKS.volume));
  const edits = [...indexes].sort((a, b) => a - b).map((index) => ({ index, block: 1 + prng.below(12) }));
  const clocks = new RegionClocks();
  clocks.bump([REGION], EPOCH);
  const [change] = clocks.bump([REGION], EPOCH);
  const patch: RegionPatch = {
    patchSeq: 1_234,
    changes: [
      {
        region: REGION,
        base: change?.before ?? 0,
        next: change?.after,
        piece: 0,
        leaves: [],
        edits: [{ chunk: [1, 2, 3, 0], edits }],
        data: [],
      },
    ],
  };
  return {
    number: 1_000,
    messages: [
      { kind: "moves", absolute: 0, moves },
      { kind: "patch", patch },
    ],
  };
}
