import { isOrthantError, OrthantError } from "@orthant/core";
import { GAME_BYTES_MAX } from "../message/limits.ts";
import type { Wire } from "../message/wire.ts";
import { BeingGrid } from "./beings/being-grid.ts";
import { DistantPlayers } from "./beings/distant-players.ts";
import { Inhabitants } from "./beings/inhabitants.ts";
import { ClientSession, type SessionOwner } from "./client-session.ts";
import type { Fault } from "./connection/fault.ts";
import type { FrameTotals } from "./connection/outbox.ts";
import { Durability } from "./edits/durability.ts";
import { EditDesks } from "./edits/edit-desks.ts";
import { DEFAULT_HOST_LIMITS } from "./host-limits.ts";
import type { HostOptions, Player, TickReport } from "./host-options.ts";
import type { HostParts } from "./host-parts.ts";
import type { HostSession } from "./host-session.ts";
import { ChangeGroups } from "./regions/change-group.ts";
import { RegionFeed } from "./regions/region-feed.ts";
import { RegionLoader } from "./regions/region-loader.ts";
import { SnapshotSource } from "./regions/snapshot-source.ts";
import { WatchedRegions } from "./regions/watched-regions.ts";
import { Roster } from "./roster.ts";

/** What is looked after only now and then is looked after so often. */
const CLEANING_MS = 1_000;

/** Shares a world with many clients. Bytes and the time go in, frames come out; it owns no socket and no timer. */
export class Host {
  readonly #parts: HostParts;
  readonly #inhabitants: Inhabitants;
  readonly #sessions = new Set<ClientSession>();
  readonly #roster = new Roster();
  readonly #stopListening: readonly (() => void)[];
  readonly #owner: SessionOwner;
  #tickCount = 0;
  #cleanedMs = 0;
  #shutdown: Fault | undefined;

