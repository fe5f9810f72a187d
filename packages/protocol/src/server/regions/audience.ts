import type { Position } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import { PositionMap } from "@orthant/core/lattice";
import { CLOCK_WRAP_MS } from "../../message/limits.ts";
import { writeServerMessage } from "../../message/server-frame-codec.ts";
import type { GridEntity } from "../entities/grid-entity.ts";
import type { SyncLimits } from "../sync-limits.ts";
import type { ClientEncoding } from "./client-encoding.ts";
import {
  type EncodedChange,
  fitsOnePatch,
  PatchAllowance,
  type SharedChange,
  type SharedChangeList,
  type SharedPatch,
  type SharedTick,
} from "./region-changes.ts";
import {
  type EntityRange,
  type Holding,
  UNSENT,
  type WatchedRegions,
  type Watcher,
} from "./watched-regions.ts";

/** A client of an audience. */
export interface Member {
  /** Whether it has work of its own in this tick, and is sent with it what its audience gets. */
  readonly hasTurn: boolean;
  /** Sends what its audience gets in this tick. */
  sendShared(patches: readonly SharedPatch[], entities: readonly EncodedMessages[]): void;
  /** Sends it, where an edit of several regions is in parts. */
  sendParts(patches: readonly SharedPatch[], entities: readonly EncodedMessages[], nowMs: number): void;
  /** Gives it work of its own in the next tick. */
  wake(): void;
  detailsChanged(entities: Iterable<GridEntity>): void;
  answer(nowMs: number): void;
  rangeOf(region: Position): EntityRange;
}

/** The bytes of some messages. */
export interface EncodedMessages {
  readonly bytes: Uint8Array;
  readonly count: number;
}

const NO_MESSAGES: readonly EncodedMessages[] = [];
const NO_PATCHES: readonly SharedPatch[] = [];
/** Messages about entities up to this size are joined, so that all clients get them with one copy. */
const JOINED_BYTES_MAX = 65_536;
const JOINED_MESSAGES_MAX = 64;

/** Shared, because only one audience encodes at a time. */
const writer: ByteWriter = new ByteWriter(4_096);

/**
 * Clients that hold the same regions at the same clocks, with one record of them: what a tick changes there is found
 * and encoded once, and each client gets the same bytes. A client is alone in its audience while it gets something
 * that others do not: regions that it asked for, those that it missed, all entities.
 */
export class Audience implements Watcher {
  readonly encoding: ClientEncoding;
  readonly holdings: PositionMap<Holding> = new PositionMap<Holding>();
  /** What a client that is alone may still get in this tick; of an audience, what changes may take. */
  readonly allowance: PatchAllowance = new PatchAllowance();
  /**
   * Whether an edit of several regions has changed some that are held here, since the clients had everything: then they
   * see all of it at once.
   */
  isTorn = false;
  /** The key by which other clients find the audience; `undefined` while they may not join it. */
  key: string | undefined;
  /** The region where the players of an audience of several are. */
  home: Position | undefined;
  /** Whether the client's list of entities is outdated. It is alone then. */
  isStale = false;
  readonly #members: Member[] = [];
  readonly #tick: SharedTick;
  readonly #limits: Pick<SyncLimits, "patchesPerTick" | "wholeRegionBytesPerTick">;
  #startedTick = -1;
  /** Whether it is listed among those with news in this tick. */
  #isListed = false;
  #maySend = true;
  #mayShare = false;
  #behind: Holding[] = [];
  /** What this tick has changed so far, and the clocks from before. */
  #changed: { readonly holding: Holding; readonly before: number }[] = [];
  #changeList: SharedChangeList | undefined;
  #entityChanges: Uint8Array[] = [];
  /** What is sent of them, once it was asked for. */
  #entityMessages: readonly EncodedMessages[] | undefined;
  #hadEntityChanges = false;
  /** Whether the holdings have interest ids of several clients. */
  #wasShared = false;

  constructor(tick: SharedTick, limits: SyncLimits, encoding: ClientEncoding, member: Member) {
    this.#tick = tick;
    this.#limits = limits;
    this.encoding = encoding;
    this.#members.push(member);
  }

  /** Number of clients. */
  get size(): number {
    return this.#members.length;
  }

  /** True when some regions changed since the clocks that were sent. */
  get isBehind(): boolean {
    return this.#behind.length > 0;
  }

