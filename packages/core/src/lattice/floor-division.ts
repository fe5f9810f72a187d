/** Returns the quotient, rounded down: -1 by 4 is -1. Exact for safe integers and divisors from 1 up. */
export function floorDivide(dividend: number, divisor: number): number {
  return Math.floor(dividend / divisor);
}

/** Returns the remainder of {@link floorDivide}, from 0 up to but excluding the divisor. */
export function floorModulo(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  return remainder < 0 ? remainder + divisor : remainder + 0; // adding 0 turns -0, as in -4 % 4, into 0
}
