import {
  type ChunkShape,
  type Clock,
  encode,
  type Position,
  PositionMap,
  positionsEqual,
  type Timer,
} from "@orthant/core";
import type { Engine } from "../engine/engine.ts";
import { nameOfPosition, presenceTopic } from "../shard/names.ts";
import { PLAYERS_SENT_MAX, type PresentPlayer, presenceCodec } from "../shard/presence-message.ts";
import { sectorOfPosition } from "../shard/sectors.ts";

/** Dependencies of the told players. */
export interface ToldPlayersOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly world: string;
  readonly shape: ChunkShape;
  /** The gateway's unique mark. */
  readonly gateway: bigint;
}

interface Sector {
  readonly position: Position;
  readonly players: Map<number, PresentPlayer>;
  /** Players who arrived or moved since the last message. */
  readonly changed: Set<number>;
  /** True if a player left since the last message. */
  isLeft: boolean;
}

/** Minimum interval between messages about changes. Rule K29. */
const TELL_MS = 100;

/** Tells other gateways about the players of this one, sector by sector. */
export class ToldPlayers {
  readonly #options: ToldPlayersOptions;
  readonly #sectors = new PositionMap<Sector>();
  readonly #sectorOfSession = new Map<number, Sector>();
  #timer: Timer | undefined;
  #toldMs = -Infinity;
  #isClosed = false;

  constructor(options: ToldPlayersOptions) {
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
    this.#tellSoon();
  }

  /** Reports a player who left. */
  gone(session: number): void {
    const sector = this.#sectorOfSession.get(session);
    if (sector === undefined) return;
    this.#sectorOfSession.delete(session);
    sector.players.delete(session);
    sector.changed.delete(session);
    sector.isLeft = true;
    this.#tellSoon();
  }

  /** Sends all players, for gateways that have just begun to listen or missed a message. */
  tellAll(): void {
    for (const sector of [...this.#sectors.values()]) this.#tellWhole(sector);
  }

  /** Reports all players as gone and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const session of [...this.#sectorOfSession.keys()]) this.gone(session);
    this.#timer?.cancel();
    this.#tellChanges();
  }

  #sectorAt(position: Position): Sector {
    const known = this.#sectors.get(...position);
    if (known !== undefined) return known;
    const sector: Sector = { position, players: new Map(), changed: new Set(), isLeft: false };
    this.#sectors.set(...position, sector);
    return sector;
  }

  #tellSoon(): void {
    if (this.#timer !== undefined) return;
    const { clock } = this.#options;
    const sinceMs = Math.abs(clock.nowMs() - this.#toldMs);
    this.#timer = clock.after(Math.max(0, TELL_MS - sinceMs), () => {
      this.#timer = undefined;
      this.#toldMs = clock.nowMs();
      this.#tellChanges();
    });
  }

  /** Reports players in their new sector first, so that an observer of both sectors never loses sight of them. */
  #tellChanges(): void {
    const sectors = [...this.#sectors.values()];
    for (const { position, players, changed } of sectors) {
      if (changed.size === 0) continue;
      this.#tell(position, false, Array.from(changed, (session) => players.get(session)).filter(isThere));
      changed.clear();
    }
    for (const sector of sectors) if (sector.isLeft) this.#tellWhole(sector);
  }

  #tellWhole(sector: Sector): void {
    this.#tell(sector.position, true, [...sector.players.values()]);
    sector.isLeft = false;
    if (sector.players.size === 0) this.#sectors.delete(...sector.position);
  }

  #tell(sector: Position, isWhole: boolean, unsorted: readonly PresentPlayer[]): void {
    const { engine, world, gateway } = this.#options;
    const players = [...unsorted].sort((a, b) => a.session - b.session);
    engine.broadcast(
      presenceTopic(world, nameOfPosition(sector)),
      encode(presenceCodec, { gateway, isWhole, players }),
    );
  }
}

function isThere(player: PresentPlayer | undefined): player is PresentPlayer {
  return player !== undefined;
}
