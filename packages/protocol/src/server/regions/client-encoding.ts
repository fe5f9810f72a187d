import type { Position } from "@orthant/core";
import type { GeneratorMap } from "@orthant/core/tree";
import { type RegionEncoding, regionEncoding } from "./region-changes.ts";

/**
 * How regions are encoded for one client: those whose generator it has, as changes to what it generates itself; all
 * others with every voxel.
 */
export interface ClientEncoding {
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
  const unknown = new Set(map.refs.filter(({ versionHash }) => !hashes.has(versionHash)));
  const concrete = regionEncoding("concrete", detail);
  const usual = unknown.size === map.refs.length ? concrete : regionEncoding("symbolic", detail);
  if (unknown.size === 0 || unknown.size === map.refs.length) return { usual, of: () => usual };
  return { usual, of: (region) => (unknown.has(map.ofRegion(region)) ? concrete : usual) };
}
