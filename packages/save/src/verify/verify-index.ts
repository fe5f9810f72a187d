import { OrthantError, type Position } from "@orthant/core";
import { boxContainsBox, PositionSet, regionBox } from "@orthant/core/lattice";
import { type Finding, findingOf } from "@orthant/disk/files";
import { pageFile } from "../codec/files.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { IndexPart, LeafIndex } from "../leaves/leaf-index.ts";
import type { PageLink } from "../leaves/leaf-trie.ts";
import type { LeafContext, LeafVerifier } from "./verify-leaves.ts";

/** Number of leaves verified together, so that their records are read in disk order. */
const LEAVES_AT_ONCE = 20_000;

/** Content of an intact page that no other page of its generation may have. */
interface CleanPage {
  readonly entityIds: readonly bigint[];
  readonly sharedRegions: readonly Position[];
}

/** Verifies the pages and leaves of generations. An intact page that several of them share is read once. */
export class IndexVerifier {
  readonly #leaves: LeafVerifier;
  readonly #clean = new Map<string, CleanPage>();
  readonly #seen = new Set<string>();

  constructor(leaves: LeafVerifier) {
    this.#leaves = leaves;
  }

  /** Paths of the pages that the generations so far link to. */
  get seenPages(): ReadonlySet<string> {
    return this.#seen;
  }

  /** Returns every fault in the pages of a generation, and in the content of its leaves. */
  async verify(
    index: LeafIndex,
    indexFile: string,
    context: LeafContext,
    generation: number,
  ): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const known = { entityIds: new Set<bigint>(), regions: new PositionSet() };
    let batch: IndexPart[] = [];
    let waiting = 0;
    const flush = async (): Promise<void> => {
      findings.push(...(await this.#verifyParts(batch, indexFile, context, generation, known)));
      batch = [];
      waiting = 0;
    };
    const knownPages = {
      passOver: (link: PageLink): boolean => this.#passOver(link, known),
      isKnown: (link: PageLink): boolean => this.#clean.has(keyOf(link)),
    };
    for await (const part of index.parts(knownPages)) {
      batch.push(part);
      waiting += part.leaves.length;
      if (waiting >= LEAVES_AT_ONCE) await flush();
    }
    await flush();
    return findings;
  }

  /** Returns whether a page was verified before and shares nothing with another page of this generation. */
  #passOver(link: PageLink, { entityIds, regions }: Known): boolean {
    const path = pageFile(link);
    this.#seen.add(path);
    const clean = link.height === 0 ? this.#clean.get(keyOf(link)) : undefined;
    if (clean === undefined) return false;
    const isAlone =
      !clean.entityIds.some((id) => entityIds.has(id)) &&
      !clean.sharedRegions.some((region) => regions.has(...region));
    if (!isAlone) return false;
    for (const id of clean.entityIds) entityIds.add(id);
    for (const region of clean.sharedRegions) regions.add(...region);
    return true;
  }

  async #verifyParts(
    parts: readonly IndexPart[],
    indexFile: string,
    context: LeafContext,
    generation: number,
    { entityIds, regions }: Known,
  ): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    for (const { cube, link, leaves, error } of parts) {
      const file = link === undefined ? indexFile : pageFile(link);
      if (error !== undefined) findings.push(findingOf(error, file, generation, cube));
      for (const region of sharedRegions(leaves)) {
        if (regions.has(...region)) {
          const twice = new OrthantError("ORT_INDEX", `two leaves have a clock of region [${region}]`);
          findings.push(findingOf(twice, file, generation, regionBox(region)));
        }
        regions.add(...region);
      }
    }
    const all = parts.flatMap(({ leaves }) => leaves);
    findings.push(...(await this.#leaves.verify(all, context, generation, entityIds)));
    if (findings.length > 0) return findings;
    for (const { link, leaves } of parts) {
      if (link === undefined || link.height > 0) continue;
      const clean = { entityIds: this.#leaves.entityIdsOf(leaves), sharedRegions: sharedRegions(leaves) };
      this.#clean.set(keyOf(link), clean);
    }
    return findings;
  }
}

interface Known {
  readonly entityIds: Set<bigint>;
  readonly regions: PositionSet;
}

/** Returns regions that extend beyond the leaf with their clock: a leaf in another page might have it too. */
function sharedRegions(leaves: readonly LeafEntry[]): readonly Position[] {
  return leaves.flatMap(({ cube, clocks }) =>
    clocks.map(({ region }) => region).filter((region) => !boxContainsBox(cube, regionBox(region))),
  );
}

function keyOf(link: PageLink): string {
  return `${pageFile(link)} ${link.crc32}`;
}
