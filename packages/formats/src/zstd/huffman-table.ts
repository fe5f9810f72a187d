import { BackwardBits, zstdDamage } from "./backward-bits.ts";
import { readFseTable } from "./fse-table.ts";

/** A table of Huffman codes: for each value of the next bits, the symbol and how many of them it takes. */
export interface HuffmanTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

const LOG_MAX = 11;
const WEIGHTS_MAX = 255;
const WEIGHT_LOG_MAX = 6;

/** Reads a table of weights; returns it with the offset after it. */
export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
  end: number,
): { readonly table: HuffmanTable; readonly offset: number } {
  const head = bytes[start];
  if (head === undefined || start >= end) throw zstdDamage("a cut table");
  const isPlain = head >= 128;
  const offset = start + 1 + (isPlain ? (head - 126) >> 1 : head);
  if (offset > end) throw zstdDamage("a cut table");
  const weights = isPlain
    ? Array.from({ length: head - 127 }, (_, at) => {
        const byte = bytes[start + 1 + (at >> 1)] as number;
        return at % 2 === 0 ? byte >>> 4 : byte & 0x0f;
      })
    : readWeights(bytes, start + 1, offset);
  return { table: huffmanTable(weights), offset };
}

/** Two states take turns. */
function readWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const { table, offset } = readFseTable(bytes, start, end, WEIGHT_LOG_MAX, WEIGHTS_MAX);
  const bits = new BackwardBits(bytes, offset, end);
  const weights: number[] = [];
  let state = bits.read(table.log);
  let other = bits.read(table.log);
  for (;;) {
    weights.push(table.symbols[state] as number);
    if (weights.length >= WEIGHTS_MAX) throw zstdDamage("a table with too many symbols");
    const width = table.bits[state] as number;
    if (width > bits.left) {
      weights.push(table.symbols[other] as number);
      return weights;
    }
    const next = (table.bases[state] as number) + bits.read(width);
    state = other;
    other = next;
  }
}

function huffmanTable(weights: number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) {
    if (weight > LOG_MAX) throw zstdDamage(`a code of weight ${weight}`);
    if (weight > 0) sum += 2 ** (weight - 1);
  }
  if (sum === 0) throw zstdDamage("a table without codes");
  const log = 32 - Math.clz32(sum);
  const rest = 2 ** log - sum;
  if (log > LOG_MAX || (rest & (rest - 1)) !== 0) throw zstdDamage("codes that do not fill their table");
  // The last weight is not stored: it fills the table.
  weights.push(32 - Math.clz32(rest));
  const symbols = new Uint8Array(2 ** log);
  const bits = new Uint8Array(2 ** log);
  let end = 0;
  for (let weight = 1; weight <= log; weight++) {
    for (const [symbol, own] of weights.entries()) {
      if (own !== weight) continue;
      symbols.fill(symbol, end, end + 2 ** (weight - 1));
      bits.fill(log + 1 - weight, end, end + 2 ** (weight - 1));
      end += 2 ** (weight - 1);
    }
  }
  return { log, symbols, bits };
}

/** Decodes a stream of codes that fills `target` exactly. */
export function readHuffmanStream(
  table: HuffmanTable,
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
): void {
  const bits = new BackwardBits(bytes, start, end);
  for (let at = 0; at < target.length; at++) {
    const code = bits.peek(table.log);
    target[at] = table.symbols[code] as number;
    bits.skip(table.bits[code] as number);
  }
  if (bits.left > 0) throw zstdDamage("bits left over after a stream");
}
