import {
  type Box,
  type Chunk,
  CLOCK_NEVER,
  type ClockStep,
  isOrthantError,
  type Place,
  PlaceMap,
  placesLexicographic,
  regionBox,
  regionsTouching,
  type WorldField,
} from "@orthant/core";
import type { JournalChunk } from "@orthant/formats";
import type { PublishedRecord } from "../engine/engine.ts";
import type { RegionAnswer, RegionWish } from "../shard/owner-message.ts";
import { decodeRecord, type RegionRecord } from "../shard/shard-record.ts";
import { CellFollowers } from "./cell-followers.ts";
import { type Ask, OwnerLine, type OwnerLineSetting } from "./owner-line.ts";

/** What followed regions are given. */
export interface FollowedRegionsOptions extends OwnerLineSetting {
  /** The world as the generator makes it. */
  readonly field: WorldField;
  /** Told of every change, at its moment. */
  readonly onChange: (steps: readonly ClockStep[]) => void;
}

/** A region that somebody wants to see. */
interface Followed {
  readonly region: Place;
  /** `undefined` until it has come for the first time. */
  clock: number | undefined;
  /** Records that do not fit what is held: they are tried again when the region has come anew. */
  readonly early: RegionRecord[];
  /** Chunks of an answer that goes on, and its clock. */
  partial: { readonly clock: number; readonly chunks: JournalChunk[] } | undefined;
  keepers: number;
  /** When nobody kept it any more. */
  leftMs: number;
  readonly waiting: { readonly clock: number; readonly resolve: () => void }[];
}

/** So many regions of a shard are asked for at once, and so many compared. */
const WISHES_AT_ONCE = 256;
const AUDITS_AT_ONCE = 64;
/** A region that nobody needs is followed for so long. */
const IDLE_MS = 30_000;
/** All regions are compared with their owners' so often: what was lost on the way may be the last that came. */
const AUDIT_MS = 5_000;
/** A record that was stored is here after so long, or lost. */
const RECORD_MS = 250;

/**
 * Copies of regions that are kept like their owners'. Each is followed first and asked for then, so that nothing falls
 * between; a record that does not fit the clock that is held shows a gap, and the region is asked for again.
 */
export class FollowedRegions {
  readonly #options: FollowedRegionsOptions;
  readonly #regions = new PlaceMap<Followed>();
  readonly #cells: CellFollowers;
  readonly #line: OwnerLine<Followed>;
  readonly #volume: number;
  #field: WorldField;
  #auditedMs: number;

