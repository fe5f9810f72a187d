import type { Disk } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import type { GlobalRecord } from "../codec/global-record.ts";
import type { StoreEntry } from "../codec/store-page.ts";
import { PackReader } from "../pack/pack-reader.ts";
import { readGlobal } from "../read/reader.ts";
import { filesOfGeneration, type Survey } from "../read/survey.ts";
import {
  type BoundedPage,
  boundedPages,
  readCheckedCatalog,
  readStoreEntries,
  readStorePages,
} from "../read/world-records.ts";
import { usableGenerations } from "./repair-sources.ts";
import type { Loss } from "./salvage.ts";

/** What a repair recovers of the records of the world as a whole. */
interface RecoveredRecords {
  readonly blocks: Uint8Array;
  /** In order of the keys. */
  readonly store: readonly StoreEntry[];
}

/** A generation whose global file can be read. */
interface ReadableGeneration {
  readonly generation: number;
  readonly global: GlobalRecord;
}

/**
 * Recovers the catalog and the store of a global record: what is damaged comes from the newest older generation that has
 * it. Adds what is older or gone to `losses`. Rule S136.
 */
export async function recoverRecords(
  disk: Disk,
  survey: Survey,
  global: GlobalRecord,
  losses: Loss[],
): Promise<RecoveredRecords> {
  const packReader = new PackReader(disk, { isLenient: true });
  try {
    // The global record itself is in this list too; what it lacks is then looked for in vain once more.
    const recovery = new Recovery(packReader, await readableGenerations(disk, survey), losses);
    return { blocks: await recovery.blocks(global), store: await recovery.store(global) };
  } finally {
    await packReader.release();
  }
}

async function readableGenerations(disk: Disk, survey: Survey): Promise<readonly ReadableGeneration[]> {
  const readable: ReadableGeneration[] = [];
  for (const generation of usableGenerations(survey)) {
    const [global] = await attempt(() => readGlobal(disk, filesOfGeneration(survey, generation).globalFile));
    if (global !== undefined) readable.push({ generation, global });
  }
  return readable;
}

class Recovery {
  readonly #packReader: PackReader;
  readonly #generations: readonly ReadableGeneration[];
  readonly #losses: Loss[];

  constructor(packReader: PackReader, generations: readonly ReadableGeneration[], losses: Loss[]) {
    this.#packReader = packReader;
    this.#generations = generations;
    this.#losses = losses;
  }

  async blocks(global: GlobalRecord): Promise<Uint8Array> {
    const [blocks, error] = await attempt(() => this.#catalogOf(global));
    if (error === undefined) return blocks;
    for (const { generation, global: older } of this.#generations) {
      const [found] = await attempt(() => this.#catalogOf(older));
      if (found === undefined) continue;
      this.#lose(
        "blocks",
        `${error.detail}; taken from generation ${generation}, without types defined since`,
      );
      return found;
    }
    this.#lose(
      "blocks",
      `${error.detail}; nothing older is left, so that ids have the names of the default blocks`,
    );
    return new Uint8Array(0);
  }

  async store(global: GlobalRecord): Promise<readonly StoreEntry[]> {
    const pages = await this.#pages(global);
    const entries: StoreEntry[] = [];
    for (const page of pages) {
      const [found, error] = await attempt(() => readStoreEntries(this.#packReader, page));
      for (const entry of found ?? (await this.#olderEntries(page, error?.detail ?? ""))) entries.push(entry);
    }
    return entries;
  }

  async #catalogOf({ description, records }: GlobalRecord): Promise<Uint8Array> {
    return records?.blocks === undefined
      ? description.blocks
      : readCheckedCatalog(this.#packReader, records.blocks);
  }

  async #pages(global: GlobalRecord): Promise<readonly BoundedPage[]> {
    const [pages, error] = await attempt(() => readStorePages(this.#packReader, global.records?.store));
    if (error === undefined) return boundedPages(pages);
    for (const { generation, global: older } of this.#generations) {
      const [found] = await attempt(() => readStorePages(this.#packReader, older.records?.store));
      if (found === undefined) continue;
      this.#lose("store", `${error.detail}; all of it is taken from generation ${generation}`);
      return boundedPages(found);
    }
    const { keys = 0 } = global.records?.store ?? {};
    this.#lose("store", `${error.detail}; nothing older is left of ${keys} keys`);
    return [];
  }

  /** Returns the entries of an older generation in the range of a damaged page. */
  async #olderEntries({ page, before }: BoundedPage, reason: string): Promise<readonly StoreEntry[]> {
    const what = `the page of ${page.keys} keys from ${JSON.stringify(page.firstKey)} on: ${reason}`;
    for (const { generation, global } of this.#generations) {
      const [found] = await attempt(() => this.#entriesBetween(global, page.firstKey, before));
      if (found === undefined) continue;
      this.#lose("store", `${what}; ${found.length} keys are taken from generation ${generation}`);
      return found;
    }
    this.#lose("store", `${what}; nothing older is left`);
    return [];
  }

  /** Throws if a page in the range is damaged. */
  async #entriesBetween(
    global: GlobalRecord,
    from: string,
    before: string | undefined,
  ): Promise<readonly StoreEntry[]> {
    const isInside = (key: string): boolean => key >= from && (before === undefined || key < before);
    const entries: StoreEntry[] = [];
    for (const bounded of boundedPages(await readStorePages(this.#packReader, global.records?.store))) {
      const startsAfter = before !== undefined && bounded.page.firstKey >= before;
      const endsBefore = bounded.before !== undefined && bounded.before <= from;
      if (startsAfter || endsBefore) continue;
      const found = await readStoreEntries(this.#packReader, bounded);
      entries.push(...found.filter(({ key }) => isInside(key)));
    }
    return entries;
  }

  #lose(what: Loss["what"], message: string): void {
    this.#losses.push({ what, chunks: undefined, message });
  }
}
