import {
  type Box,
  type ChunkShape,
  isOrthantError,
  type Position,
  type Timer,
  type TimeSource,
} from "@orthant/core";
import {
  bool,
  type Codec,
  checkedWhenRead,
  decode,
  encode,
  list,
  record,
  u64,
  versioned,
} from "@orthant/core/bytes";
import { PositionMap, positionsEqual } from "@orthant/core/lattice";
import { ListenerSet } from "@orthant/core/world";
import { NAME_BYTES_MAX, type Pose, poseCodec, posesEqual } from "@orthant/protocol";
import type { PeerServers, RemotePlayer, RemotePlayerEvent } from "@orthant/protocol/server";
import type { Backbone } from "../backbone/backbone.ts";
import { presenceTopic } from "../shard/names.ts";
import { nameOfPosition, sectorOfPosition, sectorOfRegion } from "../shard/sectors.ts";
import { listedRegions } from "../shard/sized-boxes.ts";
import { SectorSubscriptions } from "./sector-subscriptions.ts";

/** A player as reported by a gateway. */
interface PresentPlayer extends Pose {
  /** Identifies the session at its gateway. */
  readonly session: number;
  readonly playerId: bigint;
  readonly name: string;
}

/** A gateway's report about its players in a sector. */
export interface PresenceMessage {
  /** Random number chosen when the gateway starts. */
  readonly gateway: bigint;
  /**
   * True if these are all of the gateway's players in the sector; otherwise only those who arrived or moved.
   */
  readonly isWhole: boolean;
  /** In order of sessions. */
  readonly players: readonly PresentPlayer[];
}

/** Maximum number of players of one gateway in one sector that it reports. */
const PLAYERS_SENT_MAX = 4_096;

const VERSION = 1;

const playersCodec = list<PresentPlayer>(
  {
    write(out, player) {
      out.varUint(player.session);
      out.varU64(player.playerId);
      out.string(player.name, NAME_BYTES_MAX);
      poseCodec.write(out, player);
    },
    read: (input) => ({
      session: input.varUint(),
      playerId: input.varU64(),
      name: input.string(NAME_BYTES_MAX),
      ...poseCodec.read(input),
    }),
  },
  PLAYERS_SENT_MAX,
);

/** Encodes messages between gateways. Rules K28 to K31 in docs/formats/cluster.md. */
export const presenceCodec: Codec<PresenceMessage> = checkedWhenRead(
  versioned(VERSION, record({ gateway: u64, isWhole: bool, players: playersCodec })),
  "ORT_MESSAGE",
  ({ players }) => {
    const stray = players.find(({ session }, index) => session <= (players[index - 1]?.session ?? -1));
    return stray && `session ${stray.session} is out of order`;
  },
);

/** Dependencies of the player presence. */
interface PresenceOptions {
  readonly backbone: Backbone;
  readonly time: TimeSource;
  readonly world: string;
  readonly shape: ChunkShape;
  /** The gateway's unique random number. */
  readonly gateway: bigint;
}

interface LocalSector {
  readonly position: Position;
  readonly players: Map<number, PresentPlayer>;
  /** Players who arrived or moved since the last message. */
  readonly changed: Set<number>;
  /** True if a player left since the last message. */
  hasDepartures: boolean;
}

/** Minimum interval between messages about changes. Rule K29. */
const SEND_MS = 100;

