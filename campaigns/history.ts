import type { Position } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { boxAt, chunkOfVoxel } from "@orthant/core/lattice";
import { nextTurn } from "@orthant/core/time";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { listGenerations, openSave, type Retention, verifySave } from "@orthant/save";
import { COMPACTION_DEAD_SHARE } from "@orthant/save/internal";
import { FakeTime, Prng } from "@orthant/testkit";
import { DEFAULT_CADENCE } from "@orthant/world";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";

const HOURS = 365 * 24;
const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;
const SAVES_PER_HOUR_MAX = 3;
const EDITS_PER_SAVE = 12;
/** Number of building sites, each a few chunks wide. */
const SITES = 40;
const SITE_VOXELS = 24;
const APART_VOXELS = 400;
const BLOCKS = 200;
const RETENTION: Retention = { newest: 2, hours: 24, days: 30 };
/** Interval at which a generation is tagged. Above `NAMES_MAX` tags, the oldest is removed. */
const NAMED_EVERY_HOURS = 1_000;
const NAMES_MAX = 4;
/** Interval at which a site is rolled back by `DAYS_BACK` days. */
const ROLLED_BACK_EVERY_HOURS = 97;
const DAYS_BACK = 3;
const CHECKED_EVERY_HOURS = 60;
/** Pause of a compaction between slices. An hour has room for many more slices. */
const SLICE_MS = 2;
const SLICES_PER_HOUR = 500;
/**
 * Bytes that packs may take beyond the needed records and a third of those: compaction does not start for
 * less than a MiB or an eighth, does not rewrite the pack being written to, and may be in progress.
 */
const SLACK_BYTES = 3 * 1024 * 1024;
const SLACK_SHARE = 0.2;

/** A year of autosaves, on a fake clock that advances hour by hour. */
export const historyCampaign: Campaign = {
  name: "history",
  summary: "a year of autosaves: what is kept and the disk that it takes stay within the policy's bound",
  goal: HOURS,
  unit: "hours of a year",
  async run(options) {
    const failures: string[] = [];
    const year = await Year.begin(options.seed);
    let hours = 0;
    for (; goesOn(hours, options) && failures.length < FAILURES_MAX; hours++) {
      const fault = await year.hour(hours).catch(String);
      if (fault !== undefined) failures.push(`hour ${hours}: ${fault}`);
      options.progress(hours);
    }
    console.log(`history: ${await year.end()}`);
    return { cases: hours, failures };
  },
};

class Year {
  readonly #disk: MemoryDisk;
  readonly #time: FakeTime;
  readonly #prng: Prng;
  readonly #world: WorldEngine;
  /** Block of each site's middle voxel at the end of each hour. */
  readonly #past: (readonly number[])[] = [];
  readonly #now: number[] = new Array<number>(SITES).fill(0);
  readonly #names: string[] = [];
  #saves = 0;
  #rolledBack = 0;
  #mostBytes = 0;
  #bytesWritten = 0;

  private constructor(disk: MemoryDisk, time: FakeTime, prng: Prng, world: WorldEngine) {
    this.#disk = disk;
    this.#time = time;
    this.#prng = prng;
    this.#world = world;
  }

