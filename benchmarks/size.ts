const OPTION = "--smallest";

/** Whether suites only have to start, measure something and end. Their figures then mean nothing. */
export const IS_SMALLEST: boolean = process.argv.includes(OPTION);

/** The option for a program that a suite starts, if it has sizes, too. */
export const SIZE_OPTIONS: readonly string[] = IS_SMALLEST ? [OPTION] : [];

/** Returns a number of a suite that says how much it does: the one to measure with, or the smallest that works. */
export function sized<Size>(measured: Size, smallest: Size): Size {
  return IS_SMALLEST ? smallest : measured;
}
