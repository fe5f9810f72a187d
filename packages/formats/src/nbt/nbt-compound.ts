import { OrthantError } from "@orthant/core";
import { requireBytes, requireWhole } from "@orthant/core/arguments";
import { checkNbt, skipNbt } from "./check-nbt.ts";
import { readNbtString } from "./nbt-string.ts";
import { NBT, NBT_BYTES_MIN, nbtError } from "./nbt-type.ts";
import { NBT_TAGS_MAX, type NbtTag, readNbtTag, type TagBudget } from "./nbt-value.ts";

/** Maximum number of fields of a compound that is read: a field takes four bytes in a file, and many more in memory. */
const NBT_FIELDS_MAX = 131_072;
/** With more names than this, a map finds them faster. */
const SEARCHED_NAMES_MAX = 32;
const NONE: readonly number[] = [];

/**
 * A compound that was checked as a whole, and whose fields are read on request: large arrays are views of the bytes, and
 * fields that are not requested cost nothing. A field of another type than the asked-for one counts as missing.
 */
export class NbtCompound {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #start: number;
  #names: string[] | undefined;
  #places: ReadonlyMap<string, number> | undefined;
  #types: readonly number[] = NONE;
  #offsets: readonly number[] = NONE;
  /** Where it ends; `undefined` until that is asked for. */
  #end: number | undefined;

  /** Trusts the bytes: use {@link readNbt}. */
  constructor(bytes: Uint8Array, view: DataView, start: number) {
    this.#bytes = bytes;
    this.#view = view;
    this.#start = start;
  }

  /** Names of the fields, in their order. */
  get names(): readonly string[] {
    return this.#index();
  }

  /** Returns whether there is a field of that name. */
  has(name: string): boolean {
    return this.#find(name) >= 0;
  }

  /** Returns a byte, short or int. */
  integer(name: string): number | undefined {
    const field = this.#find(name);
    const offset = this.#offsets[field] as number;
    switch (this.#types[field]) {
      case NBT.byte:
        return this.#view.getInt8(offset);
      case NBT.short:
        return this.#view.getInt16(offset);
      case NBT.int:
        return this.#view.getInt32(offset);
      default:
        return undefined;
    }
  }

  /** Returns a byte, short, int or long. */
  long(name: string): bigint | undefined {
    const offset = this.#offsetOf(name, NBT.long);
    if (offset !== undefined) return this.#view.getBigInt64(offset);
    const integer = this.integer(name);
    return integer === undefined ? undefined : BigInt(integer);
  }

  /** Returns a string. */
  text(name: string): string | undefined {
    const offset = this.#offsetOf(name, NBT.string);
    return offset === undefined ? undefined : this.#textAt(offset);
  }

  /** Returns a view of a byte array. */
  bytes(name: string): Uint8Array | undefined {
    return this.#array(name, NBT.byteArray, 1);
  }

