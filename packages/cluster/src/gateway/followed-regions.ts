import { type Box, type Chunk, isOrthantError, type Position } from "@orthant/core";
import { PositionMap, positionsLexicographic, regionBox, regionsTouching } from "@orthant/core/lattice";
import { CLOCK_NEVER, type ClockChange, type WorldState } from "@orthant/core/tree";
import { chunkAfter, type JournalChunk } from "@orthant/save/journal";
import type { EntitiesRecord } from "../shard/entity-record.ts";
import type { RegionAnswer, RegionRequest } from "../shard/owner-messages.ts";
import { decodeShardRecord, type RegionRecord } from "../shard/shard-record.ts";
import { listedRegions } from "../shard/sized-boxes.ts";
import { OwnerQueue, type OwnerQueueContext, type SendRequest } from "./owner-queue.ts";
import { SectorSubscriptions } from "./sector-subscriptions.ts";

/** Dependencies of the followed regions. */
interface FollowedRegionsOptions extends OwnerQueueContext {
  /** The world as generated, without edits. */
  readonly state: WorldState;
  /** Called at once for every change. */
  readonly onChange: (clocks: readonly ClockChange[]) => void;
  /** Called for every record about entities of a followed sector. */
  readonly onEntities: (sector: string, record: EntitiesRecord) => void;
}

/** A region that is wanted by at least one player or caller. */
interface Followed {
  readonly region: Position;
  /** `undefined` until the region first arrives. */
  clock: number | undefined;
  /** Records that do not build on the held clock. They are retried when the region arrives again. */
  readonly early: RegionRecord[];
  /** Chunks of an incomplete answer, and its clock. */
  partial: { readonly clock: number; readonly chunks: JournalChunk[] } | undefined;
  keepers: number;
  /** Time at which the last keeper left. */
  leftMs: number;
  readonly waiting: { readonly clock: number; readonly resolve: () => void }[];
}

/** Regions of a shard requested at once, and regions compared at once. */
const REGIONS_AT_ONCE = 256;
const AUDITS_AT_ONCE = 64;
/** Time for which an unneeded region is still followed. */
const IDLE_MS = 30_000;
/**
 * Unneeded regions that are still followed. Above this, those that were left first are dropped sooner: players who look at
 * many places in a row must not fill the gateway's memory, nor keep owners busy with comparisons.
 */
const IDLE_REGIONS_MAX = 16_384;
/**
 * Interval between comparisons of all regions with their owners. A lost record may be the last one, in which
 * case no later record reveals the gap.
 */
const AUDIT_MS = 5_000;
/** Time after which a stored record that has not arrived counts as lost. */
const RECORD_MS = 250;

/**
 * Copies of regions, kept in step with their owners. Each region is followed before it is requested, so that
 * no record is missed in between. A record that does not build on the held clock reveals a gap, and the
 * region is requested again.
 */
export class FollowedRegions {
  readonly #options: FollowedRegionsOptions;
  readonly #regions = new PositionMap<Followed>();
  readonly #sectors: SectorSubscriptions;
  readonly #queue: OwnerQueue<Followed>;
  readonly #volume: number;
  #state: WorldState;
  #auditedMs: number;

