import { isOrthantError, type OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { isDamage, pathOfTemporary, temporaryPath, type WriterLock } from "@orthant/disk/files";
import { generationFiles, parseGenerationFile, parsePageFile } from "../codec/files.ts";
import { MANIFEST_FILE } from "../codec/layout.ts";
import { changeBetween } from "../leaves/committed-change.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import { readGlobal, readIndex } from "../read/reader.ts";
import type { GenerationHolds, SaveState } from "../read/save.ts";
import { listGenerationFolders, storedGenerations } from "../read/survey.ts";

/** How much of a world's history to keep besides named generations. */
export interface Retention {
  /** Number of newest generations to keep; at least 1, the live one. */
  readonly newest: number;
  /** Number of minutes whose last generation is kept; 0 by default. Minutes without a commit do not count. */
  readonly minutes?: number;
  /** Number of hours whose last generation is kept. Hours without a commit do not count. */
  readonly hours: number;
  /** Number of days, in UTC, whose last generation is kept. Days without a commit do not count. */
  readonly days: number;
}

/** The newest two, and the last one of each minute for ten minutes, of each hour for a day, and of each day for a month. */
export const DEFAULT_RETENTION: Retention = { newest: 2, minutes: 10, hours: 24, days: 30 };

/** A generation and when it was committed. */
export interface DatedGeneration {
  readonly generation: number;
  /** Milliseconds since 1970, by a clock that may have been wrong. */
  readonly atMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const COUNT_MAX = 100_000;

/**
 * Returns the generations to keep: at most `newest + minutes + hours + days`, and the named ones. Only the numbers
 * decide which is newer. Minutes, hours and days are counted only where there was a commit, never from now, so a clock
 * that jumps adds one or two of each but cannot make the rest of the history too old. Rule S85.
 */
export function keptGenerations(
  generations: readonly DatedGeneration[],
  named: ReadonlySet<number>,
  retention: Retention,
): ReadonlySet<number> {
  const newestFirst = [...generations].sort((a, b) => b.generation - a.generation);
  const kept = new Set<number>();
  for (const { generation } of newestFirst.slice(0, retention.newest)) kept.add(generation);
  keepLastOfEach(newestFirst, MINUTE_MS, retention.minutes ?? 0, kept);
  keepLastOfEach(newestFirst, HOUR_MS, retention.hours, kept);
  keepLastOfEach(newestFirst, DAY_MS, retention.days, kept);
  for (const { generation } of newestFirst) if (named.has(generation)) kept.add(generation);
  return kept;
}

/** Throws `ORT_ARGUMENT` for an invalid retention. The live generation is always kept. */
export function requireRetention({ newest, minutes = 0, hours, days }: Retention): void {
  requireInteger(newest, 1, COUNT_MAX, "retention.newest");
  requireInteger(minutes, 0, COUNT_MAX, "retention.minutes");
  requireInteger(hours, 0, COUNT_MAX, "retention.hours");
  requireInteger(days, 0, COUNT_MAX, "retention.days");
}

function keepLastOfEach(
  newestFirst: readonly DatedGeneration[],
  spanMs: number,
  spansMax: number,
  kept: Set<number>,
): void {
  const spans = new Set<number>();
  for (const { generation, atMs } of newestFirst) {
    if (spans.size === spansMax) return;
    const span = Math.floor(atMs / spanMs);
    if (spans.has(span)) continue;
    spans.add(span);
    kept.add(generation);
  }
}

/**
 * Retires generations that are not kept: removes their files, and index pages that no other generation needs.
 * Called only after a commit. Removals are not synced. If a crash brings a generation's files back, all
 * that it needs is still there: that is removed only once the generation's own removal is durable. Rules S46
 * and S92.
 */
export class GenerationRemover {
  readonly #disk: Disk;
  readonly #holds: GenerationHolds;
  readonly #retention: Retention;
  readonly #lock: WriterLock | undefined;
  readonly #oldPages = new OldPages();
  /** Commit times of the generations on the disk; `undefined` before the first scan. */
  #times: Map<number, number> | undefined;
  /** Pages that are unneeded since the last commit. */
  #unneeded: readonly OldPage[] = [];
  /** Whether the pages of some generation are unknown. */
  #hasDoubts = false;
  #failure: OrthantError | undefined;

  constructor(disk: Disk, holds: GenerationHolds, retention: Retention, lock?: WriterLock) {
    this.#disk = disk;
    this.#holds = holds;
    this.#retention = retention;
    this.#lock = lock;
  }

  /** Error from removing old generations after the last commit, which stands regardless. */
  get failure(): OrthantError | undefined {
    return this.#failure;
  }

  /** Runs after a commit, with the paths of the pages that only the previous generation had. */
  async afterCommit(live: SaveState, removedPages: readonly string[]): Promise<void> {
    try {
      await this.#retire(live, removedPages);
      this.#failure = undefined;
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      // The commit stands. Failed removals are retried after the next one.
      this.#failure = error;
    }
  }

  async #retire(live: SaveState, removedPages: readonly string[]): Promise<void> {
    if (this.#times === undefined) await this.#scan(live);
    else {
      this.#times.set(live.generation, live.global.lastModifiedMs);
      this.#filePages(oldPages(removedPages, live.generation));
    }
    await this.#removePages();
    await this.#removeGenerations(live);
  }

  /** Removes what was dropped before this commit, whose syncs have made that durable. */
  async #removePages(): Promise<void> {
    for (const page of this.#unneeded) await this.#disk.remove(page.path);
    this.#unneeded = [];
  }

  async #removeGenerations({ generation: current, global }: SaveState): Promise<void> {
    const times = this.#times ?? new Map<number, number>();
    const named = global.description.namedGenerations.map(({ generation }) => generation);
    const dated = Array.from(times, ([generation, atMs]) => ({ generation, atMs }));
    const pinned = new Set([current, ...named, ...this.#holds.generations()]);
    const kept = keptGenerations(dated, pinned, this.#retention);
    for (const generation of [...times.keys()].filter((known) => !kept.has(known))) {
      for (const path of Object.values(generationFiles(generation))) await this.#disk.remove(path);
      times.delete(generation);
      this.#unneeded = [...this.#unneeded, ...this.#oldPages.drop(generation, [...times.keys()])];
    }
  }

  #filePages(pages: readonly OldPage[]): void {
    const generations = [...(this.#times ?? new Map<number, number>()).keys()];
    const unneeded = pages.filter((page) => this.#oldPages.add(page, generations) !== undefined);
    this.#unneeded = [...this.#unneeded, ...unneeded];
  }

  /**
   * Scans the folders for the first time: which generations exist and which pages they need. Files that
   * belong to none of them were left by a crash, or by a removal that a commit has since made durable, and
   * are removed at once. If a generation's index is damaged, its pages are unknown, and all pages stay.
   */
  async #scan(live: SaveState): Promise<void> {
    const paths = await listGenerationFolders(this.#disk);
    const stored = storedGenerations(paths, live.generation);
    const times = new Map<number, number>();
    for (const generation of stored) times.set(generation, await this.#timeOf(generation));
    const needed = new Set(await live.index.pageFiles());
    const old: OldPage[] = [];
    let newer: Pick<SaveState, "generation" | "index"> = live;
    for (const generation of stored.filter((other) => other < live.generation)) {
      const index = await this.#indexOf(generation);
      if (index === undefined) continue;
      const { removedPages } = await changeBetween(index, newer.index);
      old.push(...oldPages(removedPages, newer.generation));
      newer = { generation, index };
    }
    this.#times = times;
    this.#filePages(old.filter(({ path }) => !needed.has(path)));
    for (const { path } of old) needed.add(path);
    await this.#removeStrays(paths, needed);
  }

  /** Returns the commit time of a generation. A damaged one counts as very old and is retired in its turn. */
  async #timeOf(generation: number): Promise<number> {
    try {
      return (await readGlobal(this.#disk, generationFiles(generation).globalFile)).lastModifiedMs;
    } catch (error) {
      if (isDamage(error)) return 0;
      throw error;
    }
  }

  async #indexOf(generation: number): Promise<LeafIndex | undefined> {
    try {
      return (await readIndex(this.#disk, generationFiles(generation).indexFile)).index;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#hasDoubts = true;
      return undefined;
    }
  }

  async #removeStrays(paths: readonly string[], neededPages: ReadonlySet<string>): Promise<void> {
    for (const path of paths) {
      const unfinished = pathOfTemporary(path);
      const plain = unfinished ?? path;
      if (unfinished === MANIFEST_FILE) await this.#removeOldManifest(path);
      const generation = parseGenerationFile(plain)?.generation;
      if (generation === undefined && parsePageFile(plain) === undefined) continue;
      const isNeeded =
        generation === undefined
          ? neededPages.has(plain) || this.#hasDoubts
          : this.#times?.has(generation) === true;
      if (unfinished !== undefined || !isNeeded) await this.#disk.remove(path);
    }
  }

  /** Removes the unfinished manifest of a writer that had the lock before. A compaction may be writing our own. */
  async #removeOldManifest(path: string): Promise<void> {
    if (path !== temporaryPath(MANIFEST_FILE, this.#lock)) await this.#disk.remove(path);
  }
}

/** Returns pages that are unneeded from a generation on. */
function oldPages(paths: readonly string[], until: number): readonly OldPage[] {
  return paths.map((path) => ({ path, from: parsePageFile(path)?.generation ?? 0, until }));
}

/** A page of the index that the live generation does not need. */
interface OldPage {
  readonly path: string;
  /** Generation that wrote it. */
  readonly from: number;
  /** First generation without it. */
  readonly until: number;
}

/** The pages that only older generations need. */
class OldPages {
  /** Each page is filed under the oldest generation that needs it, because old ones stay longest. */
  readonly #byGeneration = new Map<number, OldPage[]>();

  /** Files a page. Returns it if none of these generations needs it. */
  add(page: OldPage, generations: readonly number[]): OldPage | undefined {
    const owner = ownerOf(page, generations);
    if (owner === undefined) return page;
    const pages = getOrAdd(this.#byGeneration, owner, () => []);
    pages.push(page);
    return undefined;
  }

  /** Drops a generation, which must not be among `generations`. Returns the pages that none of them needs. */
  drop(generation: number, generations: readonly number[]): readonly OldPage[] {
    const pages = this.#byGeneration.get(generation) ?? [];
    this.#byGeneration.delete(generation);
    return pages.filter((page) => this.add(page, generations) !== undefined);
  }
}

function ownerOf({ from, until }: OldPage, generations: readonly number[]): number | undefined {
  let owner: number | undefined;
  for (const generation of generations) {
    const needsIt = generation >= from && generation < until;
    if (needsIt && (owner === undefined || generation < owner)) owner = generation;
  }
  return owner;
}