  static async begin(seed: number): Promise<Year> {
    const disk = new MemoryDisk();
    const time = new FakeTime(Date.UTC(2026, 0, 1));
    const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, BigInt(seed));
    const world = await createWorldEngine(disk, { generator }, { time, retention: RETENTION });
    return new Year(disk, time, new Prng(seed), world);
  }

  /** Plays one hour. Returns the fault found after it, if any. */
  async hour(hour: number): Promise<string | undefined> {
    const startMs = this.#time.nowMs();
    const saves = this.#prng.below(SAVES_PER_HOUR_MAX + 1);
    for (let save = 0; save < saves; save++) await this.#editAndAutosave();
    if (hour % NAMED_EVERY_HOURS === NAMED_EVERY_HOURS - 1) await this.#name(hour);
    const fault = hour % ROLLED_BACK_EVERY_HOURS === 0 ? await this.#rollBack(hour) : undefined;
    await this.#tidyUp();
    this.#time.advance(startMs + HOUR_MS - this.#time.nowMs());
    this.#past.push([...this.#now]);
    if (fault !== undefined) return fault;
    return hour % CHECKED_EVERY_HOURS === CHECKED_EVERY_HOURS - 1 ? this.#check() : undefined;
  }

  /** Lets a running compaction continue, slice by slice, for a moment of the hour. */
  async #tidyUp(): Promise<void> {
    for (let slice = 0; slice < SLICES_PER_HOUR; slice++) {
      this.#time.advance(SLICE_MS);
      await nextTurn();
    }
  }

  /** Closes and verifies the world. Returns a summary of the year. */
  async end(): Promise<string> {
    await this.#world.close();
    const findings = await verifySave(this.#disk);
    if (!isWhole(findings)) throw new Error(`not whole: ${findings[0]?.file}: ${findings[0]?.message}`);
    const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
    return (
      `${this.#saves} saves wrote ${megabytes(this.#bytesWritten)} MB of packs; never more than ` +
      `${megabytes(this.#mostBytes)} MB on the disk; ${this.#rolledBack} places rolled back ${DAYS_BACK} days`
    );
  }

  async #editAndAutosave(): Promise<void> {
    for (let edit = 0; edit < EDITS_PER_SAVE; edit++) await this.#edit(this.#prng.below(SITES));
    const before = await this.#packBytes();
    this.#time.advance(DEFAULT_CADENCE.worldMs);
    await this.#world.save();
    this.#bytesWritten += Math.max(0, (await this.#packBytes()) - before);
    this.#saves++;
  }

  async #edit(site: number): Promise<void> {
    const block = 1 + this.#prng.below(BLOCKS);
    const middle = middleOf(site);
    await this.#world.set(middle, block);
    this.#now[site] = block;
    const around = Array.from({ length: 20 }, () => ({
      voxel: middle.map(
        (at, axis) => at + (axis === 3 ? 0 : 1 + this.#prng.below(SITE_VOXELS)),
      ) as unknown as Position,
      block: this.#prng.below(BLOCKS),
    }));
    await this.#world.edit(around);
  }

  async #name(hour: number): Promise<void> {
    const name = `hour ${hour}`;
    await this.#world.history.tag(name);
    this.#names.push(name);
    const oldest = this.#names.length > NAMES_MAX ? this.#names.shift() : undefined;
    if (oldest !== undefined) await this.#world.history.untag(oldest);
  }

  /** Rolls a site back to three days ago while editing another one. */
  async #rollBack(hour: number): Promise<string | undefined> {
    const then = hour - DAYS_BACK * HOURS_PER_DAY;
    const kept = await this.#world.history.generations();
    const at = new Date(this.#time.nowMs() - DAYS_BACK * HOURS_PER_DAY * HOUR_MS);
    if (then < HOURS_PER_DAY || !kept.some(({ savedMs }) => savedMs <= at.getTime())) return undefined;
    const site = this.#prng.below(SITES);
    const other = (site + 1) % SITES;
    const generation = await this.#world.history.generationAt(at);
    const savedMs = kept.find((one) => one.generation === generation)?.savedMs ?? 0;
    const chunk = chunkOfVoxel(this.#world.shape, middleOf(site));
    const [, found] = await Promise.all([
      this.#edit(other),
      this.#world.restoreRegion(boxAt(chunk), at).then(() => this.#world.get(middleOf(site))),
    ]);
    this.#rolledBack++;
    this.#now[site] = found;
    const expected = this.#blockAt(site, savedMs);
    if (found !== expected)
      return `site ${site} is ${found} after rolling back to ${savedMs}, not ${expected}`;
    const elsewhere = await this.#world.get(middleOf(other));
    return elsewhere === this.#now[other]
      ? undefined
      : `site ${other} is ${elsewhere}, not ${this.#now[other]}`;
  }

  /** Returns a site's block at the end of the hour of a save. The policy keeps each hour's last save. */
  #blockAt(site: number, savedMs: number): number {
    const hour = Math.floor((savedMs - Date.UTC(2026, 0, 1)) / HOUR_MS);
    return this.#past[hour]?.[site] ?? Number.NaN;
  }

  async #check(): Promise<string | undefined> {
    const generations = await listGenerations(this.#disk);
    const most = RETENTION.newest + RETENTION.hours + RETENTION.days + this.#names.length + 1;
    if (generations.length > most) return `${generations.length} generations are kept, the limit is ${most}`;
    const needed = await this.#neededBytes(generations.map(({ generation }) => generation));
    const bytes = await this.#packBytes();
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
    const bound = (needed / (1 - COMPACTION_DEAD_SHARE)) * (1 + SLACK_SHARE) + SLACK_BYTES;
    return bytes <= bound ? undefined : `packs of ${bytes} bytes, the limit is ${Math.round(bound)}`;
  }

  /** Counts the bytes of all records that some generation refers to, without using the compaction code. */
  async #neededBytes(generations: readonly number[]): Promise<number> {
    const records = new Map<string, number>();
    for (const generation of generations) {
      const save = await openSave(this.#disk, { generation });
      for await (const { chunkRefs, entityRefs } of save.index.all()) {
        for (const { packId, recordOffset, recordBytes } of [...chunkRefs, ...entityRefs]) {
          records.set(`${packId} ${recordOffset}`, recordBytes);
        }
      }
      await save.close();
    }
    return [...records.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  async #packBytes(): Promise<number> {
    let bytes = 0;
    for (const { name } of await this.#disk.list("data")) {
      const file = await this.#disk.open(`data/${name}`, "read");
      bytes += await file.size();
      await file.close();
    }
    return bytes;
  }
}

function middleOf(site: number): Position {
  return [(site % 8) * APART_VOXELS, 0, Math.floor(site / 8) * APART_VOXELS, 0];
}
