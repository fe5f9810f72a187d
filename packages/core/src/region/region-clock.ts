import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { I32_MAX, I32_MIN, requireInteger } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { comparePositions, type Position, positionFrom } from "../lattice/position.ts";
import { REGION_EDGE_CHUNKS } from "../lattice/region.ts";

/** One opening of a world for writing, in which clocks are issued. */
export interface Epoch {
  /** Rises with every opening. Clocks begin with it. */
  readonly number: number;
  /** Random, to distinguish two copies of a world that were opened separately. */
  readonly id: bigint;
}

/** Number of clocks per epoch: a clock is `epoch * 2^33 + change`, which a number holds exactly. */
export const CLOCKS_PER_EPOCH: number = 2 ** 33;

/** The last epoch whose clocks are safe integers. */
export const EPOCH_MAX: number = 2 ** 20 - 1;

/** The clock of a region that was never changed. */
export const CLOCK_NEVER = 0;

/** Returns the clock of a change in an epoch; both numbers count from 1. Throws `ORT_CLOCK` for an invalid one. */
export function clockFrom(epoch: number, change: number): number {
  const clock = epoch * CLOCKS_PER_EPOCH + change;
  if (Number.isInteger(epoch) && Number.isInteger(change) && change < CLOCKS_PER_EPOCH && isIssued(clock)) {
    return clock;
  }
  throw new OrthantError("ORT_CLOCK", `change ${change} of epoch ${epoch} is not a clock`);
}

/** Returns the epoch of a clock; 0 for {@link CLOCK_NEVER}. */
export function epochOf(clock: number): number {
  return Math.floor(clock / CLOCKS_PER_EPOCH);
}

/** Returns the number of the change within its epoch. */
export function changeNumberOf(clock: number): number {
  return clock % CLOCKS_PER_EPOCH;
}

/** Returns the next clock in an epoch. Throws `ORT_CLOCK` if the clock is later or the epoch is used up. */
export function nextClock(clock: number, epoch: number): number {
  if (epochOf(clock) > epoch) {
    throw new OrthantError("ORT_CLOCK", `a region of epoch ${epochOf(clock)} changed in epoch ${epoch}`);
  }
  return clockFrom(epoch, epochOf(clock) === epoch ? changeNumberOf(clock) + 1 : 1);
}

/** Throws `ORT_CLOCK` unless the number is a valid clock or {@link CLOCK_NEVER}. */
export function requireClock(clock: number): void {
  if (clock !== CLOCK_NEVER && !isIssued(clock))
    throw new OrthantError("ORT_CLOCK", `${clock} is not a clock`);
}

function isIssued(clock: number): boolean {
  return Number.isSafeInteger(clock) && epochOf(clock) >= 1 && changeNumberOf(clock) >= 1;
}

/** A region and its clock. */
export interface RegionClock {
  readonly region: Position;
  readonly clock: number;
}

const ORIGIN: Position = [0, 0, 0, 0];
const REGION_MIN = I32_MIN / REGION_EDGE_CHUNKS;
const REGION_MAX = (I32_MAX + 1) / REGION_EDGE_CHUNKS - 1;

/** At most `limit` clocks, ordered by region, the newest epoch once. Rules P1 to P5, region-patch.md. */
export function regionClockListCodec(limit: number): Codec<readonly RegionClock[]> {
  return {
    write(out, entries) {
      requireInteger(entries.length, 0, limit);
      let epoch = 0;
      for (const { clock } of entries) epoch = Math.max(epoch, epochOf(clock));
      out.varUint(epoch);
      out.varUint(entries.length);
      let previous: Position | undefined;
      for (const { region, clock } of entries) {
        writeRegionAfter(out, region, previous);
        writeClock(out, clock, epoch);
        previous = region;
      }
    },

    read(input) {
      const epoch = readEpoch(input);
      const count = input.count(limit);
      const entries: RegionClock[] = [];
      for (let index = 0; index < count; index++) {
        const region = readRegionAfter(input, entries.at(-1)?.region);
        entries.push({ region, clock: readClock(input, epoch) });
      }
      requireNewestEpoch(
        input,
        epoch,
        entries.map(({ clock }) => clock),
      );
      return entries;
    },
  };
}

