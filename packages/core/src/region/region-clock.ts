import { OrthantError } from "../error/orthant-error.ts";

/** Clocks that each epoch has room for: a clock is `epoch * 2^33 + step`, and exact as a number. */
export const CLOCK_STEPS_PER_EPOCH: number = 2 ** 33;

/** The last epoch whose clocks are safe integers. */
export const EPOCH_MAX: number = 2 ** 20 - 1;

/** The clock of a region that nobody ever changed. */
export const CLOCK_NEVER = 0;

/** The clock of a step in an epoch, both counted from 1; `ORT_CLOCK` where that is no clock. */
export function clockOf(epoch: number, step: number): number {
  const clock = epoch * CLOCK_STEPS_PER_EPOCH + step;
  if (Number.isInteger(epoch) && Number.isInteger(step) && step < CLOCK_STEPS_PER_EPOCH && isIssued(clock)) {
    return clock;
  }
  throw new OrthantError("ORT_CLOCK", `step ${step} of epoch ${epoch} is no clock`);
}

/** The epoch in which a clock was issued; 0 for {@link CLOCK_NEVER}. */
export function epochOf(clock: number): number {
  return Math.floor(clock / CLOCK_STEPS_PER_EPOCH);
}

/** Which step of its epoch a clock is. */
export function stepOf(clock: number): number {
  return clock % CLOCK_STEPS_PER_EPOCH;
}

/** The clock that follows in an epoch; `ORT_CLOCK` when the clock is of a later epoch, or the epoch is used up. */
export function nextClock(clock: number, epoch: number): number {
  if (epochOf(clock) > epoch) {
    throw new OrthantError("ORT_CLOCK", `a region of epoch ${epochOf(clock)} changed in epoch ${epoch}`);
  }
  return clockOf(epoch, epochOf(clock) === epoch ? stepOf(clock) + 1 : 1);
}

/** Throws `ORT_CLOCK` unless the number is a clock that may be issued, or {@link CLOCK_NEVER}. */
export function requireClock(clock: number): void {
  if (clock !== CLOCK_NEVER && !isIssued(clock)) throw new OrthantError("ORT_CLOCK", `${clock} is no clock`);
}

function isIssued(clock: number): boolean {
  return Number.isSafeInteger(clock) && epochOf(clock) >= 1 && stepOf(clock) >= 1;
}
