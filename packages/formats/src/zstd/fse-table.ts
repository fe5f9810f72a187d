import { zstdDamage } from "./backward-bits.ts";

/** A table of finite state entropy: for each state its symbol, and which bits lead to the next state. */
export interface FseTable {
  /** Bits of a state. */
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

/** Reads a table that is written as counts of its symbols; returns it with the offset after it. */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  end: number,
  logMax: number,
  symbolMax: number,
): { readonly table: FseTable; readonly offset: number } {
  let bit = start * 8;
  const take = (count: number): number => {
    const value = peek(count);
    bit += count;
    return value;
  };
  const peek = (count: number): number => {
    const offset = bit >>> 3;
    const word = (bytes[offset] ?? 0) | ((bytes[offset + 1] ?? 0) << 8) | ((bytes[offset + 2] ?? 0) << 16);
    return (word >>> (bit & 7)) & (2 ** count - 1);
  };
  const log = take(4) + 5;
  if (log > logMax) throw zstdDamage(`a table of ${log} bits`);
  const counts: number[] = [];
  let remaining = 2 ** log + 1;
  while (remaining > 1) {
    if (counts.length > symbolMax || bit > end * 8) throw zstdDamage("a table with too many symbols");
    const width = 32 - Math.clz32(remaining);
    const spare = 2 ** width - 1 - remaining;
    let value = peek(width);
    const low = value & (2 ** (width - 1) - 1);
    if (low < spare) {
      value = low;
      bit += width - 1;
    } else {
      if (value >= 2 ** (width - 1)) value -= spare;
      bit += width;
    }
    const count = value - 1;
    counts.push(count);
    remaining -= Math.abs(count);
    // Runs of symbols that do not occur follow the first one, three at a time.
    for (let repeat = count === 0 ? 3 : 0; repeat === 3; ) {
      repeat = take(2);
      for (let zeros = 0; zeros < repeat; zeros++) counts.push(0);
      if (counts.length > symbolMax + 1) throw zstdDamage("a table with too many symbols");
    }
  }
  const offset = Math.ceil(bit / 8);
  if (remaining !== 1 || offset > end) throw zstdDamage("a table whose counts have a wrong sum");
  return { table: fseTable(counts, log), offset };
}

/** Returns the table of counts whose sum is 2 to the power of `log`; -1 stands for less than one. */
export function fseTable(counts: readonly number[], log: number): FseTable {
  const size = 2 ** log;
  const symbols = new Uint8Array(size);
  const next = counts.map((count) => Math.abs(count));
  let high = size - 1;
  for (const [symbol, count] of counts.entries()) if (count === -1) symbols[high--] = symbol;
  const step = (size >> 1) + (size >> 3) + 3;
  let place = 0;
  for (const [symbol, count] of counts.entries()) {
    for (let left = count; left > 0; left--) {
      symbols[place] = symbol;
      do place = (place + step) & (size - 1);
      while (place > high);
    }
  }
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] as number;
    const count = next[symbol] as number;
    next[symbol] = count + 1;
    const width = log - (31 - Math.clz32(count));
    bits[state] = width;
    bases[state] = (count << width) - size;
  }
  return { log, symbols, bits, bases };
}

/** Returns a table of one symbol, which takes no bits. */
export function repeatedSymbol(symbol: number): FseTable {
  return { log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1) };
}
