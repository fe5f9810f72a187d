import { OrthantError } from "../error/orthant-error.ts";

/** One opening of a world for writing, in which clocks are issued. */
export interface Epoch {
  /** Rises with every opening. Clocks begin with it. */
  readonly number: number;
  /** Random, to distinguish two copies of a world that were opened separately. */
  readonly id: bigint;
}

/** Number of clocks per epoch: a clock is `epoch * 2^33 + step`, which a number holds exactly. */
export const CLOCK_STEPS_PER_EPOCH: number = 2 ** 33;

/** The last epoch whose clocks are safe integers. */
export const EPOCH_MAX: number = 2 ** 20 - 1;

/** The clock of a region that was never changed. */
export const CLOCK_NEVER = 0;

/** Returns the clock of a step in an epoch, both counted from 1. Throws `ORT_CLOCK` for an invalid one. */
export function clockOf(epoch: number, step: number): number {
  const clock = epoch * CLOCK_STEPS_PER_EPOCH + step;
  if (Number.isInteger(epoch) && Number.isInteger(step) && step < CLOCK_STEPS_PER_EPOCH && isIssued(clock)) {
    return clock;
  }
  throw new OrthantError("ORT_CLOCK", `step ${step} of epoch ${epoch} is no clock`);
}

/** Returns the epoch of a clock; 0 for {@link CLOCK_NEVER}. */
export function epochOf(clock: number): number {
  return Math.floor(clock / CLOCK_STEPS_PER_EPOCH);
}

/** Returns the step of a clock within its epoch. */
export function stepOf(clock: number): number {
  return clock % CLOCK_STEPS_PER_EPOCH;
}

/** Returns the next clock in an epoch. Throws `ORT_CLOCK` if the clock is later or the epoch is used up. */
export function nextClock(clock: number, epoch: number): number {
  if (epochOf(clock) > epoch) {
    throw new OrthantError("ORT_CLOCK", `a region of epoch ${epochOf(clock)} changed in epoch ${epoch}`);
  }
  return clockOf(epoch, epochOf(clock) === epoch ? stepOf(clock) + 1 : 1);
}

/** Throws `ORT_CLOCK` unless the number is a valid clock or {@link CLOCK_NEVER}. */
export function requireClock(clock: number): void {
  if (clock !== CLOCK_NEVER && !isIssued(clock)) throw new OrthantError("ORT_CLOCK", `${clock} is no clock`);
}

function isIssued(clock: number): boolean {
  return Number.isSafeInteger(clock) && epochOf(clock) >= 1 && stepOf(clock) >= 1;
}
