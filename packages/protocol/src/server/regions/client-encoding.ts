import type { Position } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import { getOrAdd } from "@orthant/core/lattice";
import type { GeneratorMap } from "@orthant/core/tree";
import { type RegionEncoding, regionEncoding } from "./region-changes.ts";

/**
 * How regions are encoded for one client: those whose generator it has, as changes to what it generates itself; all
 * others with every voxel.
 */
export interface ClientEncoding {
  /** Equal for clients that get the same bytes of every region. */
  readonly key: string;
  /** The encoding of most regions. */
  readonly usual: RegionEncoding;
  of(region: Position): RegionEncoding;
}

/** Returns the encoding for a client with these generators; `known` has their version hashes. */
export function clientEncoding(
  map: GeneratorMap,
  known: Iterable<bigint>,
  detail: RegionEncoding["detail"],
): ClientEncoding {
  const hashes = new Set(known);
  const unknown = map.refs.filter(({ versionHash }) => !hashes.has(versionHash));
  const lacks = unknown.map(({ versionHash }) => versionHash).sort();
  const key = `${detail} without ${lacks.join()}`;
  const encodings = getOrAdd(encodingsOf, map, () => new Map<string, ClientEncoding>());
  const encoding = encodings.get(key) ?? newEncoding(map, new Set(unknown), detail, key);
  if (encodings.size < ENCODINGS_MAX) encodings.set(key, encoding);
  return encoding;
}

/** Encodings of a map that clients share. Those of further sets of generators, which clients choose, are not kept. */
const ENCODINGS_MAX = 64;
const encodingsOf = new WeakMap<GeneratorMap, Map<string, ClientEncoding>>();

function newEncoding(
  map: GeneratorMap,
  unknown: ReadonlySet<GeneratorRef>,
  detail: RegionEncoding["detail"],
  key: string,
): ClientEncoding {
  const concrete = regionEncoding("concrete", detail);
  const usual = unknown.size === map.refs.length ? concrete : regionEncoding("symbolic", detail);
  if (unknown.size === 0 || unknown.size === map.refs.length) return { key, usual, of: () => usual };
  return { key, usual, of: (region) => (unknown.has(map.ofRegion(region)) ? concrete : usual) };
}