/** Returns the newest epoch among clocks; 0 when there are none. */
export function newestEpoch(clocks: readonly number[]): number {
  return clocks.reduce((newest, clock) => Math.max(newest, epochOf(clock)), 0);
}

/** Reads the epoch that the following clocks refer to. */
export function readEpoch(input: ByteReader): number {
  const epoch = input.varUint();
  if (epoch > EPOCH_MAX) throw input.fail("ORT_CLOCK", `epoch ${epoch}, the limit is ${EPOCH_MAX}`);
  return epoch;
}

/** Rejects an epoch that none of the clocks has, since it would allow several encodings. */
export function requireNewestEpoch(input: ByteReader, epoch: number, clocks: readonly number[]): void {
  const newest = newestEpoch(clocks);
  if (newest !== epoch) throw input.fail("ORT_CLOCK", `epoch ${epoch} where the newest clock has ${newest}`);
}

/** Writes a clock as twice its change number; one of an older epoch adds 1, followed by its age in epochs. */
export function writeClock(out: ByteWriter, clock: number, epoch: number): void {
  requireClock(clock);
  const age = epoch - epochOf(clock);
  out.varUint(changeNumberOf(clock) * 2 + (age === 0 ? 0 : 1));
  if (age !== 0) out.varUint(age);
}

/** Reads a clock. Throws `ORT_CLOCK` for one that is never issued. */
export function readClock(input: ByteReader, epoch: number): number {
  const changeAndFlag = input.varUint();
  const isOlder = changeAndFlag % 2 === 1;
  const change = Math.floor(changeAndFlag / 2);
  const age = isOlder ? input.varUint() : 0;
  if ((isOlder && age === 0) || age > epoch || change >= CLOCKS_PER_EPOCH) {
    throw input.fail("ORT_CLOCK", `change ${change}, ${age} epochs before ${epoch}`);
  }
  const clock = (epoch - age) * CLOCKS_PER_EPOCH + change;
  if (clock !== CLOCK_NEVER && (change === 0 || age === epoch)) {
    throw input.fail("ORT_CLOCK", `change ${change} of epoch ${epoch - age} is never issued`);
  }
  return clock;
}

/** Writes a region as the difference from the previous one, or from the origin. */
export function writeRegionAfter(out: ByteWriter, region: Position, previous: Position | undefined): void {
  requireRegion(region);
  if (previous !== undefined && comparePositions(previous, region) >= 0) {
    throw new OrthantError("ORT_REGION_ORDER", `region [${region}] behind [${previous}]`);
  }
  const from = previous ?? ORIGIN;
  out.varI32(region[0] - from[0]);
  out.varI32(region[1] - from[1]);
  out.varI32(region[2] - from[2]);
  out.varI32(region[3] - from[3]);
}

/** Reads a region that follows another one in lexicographic order. */
export function readRegionAfter(input: ByteReader, previous: Position | undefined): Position {
  const from = previous ?? ORIGIN;
  const region = positionFrom((axis) => from[axis] + input.varI32());
  requireRegion(region);
  if (previous !== undefined && comparePositions(previous, region) >= 0) {
    throw input.fail("ORT_REGION_ORDER", `region [${region}] behind [${previous}]`);
  }
  return region;
}

/** Throws `ORT_POSITION_RANGE` unless all chunks of a region are on the lattice. */
export function requireRegion(region: Position): void {
  const [x, y, z, w] = region;
  if (isRegionCoordinate(x) && isRegionCoordinate(y) && isRegionCoordinate(z) && isRegionCoordinate(w))
    return;
  throw new OrthantError("ORT_POSITION_RANGE", `region [${region}] is not on the lattice`);
}

function isRegionCoordinate(coordinate: number): boolean {
  return Number.isInteger(coordinate) && coordinate >= REGION_MIN && coordinate <= REGION_MAX;
}

/** Maximum number of regions in one request. */
export const RESYNC_REGIONS_MAX = 512;
