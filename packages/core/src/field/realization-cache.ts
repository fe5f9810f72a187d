import type { Chunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Box, boxContains } from "../lattice/box.ts";
import type { Place } from "../lattice/place.ts";
import { CacheEntry } from "./cache-entry.ts";
import { type CacheLimits, ProfileCache } from "./profile-cache.ts";

/** What a chunk is realized for. Each purpose has its own share of memory. */
export type RealizeProfile = "render" | "simulation";

const MEBIBYTE = 1024 * 1024;

/** How much memory the chunks that are drawn may take. */
export const RENDER_CACHE_LIMITS: CacheLimits = { softBytes: 256 * MEBIBYTE, hardBytes: 384 * MEBIBYTE };
/** How much memory the chunks that are simulated may take. */
export const SIMULATION_CACHE_LIMITS: CacheLimits = { softBytes: 64 * MEBIBYTE, hardBytes: 96 * MEBIBYTE };

/** What a cached chunk is known by. */
export interface RealizationKey {
  /** The snapshot that asks. */
  readonly epoch: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly profile: RealizeProfile;
  readonly versionHash: bigint;
}

interface PastEdit {
  readonly epoch: number;
  readonly boxes: readonly Box[];
}

/**
 * Realized chunks of one world. A chunk that is cached for one snapshot serves later ones too, until an edit touches
 * its place. The newest snapshot is live, and so are older ones that somebody holds; the rest are forgotten.
 */
export class RealizationCache {
  readonly #profiles: Readonly<Record<RealizeProfile, ProfileCache>>;
  /** How often each older or newest snapshot is held. */
  readonly #holds = new Map<number, number>();
  /** The edits that snapshots which are held have not seen. */
  #edits: readonly PastEdit[] = [];
  #newestEpoch = 0;
  #tick = 0;

  constructor(limits: Partial<Readonly<Record<RealizeProfile, CacheLimits>>> = {}) {
    this.#profiles = {
      render: new ProfileCache(limits.render ?? RENDER_CACHE_LIMITS),
      simulation: new ProfileCache(limits.simulation ?? SIMULATION_CACHE_LIMITS),
    };
  }

  /** The newest snapshot. */
  get newestEpoch(): number {
    return this.#newestEpoch;
  }

  /** Bytes that the chunks of a profile take. */
  bytesOf(profile: RealizeProfile): number {
    return this.#profiles[profile].bytes;
  }

  /** How many chunks of a profile are cached. */
  countOf(profile: RealizeProfile): number {
    return this.#profiles[profile].size;
  }

  /** Says what time it is: what was used in an earlier tick is evicted before what is used now. */
  startTick(tick: number): void {
    if (!(tick >= this.#tick)) throw new OrthantError("ORT_ARGUMENT", `tick ${tick} after ${this.#tick}`);
    this.#tick = tick;
  }

  /** The chunk that is cached for a key. */
  get({ epoch, x, y, z, w, profile, versionHash }: RealizationKey): Chunk | undefined {
    if (!this.#isLive(epoch)) return undefined;
    const cache = this.#profiles[profile];
    const entry = cache.find(epoch, x, y, z, w, versionHash);
    if (entry === undefined) return undefined;
    cache.touch(entry, this.#tick);
    return entry.chunk;
  }

  /** Caches a chunk and tells whether there was room for it and somebody who may ask for it. */
  put(key: RealizationKey, chunk: Chunk): boolean {
    const { epoch, x, y, z, w, profile } = key;
    if (!this.#isLive(epoch)) return false;
    const nextEdit = this.#edits.find(
      (edit) => edit.epoch > epoch && edit.boxes.some((box) => boxContains(box, [x, y, z, w])),
    );
    const untilEpoch = nextEdit?.epoch ?? Number.POSITIVE_INFINITY;
    return this.#profiles[profile].add(new CacheEntry(key, chunk, epoch, untilEpoch, this.#tick));
  }

  /** Keeps what is cached for a place from being evicted until it is unpinned as often. */
  pin(profile: RealizeProfile, [x, y, z, w]: Place): void {
    this.#profiles[profile].pin(x, y, z, w);
  }

  /** Takes one pin back; `ORT_ARGUMENT` when there is none. */
  unpin(profile: RealizeProfile, place: Place): void {
    if (this.#profiles[profile].unpin(...place)) return;
    throw new OrthantError("ORT_ARGUMENT", `[${place}] is not pinned for ${profile}`);
  }

  /** Begins a new snapshot that differs from the newest one in these boxes, and gives its epoch. */
  advance(changed: readonly Box[]): number {
    const epoch = ++this.#newestEpoch;
    for (const cache of Object.values(this.#profiles)) for (const box of changed) cache.close(box, epoch);
    if (this.#holds.size > 0) this.#edits = [...this.#edits, { epoch, boxes: changed }];
    this.#forgetRetired();
    return epoch;
  }

  /** Keeps a live snapshot live; `ORT_ARGUMENT` when it is forgotten already. */
  hold(epoch: number): void {
    if (!this.#isLive(epoch)) throw new OrthantError("ORT_ARGUMENT", `snapshot ${epoch} is retired`);
    this.#holds.set(epoch, (this.#holds.get(epoch) ?? 0) + 1);
  }

  /** Takes one hold back; an older snapshot that nobody holds is retired, and what only it used is dropped. */
  release(epoch: number): void {
    const count = this.#holds.get(epoch);
    if (count === undefined) throw new OrthantError("ORT_ARGUMENT", `nobody holds snapshot ${epoch}`);
    if (count > 1) this.#holds.set(epoch, count - 1);
    else this.#holds.delete(epoch);
    this.#forgetRetired();
  }

  #isLive(epoch: number): boolean {
    return epoch === this.#newestEpoch || this.#holds.has(epoch);
  }

  #forgetRetired(): void {
    const live = [...this.#holds.keys(), this.#newestEpoch];
    const oldest = Math.min(...live);
    if (this.#edits.length > 0) this.#edits = this.#edits.filter(({ epoch }) => epoch > oldest);
    for (const cache of Object.values(this.#profiles)) cache.dropPast(live);
  }
}