  constructor(options: HostOptions) {
    const { world, clock, rules, events } = options;
    const limits = { ...DEFAULT_HOST_LIMITS, ...options.limits };
    const regions = new WatchedRegions();
    const beings = new BeingGrid(world.shape, limits.chunkCoordinateMax);
    const feed = new RegionFeed(world, regions);
    const desks = new EditDesks({
      world,
      events,
      bounds: { shape: world.shape, catalog: world.catalog, limits, rules },
      durability: options.acknowledge === "durable" ? new Durability(() => world.whenDurable()) : undefined,
      onFailure: (error) => this.#fail(error),
    });
    this.#parts = {
      options,
      world,
      limits,
      regions,
      feed,
      groups: new ChangeGroups(),
      snapshots: new SnapshotSource(world, regions, limits.pieceBytesMax, () => clock.nowMs()),
      loader: new RegionLoader(world, regions, () => clock.nowMs()),
      desks,
      beings,
      totals: { frames: 0, bytes: 0, patches: 0 },
    };
    this.#inhabitants = new Inhabitants(world, regions, beings);
    this.#owner = {
      admit: (session, arrival) => this.#roster.add(session, arrival),
      joined: ({ visit }) => visit && rules?.onJoin?.(visit.player),
      ended: (session) => this.#ended(session),
    };
    const distant = new DistantPlayers(beings);
    this.#stopListening = [
      world.onEdit((steps) => feed.notice(steps)),
      world.onInhabitant((event) => this.#inhabitants.happened(event)),
      world.otherHosts?.onPlayer((event) => distant.happened(event)) ?? (() => undefined),
    ];
  }

  /** How many connections there are, welcome or not yet. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Everybody who is here. A player with two clients is here twice. */
  get players(): readonly Player[] {
    return this.#roster.visits().map(({ player }) => player);
  }

  /** Takes a new connection. */
  connect(wire: Wire): HostSession {
    const session = new ClientSession(this.#parts, this.#owner, wire);
    this.#sessions.add(session);
    if (this.#shutdown !== undefined) session.goodbye(this.#shutdown);
    return session;
  }

  /** Sends everybody what happened since the last tick. It waits for nothing. */
  tick(): void {
    const { options, feed, groups, snapshots, beings, regions, totals } = this.#parts;
    const nowMs = options.clock.nowMs();
    const before = { ...totals };
    const sessions = this.#inTurn();
    groups.startTick();
    snapshots.startTick();
    for (const session of sessions) session.startTick(nowMs);
    for (const { region, step } of feed.takeSteps(nowMs)) {
      for (const holding of region.holdings) holding.watcher.regionChanged(holding, step);
    }
    beings.takeChanges(regions);
    for (const session of sessions) session.write(nowMs);
    this.#clean(nowMs);
    options.events?.onTick?.(this.#report(before));
  }

  /** Sends a game's message to a player; tells whether the player is here and there was room for it. */
  send(playerId: bigint, payload: Uint8Array): boolean {
    requirePayload(payload);
    let isTaken = false;
    for (const visit of this.#roster.visitsOf(playerId)) if (visit.sendGame(payload)) isTaken = true;
    return isTaken;
  }

  /** Sends a game's message to everybody for whom there is room. */
  broadcast(payload: Uint8Array): void {
    requirePayload(payload);
    for (const visit of this.#roster.visits()) visit.sendGame(payload);
  }

  /** Sends a player away; tells whether the player was here. */
  kick(playerId: bigint, detail: string): boolean {
    const sessions = this.#roster.sessionsOf(playerId);
    for (const session of sessions) session.goodbye({ reason: "kicked", detail });
    return sessions.length > 0;
  }

  /** Says goodbye to everybody, takes nobody new, and waits for the edits that are in work. */
  async shutdown(detail: string, retryAfterMs: number): Promise<void> {
    this.#close({ reason: "shutdown", detail, retryAfterMs });
    await this.#parts.desks.whenIdle();
    for (const stop of this.#stopListening) stop();
  }

  #ended(session: ClientSession): void {
    const { options, desks } = this.#parts;
    this.#sessions.delete(session);
    const { visit } = session;
    const clientId = this.#roster.remove(session);
    if (clientId !== undefined) desks.leave(clientId, options.clock.nowMs());
    try {
      if (visit !== undefined) options.rules?.onLeave?.(visit.player);
    } catch (error) {
      // The player is gone, whatever the game makes of it.
      options.events?.onFailure?.(error);
    }
  }

  /** All sessions, beginning with another one in each tick: what there is not enough of goes round. */
  #inTurn(): readonly ClientSession[] {
    const sessions = [...this.#sessions];
    const first = this.#tickCount++ % Math.max(1, sessions.length);
    return [...sessions.slice(first), ...sessions.slice(0, first)];
  }

  #clean(nowMs: number): void {
    if (nowMs - this.#cleanedMs < CLEANING_MS) return;
    this.#cleanedMs = nowMs;
    this.#parts.feed.forgetOld(nowMs);
    this.#parts.desks.clean(nowMs);
  }

  #report(before: FrameTotals): TickReport {
    const { frames, bytes, patches } = this.#parts.totals;
    let heldBack = 0;
    for (const { visit } of this.#sessions) if (visit?.isHeldBack) heldBack++;
    return {
      frames: frames - before.frames,
      bytes: bytes - before.bytes,
      patches: patches - before.patches,
      heldBack,
    };
  }

  #fail(error: unknown): void {
    this.#parts.options.events?.onFailure?.(error);
    const detail = isOrthantError(error) ? error.code : "the world failed";
    this.#close({ reason: "failure", detail });
  }

  #close(fault: Fault): void {
    this.#shutdown = fault;
    for (const session of [...this.#sessions]) session.goodbye(fault);
  }
}

function requirePayload(payload: Uint8Array): void {
  if (payload.length <= GAME_BYTES_MAX) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `a message of ${payload.length} bytes, at most ${GAME_BYTES_MAX} may be`,
  );
}