  constructor(options: FollowedRegionsOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#volume = options.state.shape.volume;
    this.#auditedMs = options.time.nowMs();
    this.#sectors = new SectorSubscriptions((sector) =>
      options.backbone.follow(options.world, sector, (record) => this.#receiveRecord(sector, record)),
    );
    this.#queue = new OwnerQueue<Followed>({
      ...options,
      batchMax: REGIONS_AT_ONCE,
      backgroundMax: AUDITS_AT_ONCE,
      shardOf: ({ region }) => options.directory.shardOf(region),
      send: (wanted, request) => this.#send(wanted, request),
    });
  }

  /** The current content of all held regions. */
  get state(): WorldState {
    return this.#state;
  }

  /** Number of followed regions. */
  get size(): number {
    return this.#regions.size;
  }

  /** Returns the clock of a held region; 0 for any other. */
  clockOf(region: Position): number {
    return this.#regions.get(...region)?.clock ?? CLOCK_NEVER;
  }

  /** Returns true if all regions of a box of chunks are held. */
  isLoaded(chunks: Box): boolean {
    // Ends at the first region that is not held, so a huge box takes no longer than all that are.
    for (const region of positionsLexicographic(regionsTouching(chunks)))
      if (this.#regions.get(...region)?.clock === undefined) return false;
    return true;
  }

  /** Resolves when all regions of a box of chunks are held. */
  async load(chunks: Box): Promise<void> {
    await Promise.all(listedRegions(chunks).map((region) => this.#reach(this.#follow(region), CLOCK_NEVER)));
  }

  /** Keeps the regions of a box of chunks until the returned function is called. */
  keep(chunks: Box): () => void {
    const kept = listedRegions(chunks).map((region) => this.#follow(region));
    for (const followed of kept) followed.keepers++;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      for (const followed of kept) {
        followed.keepers--;
        followed.leftMs = this.#options.time.nowMs();
      }
    };
  }

  /**
   * Resolves when the effect of these changes is visible here, for those of their regions that are followed.
   */
  async whenSeen(clocks: readonly ClockChange[]): Promise<void> {
    await Promise.all(
      clocks.map(({ region, after }) => {
        const followed = this.#regions.get(...region);
        if (followed?.clock === undefined || followed.clock >= after) return undefined;
        // The record is late or lost; asking the owner is faster than waiting for the next audit.
        const timer = this.#options.time.wait(RECORD_MS, () => {
          if ((followed.clock ?? 0) < after) this.#queue.add(followed);
        });
        return this.#reach(followed, after).finally(() => timer.cancel());
      }),
    );
  }

  /**
   * Compares all regions, or those of one shard, with their owners. Regions with the most keepers come first.
   */
  audit(shard?: string): void {
    this.#sectors.retry();
    const { directory } = this.#options;
    const due = [...this.#regions.values()].filter(
      ({ region }) => shard === undefined || directory.shardOf(region) === shard,
    );
    for (const followed of due.sort((one, other) => other.keepers - one.keepers))
      this.#queue.addBackground(followed);
  }

  /** Runs periodic work. */
  tick(nowMs: number): void {
    if (nowMs - this.#auditedMs >= AUDIT_MS || nowMs < this.#auditedMs) {
      this.#auditedMs = nowMs;
      this.audit();
    }
    this.#dropIdle(nowMs);
  }

  /** Stops following. */
  close(): void {
    this.#queue.close();
    this.#sectors.close();
  }

  #follow(region: Position): Followed {
    const known = this.#regions.get(...region);
    if (known !== undefined) return known;
    const followed: Followed = {
      region,
      clock: undefined,
      early: [],
      partial: undefined,
      keepers: 0,
      leftMs: this.#options.time.nowMs(),
      waiting: [],
    };
    this.#regions.set(...region, followed);
    const send = (): void => this.#queue.add(followed);
    // Asks even if following fails: the next audit retries it, and later records reveal the gap.
    this.#sectors.enter(region).then(send, send);
    return followed;
  }

  #reach(followed: Followed, clock: number): Promise<void> {
    if (followed.clock !== undefined && followed.clock >= clock) return Promise.resolve();
    return new Promise((resolve) => followed.waiting.push({ clock, resolve }));
  }

  #receiveRecord(sector: string, bytes: Uint8Array): void {
    let record: ReturnType<typeof decodeShardRecord>;
    try {
      record = decodeShardRecord(bytes, this.#volume);
    } catch (error) {
      // Treated as lost: the clock of the next record, or the next audit, reveals the gap.
      if (isOrthantError(error)) return;
      throw error;
    }
    if (record.kind === "entities") this.#options.onEntities(sector, record);
    if (record.kind !== "region") return;
    const followed = this.#regions.get(...record.region);
    if (followed === undefined) return;
    if (followed.clock === record.before) {
      this.#apply(followed, record);
      this.#applyEarly(followed);
    } else if (followed.clock === undefined || record.after > followed.clock) {
      followed.early.push(record);
      this.#queue.add(followed);
    }
  }

  #apply(followed: Followed, { region, before, after, chunks }: RegionRecord): void {
    const changed = chunks.map((change) => [change.position, this.#chunkAfter(change)] as const);
    this.#state = this.#state.setChunks(changed).state;
    this.#reached(followed, { region, before, after });
  }

  #chunkAfter(change: JournalChunk): Chunk {
    return chunkAfter(change, () => this.#state.realizeChunk(...change.position));
  }

  /**
   * Applies the early records that fit now. Those behind another gap stay, and the region is requested again.
   */
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

  async #send(wanted: readonly Followed[], request: SendRequest): Promise<readonly Followed[]> {
    const regions = wanted.map(requestFor);
    const answer = await request({ kind: "regions", regions });
    if (answer.kind !== "regions" || answer.answers.length !== wanted.length) return wanted;
    return wanted.filter((followed, index) => {
      const item = answer.answers[index];
      return item === undefined || !this.#receiveAnswer(followed, item);
    });
  }

  /** Handles an owner's answer about a region. Returns true if the region is complete. */
  #receiveAnswer(followed: Followed, answer: RegionAnswer): boolean {
    if (this.#regions.get(...followed.region) !== followed) return true;
    if (answer.kind === "elsewhere" || answer.kind === "later") return false;
    if (answer.kind === "same") {
      // A region that was never changed has the same clock as one that is not held.
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
    // Records may have overtaken the answer.
    if (followed.clock === undefined || clock > followed.clock) this.#replace(followed, clock, all);
    this.#applyEarly(followed);
    return followed.early.length === 0;
  }

  #replace(followed: Followed, clock: number, chunks: readonly JournalChunk[]): void {
    const { region } = followed;
    let overrides = this.#state.overrides.carve(regionBox(region));
    for (const change of chunks)
      if ("chunk" in change) overrides = overrides.set(change.position, change.chunk);
    this.#state = this.#state.withOverrides(overrides);
    const step = followed.clock === undefined ? undefined : { region, before: followed.clock, after: clock };
    if (followed.clock === undefined) followed.clock = clock;
    this.#reached(followed, step);
  }

  /** Called when a region has arrived for the first time or changed. */
  #reached(followed: Followed, step: ClockChange | undefined): void {
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
    const idle = [...this.#regions.values()].filter(
      ({ keepers, waiting }) => keepers === 0 && waiting.length === 0,
    );
    const excess = idle.length - IDLE_REGIONS_MAX;
    if (excess > 0) idle.sort((one, other) => one.leftMs - other.leftMs);
    for (const [index, followed] of idle.entries())
      if (index < excess || Math.abs(nowMs - followed.leftMs) >= IDLE_MS) this.#drop(followed);
  }

  #drop(followed: Followed): void {
    this.#regions.delete(...followed.region);
    this.#sectors.leave(followed.region);
    this.#queue.remove(followed);
    this.#state = this.#state.withOverrides(this.#state.overrides.carve(regionBox(followed.region)));
  }
}

function requestFor({ region, clock = CLOCK_NEVER, early, waiting, partial }: Followed): RegionRequest {
  let latest = clock;
  for (const { after } of early) latest = Math.max(latest, after);
  for (const awaited of waiting) latest = Math.max(latest, awaited.clock);
  return { region, held: clock, latest, at: partial?.clock ?? 0, from: partial?.chunks.length ?? 0 };
}
