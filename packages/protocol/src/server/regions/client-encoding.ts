import type { Position } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import type { GeneratorMap } from "@orthant/core/tree";
import { type RegionEncoding, regionEncoding } from "./region-changes.ts";

/**
 * How regions are encoded for one client: those whose generator it has, as changes to what it generates itself; all
 * others with every voxel.
 */
export class ClientEncoding {
  /** The encoding of most regions. */
  readonly usual: RegionEncoding;
  readonly #map: GeneratorMap;
  /** Generators that the client lacks; `undefined` if all regions have the usual encoding. */
  readonly #unknown: ReadonlySet<GeneratorRef> | undefined;
  readonly #other: RegionEncoding;

  /** `known` has the version hashes of the client's generators. */
  constructor(map: GeneratorMap, known: Iterable<bigint>, detail: RegionEncoding["detail"]) {
    const hashes = new Set(known);
    const unknown = map.refs.filter(({ versionHash }) => !hashes.has(versionHash));
    this.#map = map;
    this.usual = regionEncoding(unknown.length === map.refs.length ? "concrete" : "symbolic", detail);
    this.#unknown = unknown.length === 0 || unknown.length === map.refs.length ? undefined : new Set(unknown);
    this.#other = regionEncoding("concrete", detail);
  }

  /** Returns the encoding of a region. */
  of(region: Position): RegionEncoding {
    if (this.#unknown === undefined) return this.usual;
    return this.#unknown.has(this.#map.ofRegion(region)) ? this.#other : this.usual;
  }
}
