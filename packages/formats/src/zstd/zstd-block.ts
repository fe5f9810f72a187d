import { BackwardBits, zstdDamage } from "./backward-bits.ts";
import { type FseTable, fseTable, readFseTable, repeatedSymbol } from "./fse-table.ts";
import { type HuffmanTable, readHuffmanStream, readHuffmanTable } from "./huffman-table.ts";
import type { ZstdOutput } from "./zstd-output.ts";

/** Maximum bytes that one block gives. */
export const ZSTD_BLOCK_BYTES_MAX = 131_072;
/** Offsets of more bits are beyond every window that is accepted. */
const OFFSET_BITS_MAX = 24;

const LITERAL_BITS = numbers(
  "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 2 2 3 3 4 6 7 8 9 10 11 12 13 14 15 16",
);
const MATCH_BITS = numbers(
  "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 2 2 3 3 4 4 5 7 8 9 10 11 12 13 14 15 16",
);
const LITERAL_BASES = basesOf(LITERAL_BITS, 0);
const MATCH_BASES = basesOf(MATCH_BITS, 3);

const LITERAL_COUNTS = "4 3 2 2 2 2 2 2 2 2 2 2 2 1 1 1 2 2 2 2 2 2 2 2 2 3 2 1 1 1 1 1 -1 -1 -1 -1";
const OFFSET_COUNTS = "1 1 1 1 1 1 2 2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1";
const MATCH_COUNTS =
  "1 4 3 2 2 2 2 2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1";

interface SequenceKind {
  readonly logMax: number;
  readonly symbolMax: number;
  readonly standard: FseTable;
}

/** In the order of the file: lengths of literals, offsets, lengths of matches. */
const KINDS: readonly SequenceKind[] = [
  { logMax: 9, symbolMax: 35, standard: fseTable(numbers(LITERAL_COUNTS), 6) },
  { logMax: 8, symbolMax: 31, standard: fseTable(numbers(OFFSET_COUNTS), 5) },
  { logMax: 9, symbolMax: 52, standard: fseTable(numbers(MATCH_COUNTS), 6) },
];

function numbers(text: string): readonly number[] {
  return text.split(" ").map(Number);
}

function basesOf(bits: readonly number[], first: number): readonly number[] {
  let base = first;
  return bits.map((width) => {
    const own = base;
    base += 2 ** width;
    return own;
  });
}

/** Decodes the compressed blocks of one frame, which share tables and offsets. */
export class ZstdBlockReader {
  readonly #output: ZstdOutput;
  #huffman: HuffmanTable | undefined;
  readonly #tables: (FseTable | undefined)[] = [undefined, undefined, undefined];
  readonly #recent: [number, number, number] = [1, 4, 8];

  constructor(output: ZstdOutput) {
    this.#output = output;
  }

  /** Appends the content of a block that lies between two offsets. */
  read(bytes: Uint8Array, start: number, end: number): void {
    const { literals, offset } = this.#literals(bytes, start, end);
    const used = this.#sequences(bytes, offset, end, literals);
    this.#output.append(literals.subarray(used));
  }

