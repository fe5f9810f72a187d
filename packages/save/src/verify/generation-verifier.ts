import { OrthantError, type Position } from "@orthant/core";
import { boxContainsBox, PositionSet, regionBox } from "@orthant/core/lattice";
import { attempt, type Finding, findingOf } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { packFile, pageFile } from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { catalogOf } from "../codec/world-description.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { IndexPart, LeafIndex } from "../leaves/leaf-index.ts";
import type { PageLink } from "../leaves/leaf-trie.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import {
  boundedPages,
  knownRecordsOf,
  readCheckedCatalog,
  readStoreEntries,
  readStorePages,
} from "../read/world-records.ts";
import { type LeafContext, LeafVerifier } from "./verify-leaves.ts";
import type { KnownRecords } from "./verify-pack.ts";

/** Number of leaves verified together, so that their records are read in disk order. */
const LEAVES_AT_ONCE = 20_000;

/** Content of an intact page that no other page of its generation may have. */
interface CleanPage {
  readonly entityIds: readonly bigint[];
  readonly sharedRegions: readonly Position[];
}

/** Verifies the content of generations. An intact page or record that several of them share is read once. */
export class GenerationVerifier {
  readonly #packReader: PackReader;
  readonly #leaves: LeafVerifier;
  readonly #clean = new Map<string, CleanPage>();
  readonly #seenPages = new Set<string>();
  /** The faults of records of catalogs and stores, by record and purpose. */
  readonly #checked = new Map<string, OrthantError | undefined>();

  constructor(packReader: PackReader) {
    this.#packReader = packReader;
    this.#leaves = new LeafVerifier(packReader);
  }

  /** The records that the generations so far refer to. */
  get records(): KnownRecords {
    return this.#leaves.records;
  }

  /** Paths of the pages that the generations so far link to. */
  get seenPages(): ReadonlySet<string> {
    return this.#seenPages;
  }

  /** Returns every fault in the pages of a generation, and in the content of its leaves. */
  async verifyIndex(
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
    this.#seenPages.add(path);
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

  /** Returns every fault in the catalog and the store of a generation. Rules S130 to S134. */
  async verifyWorldRecords(
    global: GlobalRecord,
    globalFile: string,
    generation: number,
  ): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const add = (error: OrthantError | undefined, path: string): void => {
      if (error !== undefined) findings.push(findingOf(error, path, generation));
    };
    const { blocks, store } = global.records ?? {};
    for (const ref of knownRecordsOf(global)) this.records.add(ref);
    if (blocks === undefined) add((await attempt(async () => catalogOf(global.description)))[1], globalFile);
    else
      add(
        await this.#checkWorldRecord(blocks, "", () => readCheckedCatalog(this.#packReader, blocks)),
        packFile(blocks.packId),
      );
    const [pages = [], listError] = await attempt(() => readStorePages(this.#packReader, store));
    add(listError, globalFile);
    if (listError === undefined) for (const ref of knownRecordsOf(global)) this.records.addIntact(ref);
    for (const bounded of boundedPages(pages)) {
      const { ref } = bounded.page;
      this.records.add(ref);
      const read = () => readStoreEntries(this.#packReader, bounded);
      const listed = `${bounded.page.firstKey} ${bounded.page.keys} ${bounded.page.bytes} ${bounded.before}`;
      add(await this.#checkWorldRecord(ref, listed, read), packFile(ref.packId));
    }
    return findings;
  }

  /** Reads a record unless it was read before for the same purpose. */
  async #checkWorldRecord(
    ref: RecordRef,
    purpose: string,
    read: () => Promise<unknown>,
  ): Promise<OrthantError | undefined> {
    const key = `${Object.values(ref)} ${purpose}`;
    if (this.#checked.has(key)) return this.#checked.get(key);
    const [, error] = await attempt(read);
    if (error === undefined) this.records.addIntact(ref);
    this.#checked.set(key, error);
    return error;
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
