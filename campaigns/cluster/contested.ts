import { type BlockDefinitions, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import type { Prng } from "@orthant/testkit";

const VALUES = Array.from({ length: 64 }, (_, value) => `v${value}`);
const MARKS = VALUES.length ** 2;
const VOXELS = 8;

/** Outcome of an edit as reported to its client. */
export type Fate = "open" | "made" | "refused" | "parts";

/** A block with as many variants as a contested voxel may have writes, so that each write has its own. */
export const MARKED_BLOCKS: BlockDefinitions = { mark: { properties: { high: VALUES, low: VALUES } } };

/** One client's write to a contested voxel. */
export interface ContestedWrite {
  readonly voxel: Position;
  readonly block: number;
  readonly startMs: number;
  /** When its result arrived; infinite until then, and for a write whose outcome is unknown. */
  endMs: number;
  fate: Fate;
}

/**
 * Voxels that several clients overwrite. No two writes to a voxel set the same block, so its content names the last
 * write, and a write that is applied twice shows when it hides a later one.
 */
export class Contest {
  readonly voxels: readonly Position[];
  readonly #writes: ContestedWrite[][];

  /** `center` is near all clients that take part. */
  constructor([x, y, z, w]: Position) {
    this.voxels = Array.from({ length: VOXELS }, (_, index): Position => [x + index - VOXELS / 2, y, z, w]);
    this.#writes = this.voxels.map(() => []);
  }

  /** Draws a voxel and begins to write to it. The caller reports the outcome in the returned write. */
  begin(prng: Prng): ContestedWrite {
    const index = prng.between(0, VOXELS - 1);
    const writes = this.#writes[index] ?? [];
    const write: ContestedWrite = {
      voxel: this.voxels[index] ?? [0, 0, 0, 0],
      block: DEFAULT_BLOCKS.endId + (writes.length % MARKS),
      startMs: performance.now(),
      endMs: Infinity,
      fate: "open",
    };
    writes.push(write);
    return write;
  }

  /**
   * Says why a voxel cannot hold the block that was found there, when all writes are over; `undefined` if it can.
   * The block must be that of a write that no acknowledged one followed.
   */
  faultOf(voxel: Position, found: number): string | undefined {
    const index = this.voxels.indexOf(voxel);
    const writes = this.#writes[index]?.slice(-MARKS) ?? [];
    const made = writes.filter(({ fate }) => fate === "made");
    const last = writes.find(({ block }) => block === found);
    if (last === undefined)
      return found === 0 && made.length === 0 ? undefined : `[${voxel}] is ${found}, which no client wrote`;
    if (last.fate === "refused") return `[${voxel}] is ${found}, and that write was refused`;
    const later = made.find(({ startMs }) => startMs > last.endMs);
    return later === undefined
      ? undefined
      : `[${voxel}] is ${found}, and ${later.block} was written and acknowledged after that: lost or hidden by a repeat`;
  }
}