  #literals(bytes: Uint8Array, start: number, end: number): { literals: Uint8Array; offset: number } {
    const head = bytes[start] ?? 0;
    const type = head & 3;
    const form = (head >>> 2) & 3;
    const isCoded = type >= 2;
    // One size, or two of equal width; the first two forms of plain literals differ from those of coded ones.
    const sizeBits = isCoded ? ([10, 10, 14, 18][form] as number) : ([5, 12, 5, 20][form] as number);
    const headBits = isCoded || form % 2 === 1 ? 4 : 3;
    const headBytes = Math.ceil((headBits + sizeBits * (isCoded ? 2 : 1)) / 8);
    if (headBytes > end - start) throw zstdDamage("a cut block");
    let word = 0;
    for (let at = 0; at < headBytes; at++) word += (bytes[start + at] as number) * 256 ** at;
    const size = Math.floor(word / 2 ** headBits) % 2 ** sizeBits;
    if (size > ZSTD_BLOCK_BYTES_MAX) throw zstdDamage(`${size} literals in a block`);
    const from = start + headBytes;
    const stored = isCoded ? Math.floor(word / 2 ** (headBits + sizeBits)) : type === 0 ? size : 1;
    if (stored > end - from) throw zstdDamage("a cut block");
    if (type === 0) return { literals: bytes.subarray(from, from + size), offset: from + size };
    const literals = new Uint8Array(size);
    if (type === 1) literals.fill(bytes[from] as number);
    else this.#huffmanLiterals(bytes, from, from + stored, literals, type === 2, form > 0);
    return { literals, offset: from + stored };
  }

  #huffmanLiterals(
    bytes: Uint8Array,
    start: number,
    end: number,
    literals: Uint8Array,
    hasTable: boolean,
    isSplit: boolean,
  ): void {
    let offset = start;
    if (hasTable) {
      const read = readHuffmanTable(bytes, start, end);
      this.#huffman = read.table;
      offset = read.offset;
    }
    const table = this.#huffman;
    if (table === undefined) throw zstdDamage("literals without a table");
    if (!isSplit) {
      readHuffmanStream(table, bytes, offset, end, literals);
      return;
    }
    if (end - offset < 6) throw zstdDamage("a cut block");
    const quarter = (literals.length + 3) >> 2;
    let from = offset + 6;
    for (let part = 0; part < 4; part++) {
      const at = offset + part * 2;
      const to = part === 3 ? end : from + ((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
      if (to > end) throw zstdDamage("a cut block");
      const target = literals.subarray(part * quarter, part === 3 ? literals.length : (part + 1) * quarter);
      readHuffmanStream(table, bytes, from, to, target);
      from = to;
    }
  }

  /** Returns how many literals were used. */
  #sequences(bytes: Uint8Array, start: number, end: number, literals: Uint8Array): number {
    let offset = start;
    const next = (): number => {
      if (offset >= end) throw zstdDamage("a cut block");
      return bytes[offset++] as number;
    };
    const first = next();
    if (first === 0) return 0;
    const count =
      first < 128 ? first : first < 255 ? (first - 128) * 256 + next() : next() + next() * 256 + 0x7f00;
    const modes = next();
    if ((modes & 3) !== 0) throw zstdDamage("modes of sequences that do not exist");
    for (const [kind, { logMax, symbolMax, standard }] of KINDS.entries()) {
      const mode = (modes >>> (6 - kind * 2)) & 3;
      if (mode === 0) this.#tables[kind] = standard;
      else if (mode === 1) this.#tables[kind] = repeatedSymbol(next());
      else if (mode === 2) {
        const read = readFseTable(bytes, offset, end, logMax, symbolMax);
        this.#tables[kind] = read.table;
        offset = read.offset;
      }
    }
    return this.#run(new BackwardBits(bytes, offset, end), count, literals);
  }

  #run(bits: BackwardBits, count: number, literals: Uint8Array): number {
    const [forLiterals, forOffsets, forMatches] = this.#tables;
    if (forLiterals === undefined || forOffsets === undefined || forMatches === undefined) {
      throw zstdDamage("sequences without a table");
    }
    let used = 0;
    let made = 0;
    let [literal, offset, match] = [
      bits.read(forLiterals.log),
      bits.read(forOffsets.log),
      bits.read(forMatches.log),
    ];
    for (let left = count; left > 0; left--) {
      const offsetBits = forOffsets.symbols[offset] as number;
      if (offsetBits > OFFSET_BITS_MAX) throw zstdDamage(`an offset of ${offsetBits} bits`);
      const distance = 2 ** offsetBits + bits.read(offsetBits);
      const matched = lengthOf(bits, forMatches.symbols[match] as number, MATCH_BITS, MATCH_BASES);
      const plain = lengthOf(bits, forLiterals.symbols[literal] as number, LITERAL_BITS, LITERAL_BASES);
      made += plain + matched;
      if (plain > literals.length - used || made > ZSTD_BLOCK_BYTES_MAX) {
        throw zstdDamage("sequences beyond the end of their block");
      }
      this.#output.append(literals.subarray(used, used + plain));
      used += plain;
      this.#output.copy(this.#distanceOf(distance, plain), matched);
      if (left === 1) break;
      literal = (forLiterals.bases[literal] as number) + bits.read(forLiterals.bits[literal] as number);
      match = (forMatches.bases[match] as number) + bits.read(forMatches.bits[match] as number);
      offset = (forOffsets.bases[offset] as number) + bits.read(forOffsets.bits[offset] as number);
    }
    if (bits.left > 0) throw zstdDamage("bits left over after sequences");
    return used;
  }

  /** The first three values stand for recent distances; without literals they mean the next one. */
  #distanceOf(value: number, plain: number): number {
    const recent = this.#recent;
    if (value > 3) {
      recent.unshift(value - 3);
      recent.length = 3;
      return value - 3;
    }
    const place = value - (plain > 0 ? 1 : 0);
    const distance = place === 3 ? recent[0] - 1 : (recent[place] as number);
    if (place > 0) {
      recent.splice(place === 3 ? 2 : place, 1);
      recent.unshift(distance);
    }
    return distance;
  }
}

function lengthOf(
  bits: BackwardBits,
  symbol: number,
  widths: readonly number[],
  bases: readonly number[],
): number {
  const width = widths[symbol];
  if (width === undefined) throw zstdDamage(`a length of kind ${symbol}`);
  return (bases[symbol] as number) + bits.read(width);
}
