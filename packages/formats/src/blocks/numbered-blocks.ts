import type { SectionVoxels } from "./column-section.ts";

/** Arrays of blocks from before Minecraft 1.13, with an element for each voxel. */
export interface BlockNumbers {
  readonly ids: Uint8Array;
  /** Bits 8 to 11 of each id, two in a byte; `undefined` if all are 0. */
  readonly add: Uint8Array | undefined;
  /** The low four bits of each count. */
  readonly data: Uint8Array;
  /** Bits that the data of one block takes. */
  readonly dataBits: 4 | 8;
}

const STATES = 65_536;
const PACKED_STATES_MAX = 16;
// Place of each state in a palette, plus 1. Shared by all calls, which leave zeros behind.
const places = new Uint16Array(STATES);

/** Blocks from before Minecraft 1.13: 12 bits of id, 4 bits of data. */
export class NumberedBlocks implements SectionVoxels {
  readonly #numbers: BlockNumbers;
  /** The states that occur, in the order of their first voxels. */
  readonly #states: readonly number[];

  constructor(numbers: BlockNumbers) {
    this.#numbers = numbers;
    this.#states = collectStates(numbers);
  }

  /** The states that occur, as `id:data`. */
  get palette(): readonly string[] {
    return this.#states.map((state) => `${state >>> 4}:${state & 0x0f}`);
  }

  unpack(): Uint16Array {
    const indices = new Uint16Array(this.#numbers.ids.length);
    this.#withPlaces(() => {
      for (let voxel = 0; voxel < indices.length; voxel++) {
        indices[voxel] = (places[stateAt(this.#numbers, voxel)] as number) - 1;
      }
    });
    return indices;
  }

  packInto(words: Uint32Array): boolean {
    const { ids } = this.#numbers;
    if (!isPaired(this.#numbers) || words.length * 8 !== ids.length) return false;
    if (this.#states.length > PACKED_STATES_MAX) return false;
    this.#withPlaces(() => packWords(this.#numbers, words));
    return true;
  }

  /** Every state of the palette occurs. */
  holds(wanted: readonly boolean[]): boolean {
    return wanted.includes(true);
  }

  #withPlaces(work: () => void): void {
    for (const [place, state] of this.#states.entries()) places[state] = place + 1;
    work();
    for (const state of this.#states) places[state] = 0;
  }
}

function collectStates(numbers: BlockNumbers): readonly number[] {
  const { ids, data } = numbers;
  const states: number[] = [];
  const add = (state: number): void => {
    states.push(state);
    places[state] = states.length;
  };
  if (isPaired(numbers)) {
    for (let voxel = 0; voxel < ids.length; voxel += 2) {
      const both = data[voxel >>> 1] as number;
      const first = ((ids[voxel] as number) << 4) | (both & 0x0f);
      if (places[first] === 0) add(first);
      const second = ((ids[voxel + 1] as number) << 4) | (both >>> 4);
      if (places[second] === 0) add(second);
    }
  } else {
    for (let voxel = 0; voxel < ids.length; voxel++) {
      const state = stateAt(numbers, voxel);
      if (places[state] === 0) add(state);
    }
  }
  for (const state of states) places[state] = 0;
  return states;
}

/** Whether two voxels share each byte of data, and nothing is added to their ids: the common case. */
function isPaired({ ids, add, dataBits }: BlockNumbers): boolean {
  return dataBits === 4 && add === undefined && ids.length % 2 === 0;
}

function packWords({ ids, data }: BlockNumbers, words: Uint32Array): void {
  for (let word = 0; word < words.length; word++) {
    let bits = 0;
    for (let shift = 0; shift < 32; shift += 8) {
      const pair = word * 4 + (shift >>> 3);
      const both = data[pair] as number;
      const first = places[((ids[pair * 2] as number) << 4) | (both & 0x0f)] as number;
      const second = places[((ids[pair * 2 + 1] as number) << 4) | (both >>> 4)] as number;
      bits |= ((first - 1) | ((second - 1) << 4)) << shift;
    }
    words[word] = bits;
  }
}

function stateAt({ ids, add, data, dataBits }: BlockNumbers, voxel: number): number {
  const low = dataBits === 4 ? nibbleAt(data, voxel) : (data[voxel] as number) & 0x0f;
  const high = add === undefined ? 0 : nibbleAt(add, voxel) << 12;
  return high | ((ids[voxel] as number) << 4) | low;
}

/** Returns half a byte: the low half belongs to the even index. */
function nibbleAt(bytes: Uint8Array, index: number): number {
  return ((bytes[index >>> 1] as number) >>> ((index & 1) << 2)) & 0x0f;
}
