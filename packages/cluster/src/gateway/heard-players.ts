import { type Box, decode, isOrthantError, positionsLexicographic, regionsTouching } from "@orthant/core";
import { type Pose, posesEqual, type RemotePlayerEvent } from "@orthant/protocol";
import { nameOfPosition, presenceTopic, sectorOfRegion } from "../shard/names.ts";
import { type PresenceMessage, type PresentPlayer, presenceCodec } from "../shard/presence-message.ts";
import { sectorOfPosition } from "../shard/sectors.ts";
import { SectorSubscriptions } from "./sector-followers.ts";
import type { ToldPlayersOptions } from "./told-players.ts";

/** Dependencies of the heard players. */
export interface HeardPlayersOptions extends ToldPlayersOptions {
  readonly onPlayer: (event: RemotePlayerEvent) => void;
}

interface Heard {
  readonly key: string;
  readonly gateway: bigint;
  readonly player: PresentPlayer;
  readonly sector: string;
  readonly heardMs: number;
}

/** Silence after which a player counts as gone. Rule K30. */
const LOST_MS = 3_000;
/** Players of other gateways known at once. */
const HEARD_MAX = 65_536;

/** Tracks the players of other gateways in the sectors that this gateway's players look at. */
export class HeardPlayers {
  readonly #options: HeardPlayersOptions;
  readonly #sectors: SectorSubscriptions;
  readonly #players = new Map<string, Heard>();
  readonly #bySector = new Map<string, Set<Heard>>();

  constructor(options: HeardPlayersOptions) {
    const { engine, world } = options;
    this.#options = options;
    this.#sectors = new SectorSubscriptions((sector) =>
      engine.listen(presenceTopic(world, sector), (bytes) => this.#hear(sector, bytes)),
    );
  }

  /** Number of known players. */
  get size(): number {
    return this.#players.size;
  }

  /** Listens for players in the sectors of a box of chunks until the returned function is called. */
  watch(chunks: Box): () => void {
    const regions = [...positionsLexicographic(regionsTouching(chunks))];
    // Failed subscriptions are retried.
    for (const region of regions) this.#sectors.enter(region).catch(() => undefined);
    let isWatched = true;
    return () => {
      if (!isWatched) return;
      isWatched = false;
      for (const region of regions) {
        if (!this.#sectors.leave(region)) continue;
        for (const heard of [...(this.#bySector.get(nameOfPosition(sectorOfRegion(region))) ?? [])])
          this.#remove(heard);
      }
    };
  }

  /** Removes players that have been silent for too long. */
  tick(nowMs: number): void {
    this.#sectors.retry();
    for (const heard of [...this.#players.values()]) {
      // A clock that was set back must not keep a player for ever.
      if (Math.abs(nowMs - heard.heardMs) >= LOST_MS) this.#remove(heard);
    }
  }

  /** Stops listening. */
  close(): void {
    this.#sectors.close();
  }

  #hear(sector: string, bytes: Uint8Array): void {
    const message = this.#read(sector, bytes);
    if (message === undefined || !this.#sectors.has(sector)) return;
    const { gateway, isWhole, players } = message;
    const told = new Set<string>();
    for (const player of players) {
      const key = `${gateway}.${player.session}`;
      told.add(key);
      this.#note(key, gateway, sector, player);
    }
    if (!isWhole) return;
    for (const heard of [...(this.#bySector.get(sector) ?? [])]) {
      if (heard.gateway === gateway && !told.has(heard.key)) this.#remove(heard);
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

  #note(key: string, gateway: bigint, sector: string, player: PresentPlayer): void {
    const heardMs = this.#options.clock.nowMs();
    const known = this.#players.get(key);
    if (known === undefined && this.#players.size >= HEARD_MAX) return;
    const isNews = known === undefined || !isSame(known.player, player);
    if (known !== undefined) this.#removeFromSector(known);
    const heard = { key, gateway, sector, player, heardMs };
    this.#players.set(key, heard);
    this.#bySector.set(sector, (this.#bySector.get(sector) ?? new Set<Heard>()).add(heard));
    const { playerId, name, position, orientation } = player;
    if (isNews)
      this.#options.onPlayer({ kind: "present", player: { key, playerId, name, position, orientation } });
  }

  #removeFromSector(heard: Heard): void {
    const others = this.#bySector.get(heard.sector);
    others?.delete(heard);
    if (others?.size === 0) this.#bySector.delete(heard.sector);
  }

  #remove(heard: Heard): void {
    this.#removeFromSector(heard);
    this.#players.delete(heard.key);
    this.#options.onPlayer({ kind: "gone", key: heard.key });
  }
}

function isSame(one: PresentPlayer, other: PresentPlayer): boolean {
  return one.playerId === other.playerId && one.name === other.name && posesEqual(one, other);
}
