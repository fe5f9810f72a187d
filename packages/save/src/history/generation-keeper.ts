import type { Disk } from "@orthant/disk";
import { isDamage, pathOfTemporary } from "@orthant/disk/files";
import { generationFiles, parseGenerationFile, parsePageFile } from "../codec/file-names.ts";
import { changeBetween } from "../commit/committed-change.ts";
import type { GenerationHolds } from "../commit/generation-holds.ts";
import type { LeafIndex } from "../index/leaf-index.ts";
import { readGlobal, readIndex } from "../read/reader.ts";
import type { SaveState } from "../read/save.ts";
import { type OldPage, OldPages } from "./old-pages.ts";
import { keptGenerations, type Retention } from "./retention.ts";
import { listGenerationFolders, storedGenerations } from "./stored-generations.ts";

/**
 * Retires generations that are not kept: removes their files, and index pages that no other generation needs.
 * Called only after a commit. No removal is synced: one that a crash undoes is harmless, because what a
 * generation needs is removed only once its own removal is durable. Rules S46 and S92.
 */
export class GenerationKeeper {
  readonly #disk: Disk;
  readonly #holds: GenerationHolds;
  readonly #retention: Retention;
  readonly #oldPages = new OldPages();
  /** Commit times of the generations on the disk; `undefined` before the first scan. */
  #times: Map<number, number> | undefined;
  /** Pages that are unneeded since the last commit. */
  #unneeded: readonly OldPage[] = [];
  /** Whether the pages of some generation are unknown. */
  #hasDoubts = false;

  constructor(disk: Disk, holds: GenerationHolds, retention: Retention) {
    this.#disk = disk;
    this.#holds = holds;
    this.#retention = retention;
  }

  /** Runs after a commit, with the paths of the pages that only the previous generation had. */
  async afterCommit(live: SaveState, removedPages: readonly string[]): Promise<void> {
    if (this.#times === undefined) await this.#lookAround(live);
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
  async #lookAround(live: SaveState): Promise<void> {
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
      const generation = parseGenerationFile(plain)?.generation;
      if (generation === undefined && parsePageFile(plain) === undefined) continue;
      const isNeeded =
        generation === undefined
          ? neededPages.has(plain) || this.#hasDoubts
          : this.#times?.has(generation) === true;
      if (unfinished !== undefined || !isNeeded) await this.#disk.remove(path);
    }
  }
}

/** Returns pages that are unneeded from a generation on. */
function oldPages(paths: readonly string[], until: number): readonly OldPage[] {
  return paths.map((path) => ({ path, from: parsePageFile(path)?.generation ?? 0, until }));
}
