import type { Position } from "@orthant/core";
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
  const unknown = new Set(map.refs.filter(({ versionHash }) => !hashes.has(versionHash)));
  const concrete = regionEncoding("concrete", detail);
  const usual = unknown.size === map.refs.length ? concrete : regionEncoding("symbolic", detail);
  const isMixed = unknown.size > 0 && unknown.size < map.refs.length;
  if (!isMixed) return { key: `${usual.index}`, usual, of: () => usual };
  const lacks = Array.from(unknown, ({ versionHash }) => versionHash).sort();
  return {
    key: `${usual.index} without ${lacks.join()}`,
    usual,
    of: (region) => (unknown.has(map.ofRegion(region)) ? concrete : usual),
  };
}
