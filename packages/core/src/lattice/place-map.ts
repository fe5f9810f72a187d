import { OrthantError } from "../error/orthant-error.ts";
import { type Place, requireLatticePlace } from "./place.ts";

const CAPACITY_MIN = 16;
/** Above this share of used slots the table doubles; below the other it halves. */
const FULLNESS_MAX = 0.625;
const FULLNESS_MIN = 0.125;
const FREE: unique symbol = Symbol("a slot without an entry");

/**
 * A hash map keyed by four 32-bit coordinates. It makes no object an entry and no string a lookup.
 *
 * Entries come in no particular order, the same one for the same history. While a loop runs over the map,
 * values may be replaced; adding or deleting an entry makes the loop throw `ORT_ARGUMENT`.
 */
export class PlaceMap<Value> {
  /** Open addressing with linear probing: slot `s` has its coordinates at `4 * s`, and its value at `s`. */
  #coordinates: Int32Array = new Int32Array(CAPACITY_MIN * 4);
  #values: (Value | typeof FREE)[] = freeSlots(CAPACITY_MIN);
  #size = 0;
  #changeCount = 0;

  /** How many entries there are. */
  get size(): number {
    return this.#size;
  }

  /** The value at a place; `undefined` when there is none. */
  get(x: number, y: number, z: number, w: number): Value | undefined {
    const value = this.#values[this.#slotOf(x, y, z, w)];
    return value === FREE ? undefined : value;
  }

  /** Whether there is an entry at a place. */
  has(x: number, y: number, z: number, w: number): boolean {
    return this.#values[this.#slotOf(x, y, z, w)] !== FREE;
  }

  /** Adds or replaces the value at a place; `ORT_PLACE_RANGE` unless the coordinates are 32-bit integers. */
  set(x: number, y: number, z: number, w: number, value: Value): void {
    requireLatticePlace(x, y, z, w);
    let slot = this.#slotOf(x, y, z, w);
    if (this.#values[slot] === FREE) {
      this.#changeCount++;
      this.#size++;
      if (this.#size > this.#values.length * FULLNESS_MAX) {
        this.#resize(this.#values.length * 2);
        slot = this.#slotOf(x, y, z, w);
      }
      this.#writeCoordinates(slot, x, y, z, w);
    }
    this.#values[slot] = value;
  }

