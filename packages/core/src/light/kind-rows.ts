import type { Chunk } from "../chunk/chunk.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { LIGHT_MAX, type LightRules } from "./light-rules.ts";

/** The voxels of a chunk whose blocks do the same to light. */
export interface KindRow {
  /** A kind of {@link LightRules}. */
  readonly kind: number;
  /** Rows of bits along x, in words of 32, by y, then z and w. */
  readonly bits: Int32Array;
}

/** The blocks of chunks as rows of bits. Those of a chunk are made once, and live as long as the chunk. */
export class KindRows {
  /** Words of a row. */
  readonly words: number;
  readonly #rules: LightRules;
  readonly #length: number;
  readonly #width: number;
  readonly #known = new WeakMap<Chunk, readonly KindRow[]>();
  readonly #voxels: Uint16Array;

  constructor(rules: LightRules, { extents, volume }: ChunkShape) {
    const [width] = extents;
    this.#rules = rules;
    this.#width = width;
    this.words = Math.ceil(width / 32);
    this.#length = (volume / width) * this.words;
    this.#voxels = new Uint16Array(volume);
  }

  /** Returns the rows of a chunk by kind, without those of voxels that let no light through and give off none. */
  of(chunk: Chunk): readonly KindRow[] {
    const known = this.#known.get(chunk);
    if (known !== undefined) return known;
    const rows = this.#read(chunk);
    this.#known.set(chunk, rows);
    return rows;
  }

  #read(chunk: Chunk): readonly KindRow[] {
    const { kinds } = this.#rules;
    const width = this.#width;
    const voxels = chunk.voxels(this.#voxels);
    const found: KindRow[] = [];
    const byKind: (Int32Array | undefined)[] = [];
    let at = 0;
    for (let row = 0; row < this.#length; row += this.words)
      for (let x = 0; x < width; x++) {
        const kind = kinds[voxels[at++] as number] as number;
        if (kind === LIGHT_MAX) continue;
        let bits = byKind[kind];
        if (bits === undefined) {
          bits = new Int32Array(this.#length);
          byKind[kind] = bits;
          found.push({ kind, bits });
        }
        const word = row + (x >> 5);
        bits[word] = (bits[word] as number) | (1 << (x & 31));
      }
    return found;
  }
}