  /** Returns a view of a long array: eight bytes each, big-endian. */
  longs(name: string): DataView | undefined {
    const bytes = this.#array(name, NBT.longArray, 8);
    return bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Returns a compound. */
  compound(name: string): NbtCompound | undefined {
    const offset = this.#offsetOf(name, NBT.compound);
    return offset === undefined ? undefined : new NbtCompound(this.#bytes, this.#view, offset);
  }

  /** Yields the elements of a list of compounds; nothing for anything else. */
  compounds(name: string): Iterable<NbtCompound> {
    return this.#elements(this.#offsetOf(name, NBT.list));
  }

  /** Like {@link compounds}, for the first list in a list of lists. */
  compoundsOfFirst(name: string): Iterable<NbtCompound> {
    const lists = this.#offsetOf(name, NBT.list);
    const isNested = lists !== undefined && this.#view.getUint8(lists) === NBT.list && this.count(name) > 0;
    return this.#elements(isNested ? lists + 5 : undefined);
  }

  *#elements(list: number | undefined): Generator<NbtCompound> {
    if (list === undefined || this.#view.getUint8(list) !== NBT.compound) return;
    const count = this.#view.getInt32(list + 1);
    for (let index = 0, offset = list + 5; index < count; index++) {
      const element = new NbtCompound(this.#bytes, this.#view, offset);
      yield element;
      offset = element.#findEnd();
    }
  }

  /** Returns exactly three numbers: a list of numbers, or an int array. */
  triple(name: string): readonly [number, number, number] | undefined {
    const array = this.#array(name, NBT.intArray, 4);
    if (array !== undefined)
      return this.#triple(NBT.int, array.byteOffset - this.#bytes.byteOffset, array.length / 4);
    const list = this.#offsetOf(name, NBT.list);
    if (list === undefined) return undefined;
    return this.#triple(this.#view.getUint8(list), list + 5, this.#view.getInt32(list + 1));
  }

  /** Number of elements of a list; 0 if there is none. */
  count(name: string): number {
    const list = this.#offsetOf(name, NBT.list);
    return list === undefined ? 0 : Math.max(0, this.#view.getInt32(list + 1));
  }

  /** Returns the bytes of this compound, from its first field to its end. */
  toBytes(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#findEnd());
  }

  /** Reads all fields. Throws `ORT_LIMIT` for more than `tagsMax` tags. */
  toMap(tagsMax: number = NBT_TAGS_MAX): ReadonlyMap<string, NbtTag> {
    requireWhole("tagsMax", tagsMax, 1, Number.MAX_SAFE_INTEGER);
    const budget: TagBudget = { left: tagsMax, max: tagsMax };
    const map = new Map<string, NbtTag>();
    for (const [field, name] of this.#index().entries()) {
      map.set(
        name,
        readNbtTag(
          this.#bytes,
          this.#view,
          this.#types[field] as number,
          this.#offsets[field] as number,
          budget,
        ),
      );
    }
    return map;
  }

  #triple(type: number, start: number, count: number): readonly [number, number, number] | undefined {
    const size = NBT_BYTES_MIN[type] as number;
    if (count !== 3) return undefined;
    const read = (index: number): number => {
      const offset = start + index * size;
      if (type === NBT.int) return this.#view.getInt32(offset);
      if (type === NBT.double) return this.#view.getFloat64(offset);
      if (type === NBT.float) return this.#view.getFloat32(offset);
      return Number.NaN;
    };
    const triple = [read(0), read(1), read(2)] as const;
    return triple.some(Number.isNaN) ? undefined : triple;
  }

  #array(name: string, type: number, elementBytes: number): Uint8Array | undefined {
    const offset = this.#offsetOf(name, type);
    if (offset === undefined) return undefined;
    return this.#bytes.subarray(offset + 4, offset + 4 + this.#view.getInt32(offset) * elementBytes);
  }

  #textAt(offset: number): string {
    return readNbtString(this.#bytes, offset + 2, this.#view.getUint16(offset));
  }

  #offsetOf(name: string, type: number): number | undefined {
    const field = this.#find(name);
    return this.#types[field] === type ? this.#offsets[field] : undefined;
  }

  #find(name: string): number {
    const names = this.#index();
    if (names.length <= SEARCHED_NAMES_MAX) return names.lastIndexOf(name);
    this.#places ??= new Map(names.map((known, place) => [known, place]));
    return this.#places.get(name) ?? -1;
  }

  #findEnd(): number {
    this.#end ??= skipNbt(this.#view, NBT.compound, this.#start);
    return this.#end;
  }

  #index(): string[] {
    if (this.#names !== undefined) return this.#names;
    const names: string[] = [];
    const types: number[] = [];
    const offsets: number[] = [];
    for (let offset = this.#start; ; ) {
      const type = this.#view.getUint8(offset++);
      if (type === NBT.end) {
        this.#end = offset;
        break;
      }
      if (names.length === NBT_FIELDS_MAX) {
        throw new OrthantError("ORT_LIMIT", `more than ${NBT_FIELDS_MAX} fields in one compound of NBT`, {
          offset,
        });
      }
      names.push(this.#textAt(offset));
      offset += 2 + this.#view.getUint16(offset);
      types.push(type);
      offsets.push(offset);
      offset = skipNbt(this.#view, type, offset);
    }
    this.#names = names;
    this.#types = types;
    this.#offsets = offsets;
    return names;
  }
}

/** A file of NBT. */
export interface NbtRoot {
  /** Name of the root; mostly empty. */
  readonly name: string;
  readonly root: NbtCompound;
}

/**
 * Reads uncompressed NBT whose root is a compound. Checks all of it at once; throws `ORT_NBT` for lengths beyond the
 * bytes, more than {@link NBT_DEPTH_MAX} levels, and types that do not exist. Bytes after the root are ignored.
 */
export function readNbt(bytes: Uint8Array): NbtRoot {
  requireBytes("bytes", bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 3) throw nbtError(`${bytes.length} bytes are not NBT`, 0);
  if (bytes[0] !== NBT.compound) throw nbtError(`a root of type ${bytes[0]}, where a compound has to be`, 0);
  const start = checkNbt(view, NBT.string, 1);
  checkNbt(view, NBT.compound, start);
  return { name: readNbtString(bytes, 3, start - 3), root: new NbtCompound(bytes, view, start) };
}

/** Reads the bytes of one compound, as {@link NbtCompound.toBytes} returns them. Checks them as {@link readNbt} does. */
export function readNbtCompound(bytes: Uint8Array): NbtCompound {
  requireBytes("bytes", bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  checkNbt(view, NBT.compound, 0);
  return new NbtCompound(bytes, view, 0);
}
