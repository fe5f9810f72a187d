const NUMBER = /^(?<mantissa>-?[0-9]+(?:\.[0-9]+)?)(?:e(?<exponent>-?[0-9]+))?$/;
/** Larger exponents give 0 or infinity with every mantissa that a text can have. */
const EXPONENT_MAX = 1_000_000;
/** Where numbers begin to have exponents, as in JavaScript. */
const POINT_MAX = 21;
const POINT_MIN = -5;

/** Whether a word is a number. */
export function isNumberText(word: string): boolean {
  return NUMBER.test(word);
}

/** Returns the number of a word, divided by 10 to the power of `shift`. */
export function parseNumber(word: string, shift = 0): number {
  const { mantissa = "", exponent = "0" } = NUMBER.exec(word)?.groups ?? {};
  const shifted = Math.max(-EXPONENT_MAX, Math.min(EXPONENT_MAX, Number(exponent) - shift));
  return Number(`${mantissa}e${shifted}`);
}

/** Returns the shortest text of a number of at least 0, multiplied by 10 to the power of `shift`. */
export function numberText(value: number, shift = 0): string {
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  const digits = mantissa.replace(".", "");
  // Moving the point of the text, and not multiplying the number, gives the same number when it is read.
  const point = value === 0 ? 1 : Number(exponent) + 1 + shift;
  if (point > POINT_MAX || point < POINT_MIN) return `${pointed(digits, 1)}e${point - 1}`;
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  return pointed(digits.padEnd(point, "0"), point);
}

function pointed(digits: string, point: number): string {
  return digits.length > point ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits;
}