  /**
   * Begins a tick, unless another client of the audience has. `maySend` is false when the client gets nothing in it,
   * `mayShare` when nothing may come between what it is being sent.
   */
  startTick(maySend: boolean, mayShare: boolean, isWaiting: boolean): void {
    if (this.#startedTick === this.#tick.number) return;
    this.#startedTick = this.#tick.number;
    if (!this.isBehind) this.isTorn = false;
    this.#maySend = maySend;
    this.#mayShare = maySend && mayShare;
    this.#changeList = undefined;
    if (this.#changed.length > 0) this.#changed = [];
    if (this.#entityChanges.length > 0) this.#entityChanges = [];
    this.#entityMessages = undefined;
    this.allowance.startTick(this.#limits.patchesPerTick, this.#limits.wholeRegionBytesPerTick, isWaiting);
    this.#isListed = false;
    if (this.#hadEntityChanges) this.#list();
  }

  #list(): void {
    // No client of the audience may have work of its own in this tick.
    this.startTick(true, true, false);
    if (this.#isListed) return;
    this.#isListed = true;
    this.#tick.news.push(this);
  }

  /** A held region has changed from one clock to the next. */
  regionChanged(holding: Holding, change: SharedChange): void {
    if (change.isJoint && this.size > 0 && holding.clock !== UNSENT) this.isTorn = true;
    if (this.size === 0 || holding.clock < 0 || holding.isQueued || holding.isBehind) return;
    this.#list();
    const follows = this.#mayShare && holding.clock === change.before;
    const encoded = follows ? change.encoded(this.encoding.of(change.region)) : undefined;
    if (encoded === undefined || !fitsOnePatch(encoded) || !this.allowance.takeLive(encoded)) {
      this.fallBehind(holding);
      return;
    }
    this.#changed.push({ holding, before: holding.clock });
    holding.clock = change.after;
    this.#add(encoded);
  }

  #add(encoded: EncodedChange): void {
    this.#changeList = (this.#changeList ?? this.#tick.changeList(this.encoding.usual)).with(encoded);
  }

  /** Records a change of a held region that was not sent. */
  fallBehind(holding: Holding): void {
    if (holding.isBehind || holding.slot < 0) return;
    holding.isBehind = true;
    this.#behind.push(holding);
    // The next tick sends it, to each alone.
    for (const member of this.#members) member.wake();
  }

  /** The regions that are behind. */
  get behind(): readonly Holding[] {
    return this.#behind;
  }

  /** Returns the regions that are behind. The caller updates them or lets them fall behind again. */
  takeBehind(): readonly Holding[] {
    const behind = this.#behind.filter((holding) => holding.isBehind && holding.slot >= 0);
    this.#behind = [];
    for (const holding of behind) holding.isBehind = false;
    return behind;
  }

  /** Returns the patches with the changes of this tick. */
  patches(volume: number): readonly SharedPatch[] {
    return this.#changeList?.patches(volume) ?? NO_PATCHES;
  }

  /** True when the tick has changed regions. */
  get hasPatches(): boolean {
    return this.#changeList !== undefined;
  }

  /** Forgets the patches that the only client was sent, which may get other regions before the next tick. */
  patchesSent(): void {
    if (this.size === 1) this.#changeList = undefined;
  }

  /** Adds a message about entities in a held region. */
  entitiesChanged(message: Uint8Array): void {
    this.#list();
    if (!this.#maySend) this.isStale = true;
    if (!this.isStale && this.size > 0) this.#entityChanges.push(message);
  }

  /**
   * Returns the tick's messages about entities, behind the time of the tick. The tick after the last ones has the time,
   * too: it says that nothing moved on. Rule N56.
   */
  entityMessages(nowMs: number): readonly EncodedMessages[] {
    this.#entityMessages ??= this.#encodeEntities(nowMs);
    return this.#entityMessages;
  }

  #encodeEntities(nowMs: number): readonly EncodedMessages[] {
    const changes = this.#entityChanges;
    const isClockDue = this.isStale || changes.length > 0 || this.#hadEntityChanges;
    this.#hadEntityChanges = this.isStale || changes.length > 0;
    if (!isClockDue) return NO_MESSAGES;
    writer.clear();
    writeServerMessage(writer, { kind: "clock", timeMs: Math.floor(nowMs) % CLOCK_WRAP_MS }, undefined);
    const messages: EncodedMessages[] = [];
    let count = 1;
    for (const change of changes) {
      if (count === JOINED_MESSAGES_MAX || (count > 0 && writer.length + change.length > JOINED_BYTES_MAX)) {
        messages.push({ bytes: writer.copy(), count });
        writer.clear();
        count = 0;
      }
      writer.raw(change);
      count++;
    }
    messages.push({ bytes: writer.copy(), count });
    return messages;
  }

  detailsChanged(entities: Iterable<GridEntity>): void {
    for (const member of this.#members) member.detailsChanged(entities);
  }

  holdingAt([x, y, z, w]: Position): Holding | undefined {
    return this.holdings.get(x, y, z, w);
  }

  rangeOf(region: Position): EntityRange {
    return this.#members[0]?.rangeOf(region) ?? "far";
  }

  answer(nowMs: number): void {
    for (const member of this.#members) member.answer(nowMs);
  }

  /** Forgets which interests the regions were in, as far as they were those of other clients. */
  forgetInterests(): void {
    if (!this.#wasShared) return;
    this.#wasShared = false;
    this.holdings.forEach((holding) => {
      holding.interestId = 0;
    });
  }

  /** Whether a client with `other` of its own has the same, so that it may join. */
  #equals(other: Audience): boolean {
    if (this.isStale || other.isStale || this.isBehind || other.isBehind) return false;
    if (this.holdings.size !== other.holdings.size) return false;
    for (const [, one] of this.holdings) {
      const same = other.holdingAt(one.region.position);
      if (same === undefined || one.clock < 0 || one.isQueued || same.isQueued) return false;
      const hasOtherClock = one.clock !== same.clock;
      // Those near a region have poses that others have not been sent yet.
      const hasOtherRange = one.range !== same.range;
      if (hasOtherClock || hasOtherRange) return false;
    }
    return true;
  }

  /** Takes over a client that is alone, if it has the same as this audience. Returns whether it did. */
  takeOver(own: Audience, regions: WatchedRegions): boolean {
    const [member] = own.#members;
    if (member === undefined || !this.#equals(own)) return false;
    this.#members.push(member);
    this.#wasShared = true;
    // The next tick says that what moved has stopped.
    this.#hadEntityChanges ||= own.#hadEntityChanges;
    own.#members.length = 0;
    regions.countShared(own.holdings.size);
    for (const [, holding] of own.holdings) regions.leave(holding);
    own.holdings.clear();
    return true;
  }

  /** Sends what is new in this tick to all clients that have no work of their own in it. */
  send(volume: number, nowMs: number): void {
    const patches = this.patches(volume);
    const entities = this.entityMessages(nowMs);
    const isInParts = this.isInParts(patches);
    // A client that cannot be sent it leaves.
    for (const member of [...this.#members]) {
      if (member.hasTurn) continue;
      if (isInParts) member.sendParts(patches, entities, nowMs);
      else member.sendShared(patches, entities);
    }
  }

  /** Whether an edit of several regions reaches the clients in several pieces. */
  isInParts(patches: readonly SharedPatch[]): boolean {
    return this.isTorn && (this.isBehind || patches.length > 1);
  }

  /** Records that the client, which is alone, was not sent what is new for `audience` in this tick. */
  miss(audience: Audience): void {
    for (const { holding, before } of audience.#changed) {
      const own = this.holdingAt(holding.region.position);
      if (own === undefined) continue;
      own.clock = before;
      this.fallBehind(own);
    }
    this.isTorn ||= audience.isTorn;
    this.isStale ||= audience.#entityChanges.length > 0;
  }

  /** Returns a client's own audience, with a record of what it holds. */
  split(member: Member, regions: WatchedRegions, limits: SyncLimits): Audience {
    const own = new Audience(this.#tick, limits, this.encoding, member);
    own.#hadEntityChanges = this.#hadEntityChanges;
    own.isTorn = this.isTorn;
    for (const [position, { clock, range, isBehind }] of this.holdings) {
      const holding = regions.watch(position, own);
      holding.clock = clock;
      holding.range = range;
      own.holdings.set(...position, holding);
      if (isBehind) own.fallBehind(holding);
    }
    this.leave(member, regions);
    return own;
  }

  /** Removes a client that others of the audience outlive. */
  leave(member: Member, regions: WatchedRegions): void {
    const index = this.#members.indexOf(member);
    if (index < 0) return;
    this.#members.splice(index, 1);
    if (this.size > 0) regions.countShared(-this.holdings.size);
  }
}

/** The audiences that clients may join, by their keys. */
export class Audiences {
  readonly #open = new Map<string, Audience>();

  /**
   * Lets a client join others that hold the same, with this key, or lets others join it. Returns the audience that the
   * client is in now.
   */
  join(own: Audience, key: string, home: Position, regions: WatchedRegions): Audience {
    if (own.key === key) return own;
    this.close(own);
    const others = this.#open.get(key);
    if (others === undefined) {
      own.key = key;
      own.home = home;
      this.#open.set(key, own);
      return own;
    }
    return others.takeOver(own, regions) ? others : own;
  }

  /** Lets no others join. */
  close(audience: Audience): void {
    if (audience.key === undefined) return;
    this.#open.delete(audience.key);
    audience.key = undefined;
  }
}