/** Sends the players of this gateway to the others, sector by sector. */
class LocalPlayers {
  readonly #options: PresenceOptions;
  readonly #sectors = new PositionMap<LocalSector>();
  readonly #sectorOfSession = new Map<number, LocalSector>();
  #timer: Timer | undefined;
  #sentMs = -Infinity;
  #isClosed = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Reports a player who joined or moved. */
  present(player: PresentPlayer): void {
    if (this.#isClosed) return;
    const position = sectorOfPosition(this.#options.shape, player.position);
    const before = this.#sectorOfSession.get(player.session);
    if (before !== undefined && !positionsEqual(before.position, position)) this.gone(player.session);
    const sector = this.#sectorAt(position);
    // No client could be shown more players in one place.
    if (!sector.players.has(player.session) && sector.players.size >= PLAYERS_SENT_MAX) return;
    sector.players.set(player.session, player);
    sector.changed.add(player.session);
    this.#sectorOfSession.set(player.session, sector);
    this.#sendSoon();
  }

  /** Reports a player who left. */
  gone(session: number): void {
    const sector = this.#sectorOfSession.get(session);
    if (sector === undefined) return;
    this.#sectorOfSession.delete(session);
    sector.players.delete(session);
    sector.changed.delete(session);
    sector.hasDepartures = true;
    this.#sendSoon();
  }

  /** Sends all players, for gateways that have just begun to listen or missed a message. */
  sendAll(): void {
    for (const sector of [...this.#sectors.values()]) this.#sendWhole(sector);
  }

  /** Reports all players as gone and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const session of [...this.#sectorOfSession.keys()]) this.gone(session);
    this.#timer?.cancel();
    this.#sendChanges();
  }

  #sectorAt(position: Position): LocalSector {
    return this.#sectors.getOrAdd(...position, () => ({
      position,
      players: new Map(),
      changed: new Set(),
      hasDepartures: false,
    }));
  }

  #sendSoon(): void {
    if (this.#timer !== undefined) return;
    const { time } = this.#options;
    const sinceMs = Math.abs(time.nowMs() - this.#sentMs);
    this.#timer = time.after(Math.max(0, SEND_MS - sinceMs), () => {
      this.#timer = undefined;
      this.#sentMs = time.nowMs();
      this.#sendChanges();
    });
  }

  /** Reports players in their new sector first, so that an observer of both sectors never loses sight of them. */
  #sendChanges(): void {
    const sectors = [...this.#sectors.values()];
    for (const { position, players, changed } of sectors) {
      if (changed.size === 0) continue;
      this.#send(
        position,
        false,
        [...changed].flatMap((session) => players.get(session) ?? []),
      );
      changed.clear();
    }
    for (const sector of sectors) if (sector.hasDepartures) this.#sendWhole(sector);
  }

  #sendWhole(sector: LocalSector): void {
    this.#send(sector.position, true, [...sector.players.values()]);
    sector.hasDepartures = false;
    if (sector.players.size === 0) this.#sectors.delete(...sector.position);
  }

  #send(sector: Position, isWhole: boolean, unsorted: readonly PresentPlayer[]): void {
    const { backbone, world, gateway } = this.#options;
    const players = [...unsorted].sort((a, b) => a.session - b.session);
    backbone.broadcast(
      presenceTopic(world, nameOfPosition(sector)),
      encode(presenceCodec, { gateway, isWhole, players }),
    );
  }
}

interface TrackedPlayer {
  readonly key: string;
  readonly gateway: bigint;
  readonly player: PresentPlayer;
  readonly sector: string;
  readonly receivedMs: number;
}

/** Silence after which a player counts as gone. Rule K30. */
const LOST_MS = 3_000;
/** Players of other gateways known at once. */
const REMOTE_PLAYERS_MAX = 65_536;

/**
 * Exchanges player movements with the other gateways of a world, without a delivery guarantee. Tracks their
 * players in the sectors that this gateway's players look at.
 */
export class PlayerPresence implements PeerServers {
  readonly #options: PresenceOptions;
  readonly #local: LocalPlayers;
  readonly #sectors: SectorSubscriptions;
  readonly #players = new Map<string, TrackedPlayer>();
  readonly #bySector = new Map<string, Set<TrackedPlayer>>();
  readonly #listeners = new ListenerSet<[RemotePlayerEvent]>();

  constructor(options: PresenceOptions) {
    const { backbone, world } = options;
    this.#options = options;
    this.#local = new LocalPlayers(options);
    this.#sectors = new SectorSubscriptions((sector) =>
      backbone.listen(presenceTopic(world, sector), (bytes) => this.#receive(sector, bytes)),
    );
  }

  /** Number of known players of other gateways. */
  get remoteCount(): number {
    return this.#players.size;
  }

