import { deepEqual, equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { NOT_STORED, type VoxelPart } from "@orthant/formats/readers";

/** What an expected file says about voxels. */
export interface ExpectedVoxels {
  readonly voxels: number;
  readonly bounds: { readonly min: readonly number[]; readonly max: readonly number[] };
  readonly boundsNonAir?: ExpectedVoxels["bounds"];
  readonly counts: Readonly<Record<string, number>>;
  readonly samples: readonly (readonly [number, number, number, string])[];
}

const AIR: ReadonlySet<string> = new Set([
  "minecraft:air",
  "minecraft:cave_air",
  "minecraft:void_air",
  "0:0",
]);

/** Returns the state of a voxel of a part; `undefined` if it is not stored. */
export function stateIn(
  { min, size, palette, indices }: VoxelPart,
  place: readonly number[],
): string | undefined {
  const [x = 0, y = 0, z = 0] = place.map((at, axis) => at - (min[axis] as number));
  const index = indices === undefined ? 0 : indices[x + z * size[0] + y * size[0] * size[2]];
  return index === undefined || index === NOT_STORED ? undefined : palette[index];
}

/** Calls `visit` with each stored voxel of a part: y slowest, then z, then x. */
export function visitPart(
  { min, size, palette, indices }: VoxelPart,
  visit: (x: number, y: number, z: number, state: string) => void,
): void {
  let at = 0;
  for (let y = min[1]; y < min[1] + size[1]; y++) {
    for (let z = min[2]; z < min[2] + size[2]; z++) {
      for (let x = min[0]; x < min[0] + size[0]; x++) {
        const index = indices === undefined ? 0 : (indices[at++] as number);
        if (index !== NOT_STORED) visit(x, y, z, palette[index] as string);
      }
    }
  }
}

/** Hashes states in the order of the golden files: the text and a newline each. */
export function hashStates(parts: readonly VoxelPart[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const lines: string[] = [];
    visitPart(part, (_x, _y, _z, state) => lines.push(state, "\n"));
    hash.update(lines.join(""));
  }
  return hash.digest("hex");
}

/** Counts and bounds of all voxels of a file. */
export class VoxelTotals {
  readonly #counts = new Map<string, number>();
  readonly #all = new Bounds();
  readonly #solid = new Bounds();
  #voxels = 0;

  add(x: number, y: number, z: number, state: string): void {
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + 1);
    this.#voxels++;
    this.#all.add(x, y, z);
    if (!AIR.has(state)) this.#solid.add(x, y, z);
  }

  /** Throws unless they are what a second reader has found. */
  check(expected: ExpectedVoxels): void {
    equal(this.#voxels, expected.voxels);
    deepEqual(
      Object.fromEntries([...this.#counts].sort()),
      Object.fromEntries(Object.entries(expected.counts).sort()),
    );
    deepEqual(this.#all.range(), expected.bounds);
    if (expected.boundsNonAir !== undefined) deepEqual(this.#solid.range(), expected.boundsNonAir);
  }
}

class Bounds {
  readonly #min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  readonly #max = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  add(...place: readonly [number, number, number]): void {
    for (let axis = 0; axis < 3; axis++) {
      const at = place[axis] as number;
      if (at < (this.#min[axis] as number)) this.#min[axis] = at;
      if (at > (this.#max[axis] as number)) this.#max[axis] = at;
    }
  }

  range(): ExpectedVoxels["bounds"] {
    return { min: this.#min, max: this.#max };
  }
}
