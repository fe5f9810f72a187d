import { isOrthantError, type OrthantError } from "@orthant/core";
import type { SaveFiles } from "../files/save-files.ts";
import type { MarsMinerChunkEntry } from "./chunk-reader.ts";
import type { BlockAddress } from "./pointer.ts";

/** One saved state of a world. */
export interface MarsMinerState {
  /** Location of its index. */
  readonly address: BlockAddress;
  /**
   * Time of saving, in units of 100 ns since the beginning of year 1, UTC. Beyond 2^53, so never a number.
   */
  readonly ticks: bigint;
  /** `undefined` without a name, which differs from an empty name. */
  readonly name: string | undefined;
  /** In storage order. A position may occur twice. */
  readonly chunks: readonly MarsMinerChunkEntry[];
}

const UNIX_EPOCH_TICKS = 621_355_968_000_000_000n;
const TICKS_PER_MS = 10_000n;

/** Converts ticks to milliseconds since 1970, rounded down. */
export function msOfTicks(ticks: bigint): number {
  const since = ticks - UNIX_EPOCH_TICKS;
  const rest = ((since % TICKS_PER_MS) + TICKS_PER_MS) % TICKS_PER_MS;
  return Number((since - rest) / TICKS_PER_MS);
}

/** Converts whole milliseconds since 1970 to ticks. */
export function ticksOfMs(ms: number): bigint {
  return BigInt(ms) * TICKS_PER_MS + UNIX_EPOCH_TICKS;
}

/** A fault in a part of a state, and the position of the chunk if it affects only one. */
export interface StateFault {
  readonly error: OrthantError;
  readonly place: { readonly x: number; readonly z: number } | undefined;
}

/**
 * Reads the index at an address and its chunk table, but no chunks. With `onFault`, reports and omits a name
 * or a chunk whose pointer is broken. Without it, and for all other faults, throws.
 */
export async function readState(
  files: SaveFiles,
  address: BlockAddress,
  onFault?: (fault: StateFault) => void,
): Promise<MarsMinerState> {
  const { kinds } = files;
  const tolerate = async <Value>(
    read: () => Promise<Value>,
    place: StateFault["place"],
  ): Promise<Value | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (onFault === undefined || !isOrthantError(error)) throw error;
      onFault({ error, place });
      return undefined;
    }
  };
  const { value: index } = await files.readBlock(kinds.stateIndex, address);
  const name = await tolerate(() => files.readString(index.name, address.blob), undefined);
  const tableAddress = await files.target(index.chunkTable, address.blob, "a chunk table");
  const { value: entries } = await files.readBlock(kinds.chunkTable, tableAddress);
  const chunks: MarsMinerChunkEntry[] = [];
  for (const { x, z, chunk } of entries) {
    const target = await tolerate(() => files.target(chunk, tableAddress.blob, "a chunk"), { x, z });
    if (target !== undefined) chunks.push({ x, z, address: target });
  }
  return { address, ticks: index.ticks, name, chunks };
}
