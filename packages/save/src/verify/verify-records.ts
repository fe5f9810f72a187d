import type { OrthantError } from "@orthant/core";
import { attempt, type Finding, findingOf } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { packFile } from "../codec/files.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import { catalogOf } from "../codec/world-description.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import {
  boundedPages,
  knownRecordsOf,
  readCheckedCatalog,
  readStoreEntries,
  readStorePages,
} from "../read/world-records.ts";
import type { KnownRecords } from "./verify-pack.ts";

/** Verifies the catalogs and stores of generations. A record that several of them share is read once. */
export class WorldRecordVerifier {
  readonly #packReader: PackReader;
  readonly #records: KnownRecords;
  readonly #checked = new Map<string, OrthantError | undefined>();

  /** Adds what it reads to `records`. */
  constructor(packReader: PackReader, records: KnownRecords) {
    this.#packReader = packReader;
    this.#records = records;
  }

  /** Returns every fault in the catalog and the store of a generation. Rules S130 to S134. */
  async verify(global: GlobalRecord, globalFile: string, generation: number): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const add = (error: OrthantError | undefined, path: string): void => {
      if (error !== undefined) findings.push(findingOf(error, path, generation));
    };
    const { blocks, store } = global.records ?? {};
    for (const ref of knownRecordsOf(global)) this.#records.add(ref);
    if (blocks === undefined) add((await attempt(async () => catalogOf(global.description)))[1], globalFile);
    else
      add(
        await this.#check(blocks, "", () => readCheckedCatalog(this.#packReader, blocks)),
        packFile(blocks.packId),
      );
    const [pages = [], listError] = await attempt(() => readStorePages(this.#packReader, store));
    add(listError, globalFile);
    if (listError === undefined) for (const ref of knownRecordsOf(global)) this.#records.addIntact(ref);
    for (const bounded of boundedPages(pages)) {
      const { ref } = bounded.page;
      this.#records.add(ref);
      const read = () => readStoreEntries(this.#packReader, bounded);
      const listed = `${bounded.page.firstKey} ${bounded.page.keys} ${bounded.page.bytes} ${bounded.before}`;
      add(await this.#check(ref, listed, read), packFile(ref.packId));
    }
    return findings;
  }

  /** Reads a record unless it was read before for the same purpose. */
  async #check(
    ref: RecordRef,
    purpose: string,
    read: () => Promise<unknown>,
  ): Promise<OrthantError | undefined> {
    const key = `${Object.values(ref)} ${purpose}`;
    if (this.#checked.has(key)) return this.#checked.get(key);
    const [, error] = await attempt(read);
    if (error === undefined) this.#records.addIntact(ref);
    this.#checked.set(key, error);
    return error;
  }
}