  present(session: number, { playerId, name, position, orientation }: Omit<RemotePlayer, "key">): void {
    this.#local.present({ session, playerId, name, position, orientation });
  }

  gone(session: number): void {
    this.#local.gone(session);
  }

  onPlayer(listener: (event: RemotePlayerEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Listens for players in the sectors of a box of chunks until the returned function is called. */
  watch(chunks: Box): () => void {
    const regions = listedRegions(chunks);
    // Failed subscriptions are retried.
    for (const region of regions) this.#sectors.enter(region).catch(() => undefined);
    let isWatched = true;
    return () => {
      if (!isWatched) return;
      isWatched = false;
      for (const region of regions) {
        if (!this.#sectors.leave(region)) continue;
        for (const remote of [...(this.#bySector.get(nameOfPosition(sectorOfRegion(region))) ?? [])])
          this.#remove(remote);
      }
    };
  }

  /** Runs periodic work, once a second: sends all players, and removes those of other gateways that fell silent. */
  tick(nowMs: number): void {
    this.#local.sendAll();
    this.#sectors.retry();
    for (const remote of [...this.#players.values()]) {
      // A clock that was set back must not keep a player forever.
      if (Math.abs(nowMs - remote.receivedMs) >= LOST_MS) this.#remove(remote);
    }
  }

  /** Reports all players of this gateway as gone, and stops listening. */
  close(): void {
    this.#local.close();
    this.#sectors.close();
  }

  #receive(sector: string, bytes: Uint8Array): void {
    const message = this.#read(sector, bytes);
    if (message === undefined || !this.#sectors.has(sector)) return;
    const { gateway, isWhole, players } = message;
    const present = new Set<string>();
    for (const player of players) {
      const key = `${gateway}.${player.session}`;
      present.add(key);
      this.#update(key, gateway, sector, player);
    }
    if (!isWhole) return;
    for (const remote of [...(this.#bySector.get(sector) ?? [])]) {
      if (remote.gateway === gateway && !present.has(remote.key)) this.#remove(remote);
    }
  }

  /** Decodes a message. Returns `undefined` for anything that another gateway would not send. Rule K31. */
  #read(sector: string, bytes: Uint8Array): PresenceMessage | undefined {
    const { gateway, shape } = this.#options;
    try {
      const message = decode(presenceCodec, bytes);
      const isThere = ({ position }: Pose): boolean =>
        nameOfPosition(sectorOfPosition(shape, position)) === sector;
      return message.gateway !== gateway && message.players.every(isThere) ? message : undefined;
    } catch (error) {
      if (isOrthantError(error)) return undefined;
      throw error;
    }
  }

  #update(key: string, gateway: bigint, sector: string, player: PresentPlayer): void {
    const receivedMs = this.#options.time.nowMs();
    const known = this.#players.get(key);
    if (known === undefined && this.#players.size >= REMOTE_PLAYERS_MAX) return;
    const isChanged = known === undefined || !isUnchanged(known.player, player);
    if (known !== undefined) this.#removeFromSector(known);
    const remote = { key, gateway, sector, player, receivedMs };
    this.#players.set(key, remote);
    this.#bySector.set(sector, (this.#bySector.get(sector) ?? new Set<TrackedPlayer>()).add(remote));
    const { playerId, name, position, orientation } = player;
    if (isChanged)
      this.#listeners.emit({ kind: "present", player: { key, playerId, name, position, orientation } });
  }

  #removeFromSector(remote: TrackedPlayer): void {
    const others = this.#bySector.get(remote.sector);
    others?.delete(remote);
    if (others?.size === 0) this.#bySector.delete(remote.sector);
  }

  #remove(remote: TrackedPlayer): void {
    this.#removeFromSector(remote);
    this.#players.delete(remote.key);
    this.#listeners.emit({ kind: "gone", key: remote.key });
  }
}

function isUnchanged(one: PresentPlayer, other: PresentPlayer): boolean {
  return one.playerId === other.playerId && one.name === other.name && posesEqual(one, other);
}
