import { OrthantError } from "../error/orthant-error.ts";
import { type Position, requireLatticePosition } from "./position.ts";

const CAPACITY_MIN = 16;
/** The table doubles above this fraction of used slots and halves below the other. */
const FULLNESS_MAX = 0.625;
const FULLNESS_MIN = 0.125;
/** A slot without an entry. */
const FREE = 0;
/** The table of all empty maps, in which nothing is ever set: most maps of a server stay empty. */
const NO_SLOTS: Int32Array = new Int32Array(CAPACITY_MIN);
const NO_COORDINATES: Int32Array = new Int32Array(0);

/**
 * A hash map keyed by four 32-bit coordinates that allocates no object per entry and no string per lookup.
 * Which entries share slots depends on a secret of the process, so that an attacker cannot choose positions
 * that make it slow. Iteration follows insertion order, except that the last entry moves into the gap of a
 * deleted one: the order depends only on the history, not on the secret. During iteration, values may be
 * replaced; adding or deleting an entry makes the loop throw `ORT_ARGUMENT`.
 */
export class PositionMap<Value> {
  readonly #secret: PositionHashSecret;
  /** Open addressing with linear probing: a slot holds the number of its entry, counted from 1. */
  #slots: Int32Array = NO_SLOTS;
  /** Entry `e`, counted from 0, has its coordinates at `4 * e` and its value at `e`. */
  #coordinates: Int32Array = NO_COORDINATES;
  #values: Value[] = [];
  #changeCount = 0;

  /** Only tests pass a secret. */
  constructor(secret: PositionHashSecret = processHashSecret()) {
    this.#secret = secret;
  }

  /** Number of entries. */
  get size(): number {
    return this.#values.length;
  }

