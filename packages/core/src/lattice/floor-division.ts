/** The quotient, rounded down: -1 by 4 is -1. Exact for every safe integer and a divisor of at least 1. */
export function floorDivide(dividend: number, divisor: number): number {
  return Math.floor(dividend / divisor);
}

/** What {@link floorDivide} leaves over, from 0 up to and without the divisor. */
export function floorModulo(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  return remainder < 0 ? remainder + divisor : remainder + 0; // adding turns -0, which -4 % 4 is, into 0
}