  constructor(options: FollowedRegionsOptions) {
    this.#options = options;
    this.#field = options.field;
    this.#volume = options.field.shape.volume;
    this.#auditedMs = options.clock.nowMs();
    this.#cells = new CellFollowers((cell) =>
      options.engine.follow(options.world, cell, (record) => this.#take(record)),
    );
    this.#line = new OwnerLine<Followed>({
      ...options,
      batchMax: WISHES_AT_ONCE,
      patientMax: AUDITS_AT_ONCE,
      shardOf: ({ region }) => options.directory.shardOf(region),
      send: (wanted, ask) => this.#ask(wanted, ask),
    });
  }

  /** Everything that is held, as it is now. */
  get field(): WorldField {
    return this.#field;
  }

  /** How many regions are followed. */
  get size(): number {
    return this.#regions.size;
  }

  /** The clock of a region that is held; 0 for any other. */
  clockOf(region: Place): number {
    return this.#regions.get(...region)?.clock ?? CLOCK_NEVER;
  }

  /** Whether all regions of a box of chunks are held. */
  isLoaded(chunks: Box): boolean {
    for (const region of placesLexicographic(regionsTouching(chunks)))
      if (this.#regions.get(...region)?.clock === undefined) return false;
    return true;
  }

  /** Resolves when all regions of a box of chunks are held. */
  async load(chunks: Box): Promise<void> {
    const regions = [...placesLexicographic(regionsTouching(chunks))];
    await Promise.all(regions.map((region) => this.#reach(this.#follow(region), CLOCK_NEVER)));
  }

  /** Keeps the regions of a box of chunks until the function returned is called. */
  keep(chunks: Box): () => void {
    const kept = Array.from(placesLexicographic(regionsTouching(chunks)), (region) => this.#follow(region));
    for (const followed of kept) followed.keepers++;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      for (const followed of kept) {
        followed.keepers--;
        followed.leftMs = this.#options.clock.nowMs();
      }
    };
  }

  /** Resolves when what these steps did can be seen here, as far as their regions are followed. */
  async whenSeen(steps: readonly ClockStep[]): Promise<void> {
    await Promise.all(
      steps.map(({ region, after }) => {
        const followed = this.#regions.get(...region);
        if (followed?.clock === undefined || followed.clock >= after) return undefined;
        // The record is on its way, or was lost; to ask is quicker than to wait and see.
        const timer = this.#options.clock.wait(RECORD_MS, () => {
          if ((followed.clock ?? 0) < after) this.#line.add(followed);
        });
        return this.#reach(followed, after).finally(() => timer.cancel());
      }),
    );
  }

  /** Compares everything with its owners, or what belongs to one shard; what most look at comes first. */
  audit(shard?: string): void {
    this.#cells.retry();
    const { directory } = this.#options;
    const due = [...this.#regions.values()].filter(
      ({ region }) => shard === undefined || directory.shardOf(region) === shard,
    );
    for (const followed of due.sort((one, other) => other.keepers - one.keepers))
      this.#line.addPatient(followed);
  }

  /** Does what is due. */
  tick(nowMs: number): void {
    if (nowMs - this.#auditedMs >= AUDIT_MS || nowMs < this.#auditedMs) {
      this.#auditedMs = nowMs;
      this.audit();
      this.#dropIdle(nowMs);
    }
  }

  /** Follows nothing more. */
  close(): void {
    this.#line.close();
    this.#cells.close();
  }

  #follow(region: Place): Followed {
    const known = this.#regions.get(...region);
    if (known !== undefined) return known;
    const followed: Followed = {
      ...{ region, clock: undefined, early: [], partial: undefined, waiting: [] },
      ...{ keepers: 0, leftMs: this.#options.clock.nowMs() },
    };
    this.#regions.set(...region, followed);
    const ask = (): void => this.#line.add(followed);
    // Also when it cannot be followed now: the next audit tries again, and what comes meanwhile shows the gap.
    this.#cells.enter(region).then(ask, ask);
    return followed;
  }

  #reach(followed: Followed, clock: number): Promise<void> {
    if (followed.clock !== undefined && followed.clock >= clock) return Promise.resolve();
    return new Promise((resolve) => followed.waiting.push({ clock, resolve }));
  }

  #take(published: PublishedRecord): void {
    let record: ReturnType<typeof decodeRecord>;
    try {
      record = decodeRecord(published.bytes, this.#volume);
    } catch (error) {
      // As if it had not come: the clock of the next one, or the next audit, shows the gap.
      if (isOrthantError(error)) return;
      throw error;
    }
    if (record.kind !== "region") return;
    const followed = this.#regions.get(...record.region);
    if (followed === undefined) return;
    if (followed.clock === record.before) {
      this.#apply(followed, record);
      this.#applyEarly(followed);
    } else if (followed.clock === undefined || record.after > followed.clock) {
      followed.early.push(record);
      this.#line.add(followed);
    }
  }

  #apply(followed: Followed, { region, before, after, chunks }: RegionRecord): void {
    const changed = chunks.map((change) => [change.place, this.#chunkAfter(change)] as const);
    this.#field = this.#field.setChunks(changed).field;
    this.#reached(followed, { region, before, after });
  }

  #chunkAfter(change: JournalChunk): Chunk {
    if ("chunk" in change) return change.chunk;
    return this.#field.realizeChunk(...change.place).edit(change.edits);
  }

  /** Makes what came too early, as far as it fits now; what is behind another gap is asked for. */
  #applyEarly(followed: Followed): void {
    for (;;) {
      const { clock = CLOCK_NEVER } = followed;
      const next = followed.early.findIndex(({ before }) => before === clock);
      if (next < 0) break;
      for (const record of followed.early.splice(next, 1)) this.#apply(followed, record);
    }
    const later = followed.early.filter(({ after }) => after > (followed.clock ?? CLOCK_NEVER));
    followed.early.splice(0, followed.early.length, ...later);
  }

  async #ask(wanted: readonly Followed[], ask: Ask): Promise<readonly Followed[]> {
    const wishes = wanted.map(wishFor);
    const answer = await ask({ kind: "regions", wishes });
    if (answer.kind !== "regions" || answer.answers.length !== wanted.length) return wanted;
    return wanted.filter((followed, index) => {
      const told = answer.answers[index];
      return told === undefined || !this.#takeAnswer(followed, told);
    });
  }

  /** Takes what an owner says of a region; tells whether that was all. */
  #takeAnswer(followed: Followed, answer: RegionAnswer): boolean {
    if (this.#regions.get(...followed.region) !== followed) return true;
    if (answer.kind === "elsewhere" || answer.kind === "later") return false;
    if (answer.kind === "same") {
      // A region that nobody ever changed is the same as one that is not held.
      if (followed.clock === undefined) this.#reached(followed, undefined);
      followed.partial = undefined;
      this.#applyEarly(followed);
      return followed.early.length === 0;
    }
    const { clock, chunks, more } = answer;
    const before = followed.partial?.clock === clock ? followed.partial.chunks : [];
    followed.partial = { clock, chunks: [...before, ...chunks] };
    if (more) return false;
    const all = followed.partial.chunks;
    followed.partial = undefined;
    // Records may have been faster than the answer.
    if (followed.clock === undefined || clock > followed.clock) this.#replace(followed, clock, all);
    this.#applyEarly(followed);
    return followed.early.length === 0;
  }

  #replace(followed: Followed, clock: number, chunks: readonly JournalChunk[]): void {
    const { region } = followed;
    let overrides = this.#field.overrides.carve(regionBox(region));
    for (const change of chunks) if ("chunk" in change) overrides = overrides.set(change.place, change.chunk);
    this.#field = this.#field.withOverrides(overrides);
    const step = followed.clock === undefined ? undefined : { region, before: followed.clock, after: clock };
    if (followed.clock === undefined) followed.clock = clock;
    this.#reached(followed, step);
  }

  /** A region has come for the first time, or changed. */
  #reached(followed: Followed, step: ClockStep | undefined): void {
    followed.clock = step?.after ?? followed.clock ?? CLOCK_NEVER;
    const { clock } = followed;
    if (step !== undefined) this.#options.onChange([step]);
    if (followed.waiting.length === 0) return;
    const waiting = followed.waiting.splice(0);
    for (const one of waiting) {
      if (one.clock <= clock) one.resolve();
      else followed.waiting.push(one);
    }
  }

  #dropIdle(nowMs: number): void {
    for (const followed of [...this.#regions.values()]) {
      const isNeeded = followed.keepers > 0 || followed.waiting.length > 0;
      if (isNeeded || nowMs - followed.leftMs < IDLE_MS) continue;
      this.#regions.delete(...followed.region);
      this.#cells.leave(followed.region);
      this.#line.remove(followed);
      this.#field = this.#field.withOverrides(this.#field.overrides.carve(regionBox(followed.region)));
    }
  }
}

function wishFor({ region, clock = CLOCK_NEVER, early, waiting, partial }: Followed): RegionWish {
  let heard = clock;
  for (const { after } of early) heard = Math.max(heard, after);
  for (const awaited of waiting) heard = Math.max(heard, awaited.clock);
  return { region, held: clock, heard, at: partial?.clock ?? 0, from: partial?.chunks.length ?? 0 };
}