  /** Removes the entry at a place and tells whether there was one. */
  delete(x: number, y: number, z: number, w: number): boolean {
    const slot = this.#slotOf(x, y, z, w);
    if (this.#values[slot] === FREE) return false;
    this.#changeCount++;
    this.#size--;
    this.#closeGap(slot);
    const capacity = this.#values.length;
    if (capacity > CAPACITY_MIN && this.#size < capacity * FULLNESS_MIN) this.#resize(capacity / 2);
    return true;
  }

  /** Removes every entry and gives the memory back. */
  clear(): void {
    this.#changeCount++;
    this.#size = 0;
    this.#coordinates = new Int32Array(CAPACITY_MIN * 4);
    this.#values = freeSlots(CAPACITY_MIN);
  }

  /** Calls `visit` for every entry, without allocating. */
  forEach(visit: (value: Value, x: number, y: number, z: number, w: number) => void): void {
    const changeCount = this.#changeCount;
    const values = this.#values;
    const coordinates = this.#coordinates;
    for (let slot = 0; slot < values.length; slot++) {
      const value = values[slot] as Value | typeof FREE;
      if (value === FREE) continue;
      const at = slot * 4;
      visit(
        value,
        coordinates[at] as number,
        coordinates[at + 1] as number,
        coordinates[at + 2] as number,
        coordinates[at + 3] as number,
      );
      this.#requireUnchanged(changeCount);
    }
  }

  /** Every place that has an entry. */
  *places(): Generator<Place, void, undefined> {
    for (const [place] of this) yield place;
  }

  /** Every value. */
  *values(): Generator<Value, void, undefined> {
    for (const [, value] of this) yield value;
  }

  /** Every entry. */
  *[Symbol.iterator](): Generator<readonly [Place, Value], void, undefined> {
    const changeCount = this.#changeCount;
    for (let slot = 0; slot < this.#values.length; slot++) {
      const value = this.#values[slot] as Value | typeof FREE;
      if (value === FREE) continue;
      yield [this.#placeAt(slot), value];
      this.#requireUnchanged(changeCount);
    }
  }

  /** The slot of the place's entry or, when it has none, the free slot where it would go. */
  #slotOf(x: number, y: number, z: number, w: number): number {
    const coordinates = this.#coordinates;
    const values = this.#values;
    const mask = values.length - 1;
    let slot = mixCoordinates(x, y, z, w) & mask;
    while (values[slot] !== FREE) {
      const at = slot * 4;
      if (
        coordinates[at] === x &&
        coordinates[at + 1] === y &&
        coordinates[at + 2] === z &&
        coordinates[at + 3] === w
      ) {
        break;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Frees a slot by moving back the entries that had to walk past it, so that no search ends too early. */
  #closeGap(freed: number): void {
    const mask = this.#values.length - 1;
    let gap = freed;
    for (let slot = (gap + 1) & mask; this.#values[slot] !== FREE; slot = (slot + 1) & mask) {
      const [x, y, z, w] = this.#placeAt(slot);
      const home = mixCoordinates(x, y, z, w) & mask;
      const walkedSinceHome = (slot - home) & mask;
      const walkedSinceGap = (slot - gap) & mask;
      if (walkedSinceHome < walkedSinceGap) continue;
      this.#writeCoordinates(gap, x, y, z, w);
      this.#values[gap] = this.#values[slot] as Value;
      gap = slot;
    }
    this.#values[gap] = FREE;
  }

  #resize(capacity: number): void {
    const oldCoordinates = this.#coordinates;
    const oldValues = this.#values;
    this.#coordinates = new Int32Array(capacity * 4);
    this.#values = freeSlots(capacity);
    for (let oldSlot = 0; oldSlot < oldValues.length; oldSlot++) {
      const value = oldValues[oldSlot] as Value | typeof FREE;
      if (value === FREE) continue;
      const at = oldSlot * 4;
      const x = oldCoordinates[at] as number;
      const y = oldCoordinates[at + 1] as number;
      const z = oldCoordinates[at + 2] as number;
      const w = oldCoordinates[at + 3] as number;
      const slot = this.#slotOf(x, y, z, w);
      this.#writeCoordinates(slot, x, y, z, w);
      this.#values[slot] = value;
    }
  }

  #placeAt(slot: number): Place {
    const at = slot * 4;
    return [
      this.#coordinates[at] as number,
      this.#coordinates[at + 1] as number,
      this.#coordinates[at + 2] as number,
      this.#coordinates[at + 3] as number,
    ];
  }

  #writeCoordinates(slot: number, x: number, y: number, z: number, w: number): void {
    const at = slot * 4;
    this.#coordinates[at] = x;
    this.#coordinates[at + 1] = y;
    this.#coordinates[at + 2] = z;
    this.#coordinates[at + 3] = w;
  }

  #requireUnchanged(changeCount: number): void {
    if (changeCount === this.#changeCount) return;
    throw new OrthantError("ORT_ARGUMENT", "a PlaceMap was changed while a loop ran over it");
  }
}

/** Spreads four coordinates over 32 bits: neighbours on any axis, and powers of two apart, land far apart. */
function mixCoordinates(x: number, y: number, z: number, w: number): number {
  let mixed = Math.imul(x, 0x9e37_79b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ y, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ z, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16) ^ w, 0x27d4_eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  return mixed ^ (mixed >>> 13);
}

function freeSlots<Value>(capacity: number): (Value | typeof FREE)[] {
  return new Array<Value | typeof FREE>(capacity).fill(FREE);
}