  /** The largest number of slots that the lookup of an entry visits. */
  get longestSearch(): number {
    const mask = this.#slots.length - 1;
    let longest = 0;
    for (const [slot, number] of this.#slots.entries()) {
      if (number !== FREE) longest = Math.max(longest, ((slot - this.#homeOf(number - 1)) & mask) + 1);
    }
    return longest;
  }

  /** Returns the value at a position, or `undefined`. */
  get(x: number, y: number, z: number, w: number): Value | undefined {
    const number = this.#slots[this.#slotOf(x, y, z, w)] as number;
    return number === FREE ? undefined : this.#values[number - 1];
  }

  /** Whether there is an entry at a position. */
  has(x: number, y: number, z: number, w: number): boolean {
    return this.#slots[this.#slotOf(x, y, z, w)] !== FREE;
  }

  /** Sets the value at a position. Throws `ORT_POSITION_RANGE` unless the coordinates are 32-bit integers. */
  set(x: number, y: number, z: number, w: number, value: Value): void {
    requireLatticePosition(x, y, z, w);
    let slot = this.#slotOf(x, y, z, w);
    const number = this.#slots[slot] as number;
    if (number !== FREE) {
      this.#values[number - 1] = value;
      return;
    }
    this.#changeCount++;
    if (this.#slots === NO_SLOTS) this.#resize(CAPACITY_MIN);
    else if (this.#values.length >= entriesMax(this.#slots.length)) {
      this.#resize(this.#slots.length * 2);
      slot = this.#slotOf(x, y, z, w);
    }
    const at = this.#values.length * 4;
    this.#coordinates[at] = x;
    this.#coordinates[at + 1] = y;
    this.#coordinates[at + 2] = z;
    this.#coordinates[at + 3] = w;
    this.#values.push(value);
    this.#slots[slot] = this.#values.length;
  }

  /** Returns the value at a position; adds what `create` returns if there is none. */
  getOrAdd(x: number, y: number, z: number, w: number, create: () => Value): Value {
    const known = this.get(x, y, z, w);
    if (known !== undefined) return known;
    const created = create();
    this.set(x, y, z, w, created);
    return created;
  }

  /** Removes the entry at a position. Returns whether there was one. */
  delete(x: number, y: number, z: number, w: number): boolean {
    const slot = this.#slotOf(x, y, z, w);
    const number = this.#slots[slot] as number;
    if (number === FREE) return false;
    this.#changeCount++;
    this.#closeGap(slot);
    this.#moveLastTo(number - 1);
    const capacity = this.#slots.length;
    if (capacity > CAPACITY_MIN && this.size < capacity * FULLNESS_MIN) this.#resize(capacity / 2);
    return true;
  }

  /** Removes every entry and frees the memory. */
  clear(): void {
    this.#changeCount++;
    this.#slots = NO_SLOTS;
    this.#coordinates = NO_COORDINATES;
    this.#values = [];
  }

  /** Calls `visit` for every entry, without allocating. */
  forEach(visit: (value: Value, x: number, y: number, z: number, w: number) => void): void {
    const changeCount = this.#changeCount;
    const coordinates = this.#coordinates;
    for (let entry = 0; entry < this.#values.length; entry++) {
      const at = entry * 4;
      visit(
        this.#values[entry] as Value,
        coordinates[at] as number,
        coordinates[at + 1] as number,
        coordinates[at + 2] as number,
        coordinates[at + 3] as number,
      );
      this.#requireUnchanged(changeCount);
    }
  }

  /** Yields every position that has an entry. */
  *positions(): Generator<Position, void, undefined> {
    for (const [position] of this) yield position;
  }

  /** Yields every value. */
  *values(): Generator<Value, void, undefined> {
    for (const [, value] of this) yield value;
  }

  /** Yields every entry. */
  *[Symbol.iterator](): Generator<readonly [Position, Value], void, undefined> {
    const changeCount = this.#changeCount;
    for (let entry = 0; entry < this.#values.length; entry++) {
      yield [this.#positionOf(entry), this.#values[entry] as Value];
      this.#requireUnchanged(changeCount);
    }
  }

  /** Returns the slot of the position's entry or, if it has none, the free slot where it would go. */
  #slotOf(x: number, y: number, z: number, w: number): number {
    const coordinates = this.#coordinates;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = secretHash(this.#secret, x, y, z, w) & mask;
    for (;;) {
      const number = slots[slot] as number;
      if (number === FREE) return slot;
      const at = number * 4 - 4;
      if (
        coordinates[at] === x &&
        coordinates[at + 1] === y &&
        coordinates[at + 2] === z &&
        coordinates[at + 3] === w
      ) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** Returns the slot that an entry would have if it were alone. */
  #homeOf(entry: number): number {
    const [x, y, z, w] = this.#positionOf(entry);
    return secretHash(this.#secret, x, y, z, w) & (this.#slots.length - 1);
  }

  /** Frees a slot by moving back the entries that had to probe past it, so that no search ends too early. */
  #closeGap(freed: number): void {
    const mask = this.#slots.length - 1;
    let gap = freed;
    for (let slot = (gap + 1) & mask; this.#slots[slot] !== FREE; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number;
      const walkedSinceHome = (slot - this.#homeOf(number - 1)) & mask;
      const walkedSinceGap = (slot - gap) & mask;
      if (walkedSinceHome < walkedSinceGap) continue;
      this.#slots[gap] = number;
      gap = slot;
    }
    this.#slots[gap] = FREE;
  }

  /** Moves the last entry to the index of one that no slot refers to any more. */
  #moveLastTo(entry: number): void {
    const last = this.#values.length - 1;
    if (entry < last) {
      const [x, y, z, w] = this.#positionOf(last);
      this.#slots[this.#slotOf(x, y, z, w)] = entry + 1;
      this.#coordinates.copyWithin(entry * 4, last * 4, last * 4 + 4);
      this.#values[entry] = this.#values[last] as Value;
    }
    this.#values.pop();
  }

  #resize(capacity: number): void {
    const coordinates = new Int32Array(entriesMax(capacity) * 4);
    coordinates.set(this.#coordinates.subarray(0, this.#values.length * 4));
    this.#coordinates = coordinates;
    this.#slots = new Int32Array(capacity);
    for (let entry = 0; entry < this.#values.length; entry++) {
      let slot = this.#homeOf(entry);
      while (this.#slots[slot] !== FREE) slot = (slot + 1) & (capacity - 1);
      this.#slots[slot] = entry + 1;
    }
  }

  #positionOf(entry: number): Position {
    const at = entry * 4;
    return [
      this.#coordinates[at] as number,
      this.#coordinates[at + 1] as number,
      this.#coordinates[at + 2] as number,
      this.#coordinates[at + 3] as number,
    ];
  }

  #requireUnchanged(changeCount: number): void {
    if (changeCount === this.#changeCount) return;
    throw new OrthantError("ORT_ARGUMENT", "a PositionMap was changed while a loop ran over it");
  }
}

/** Returns the maximum number of entries in a table of `capacity` slots. */
function entriesMax(capacity: number): number {
  return Math.floor(capacity * FULLNESS_MAX);
}

/** A set of positions with 32-bit coordinates, with the guarantees of {@link PositionMap}. */
export class PositionSet {
  readonly #positions = new PositionMap<true>();

  /** Number of positions. */
  get size(): number {
    return this.#positions.size;
  }

  /** Whether the position is in the set. */
  has(x: number, y: number, z: number, w: number): boolean {
    return this.#positions.has(x, y, z, w);
  }

  /** Adds a position. Throws `ORT_POSITION_RANGE` unless the coordinates are 32-bit integers. */
  add(x: number, y: number, z: number, w: number): void {
    this.#positions.set(x, y, z, w, true);
  }

  /** Removes a position. Returns whether it was in the set. */
  delete(x: number, y: number, z: number, w: number): boolean {
    return this.#positions.delete(x, y, z, w);
  }

  /** Removes every position. */
  clear(): void {
    this.#positions.clear();
  }

  /** Yields every position. */
  [Symbol.iterator](): Generator<Position, void, undefined> {
    return this.#positions.positions();
  }
}

/** Nine 32-bit numbers that determine which positions share a slot of a table. */
export type PositionHashSecret = Int32Array;

const SECRET_WORDS = 9;
const GOLDEN_GAMMA = 0x9e37_79b9_7f4a_7c15n;

/** Derives a secret from 64 bits. */
export function positionHashSecret(bits: bigint): PositionHashSecret {
  let state = bits;
  return Int32Array.from({ length: SECRET_WORDS }, () => {
    // SplitMix64.
    state = BigInt.asUintN(64, state + GOLDEN_GAMMA);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58_476d_1ce4_e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn);
    return Number(BigInt.asIntN(32, mixed >> 32n));
  });
}

let processSecret: PositionHashSecret | undefined;

/** Returns a random secret that stays the same as long as the process runs. */
function processHashSecret(): PositionHashSecret {
  processSecret ??= positionHashSecret(systemRandomBits());
  return processSecret;
}

/**
 * Hashes a position to 32 bits. Multiplying the halves of the coordinates by secret numbers and adding them
 * makes any two positions collide for at most one in 2^17 secrets, so an attacker without the secret cannot
 * choose colliding positions. The final, public mixing spreads positions that lie in rows.
 */
function secretHash(secret: PositionHashSecret, x: number, y: number, z: number, w: number): number {
  let hash = ((secret[0] as number) + Math.imul(secret[1] as number, x & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[2] as number, x >>> 16)) | 0;
  hash = (hash + Math.imul(secret[3] as number, y & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[4] as number, y >>> 16)) | 0;
  hash = (hash + Math.imul(secret[5] as number, z & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[6] as number, z >>> 16)) | 0;
  hash = (hash + Math.imul(secret[7] as number, w & 0xffff)) | 0;
  hash = (hash + Math.imul(secret[8] as number, w >>> 16)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0_aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a_2d97);
  return hash ^ (hash >>> 15);
}

// Available on every platform, but not declared in ES2022's library.
declare const crypto: { getRandomValues(values: BigUint64Array): BigUint64Array };

/** Returns 64 random bits. */
export type RandomBits = () => bigint;

/** The system's unpredictable randomness, good enough for secrets. */
export const systemRandomBits: RandomBits = () => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
