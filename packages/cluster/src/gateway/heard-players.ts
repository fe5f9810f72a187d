import { type Box, decode, isOrthantError, placesLexicographic, regionsTouching } from "@orthant/core";
import { type DistantPlayerEvent, type Pose, posesEqual } from "@orthant/protocol";
import { cellOfPosition } from "../shard/cells.ts";
import { cellOfRegion, nameOfPlace, presenceTopic } from "../shard/names.ts";
import { type PresenceMessage, presenceCodec, type ToldPlayer } from "../shard/presence-message.ts";
import { CellFollowers } from "./cell-followers.ts";
import type { ToldPlayersOptions } from "./told-players.ts";

/** Dependencies of the heard players. */
export interface HeardPlayersOptions extends ToldPlayersOptions {
  readonly onPlayer: (event: DistantPlayerEvent) => void;
}

interface Heard {
  readonly key: string;
  readonly gateway: bigint;
  readonly player: ToldPlayer;
  readonly cell: string;
  readonly heardMs: number;
}

/** Silence after which a player counts as gone. Rule K30. */
const LOST_MS = 3_000;
/** Players of other gateways known at once. */
const HEARD_MAX = 65_536;

/** Tracks the players of other gateways in the cells that this gateway's players look at. */
export class HeardPlayers {
  readonly #options: HeardPlayersOptions;
  readonly #cells: CellFollowers;
  readonly #players = new Map<string, Heard>();
  readonly #byCell = new Map<string, Set<Heard>>();

  constructor(options: HeardPlayersOptions) {
    const { engine, world } = options;
    this.#options = options;
    this.#cells = new CellFollowers((cell) =>
      engine.listen(presenceTopic(world, cell), (bytes) => this.#hear(cell, bytes)),
    );
  }

  /** Number of known players. */
  get size(): number {
    return this.#players.size;
  }

  /** Listens for players in the cells of a box of chunks until the returned function is called. */
  watch(chunks: Box): () => void {
    const regions = [...placesLexicographic(regionsTouching(chunks))];
    // Failed subscriptions are retried.
    for (const region of regions) this.#cells.enter(region).catch(() => undefined);
    let isWatched = true;
    return () => {
      if (!isWatched) return;
      isWatched = false;
      for (const region of regions) {
        if (!this.#cells.leave(region)) continue;
        for (const heard of [...(this.#byCell.get(nameOfPlace(cellOfRegion(region))) ?? [])])
          this.#remove(heard);
      }
    };
  }

  /** Removes players that have been silent for too long. */
  tick(nowMs: number): void {
    this.#cells.retry();
    for (const heard of [...this.#players.values()]) {
      // A clock that was set back must not keep a player for ever.
      if (Math.abs(nowMs - heard.heardMs) >= LOST_MS) this.#remove(heard);
    }
  }

  /** Stops listening. */
  close(): void {
    this.#cells.close();
  }

  #hear(cell: string, bytes: Uint8Array): void {
    const message = this.#read(cell, bytes);
    if (message === undefined || !this.#cells.has(cell)) return;
    const { gateway, isWhole, players } = message;
    const told = new Set<string>();
    for (const player of players) {
      const key = `${gateway}.${player.visit}`;
      told.add(key);
      this.#note(key, gateway, cell, player);
    }
    if (!isWhole) return;
    for (const heard of [...(this.#byCell.get(cell) ?? [])]) {
      if (heard.gateway === gateway && !told.has(heard.key)) this.#remove(heard);
    }
  }

  /** Decodes a message. Returns `undefined` for anything that another gateway would not send. Rule K31. */
  #read(cell: string, bytes: Uint8Array): PresenceMessage | undefined {
    const { gateway, shape } = this.#options;
    try {
      const message = decode(presenceCodec, bytes);
      const isThere = ({ position }: Pose): boolean => nameOfPlace(cellOfPosition(shape, position)) === cell;
      return message.gateway !== gateway && message.players.every(isThere) ? message : undefined;
    } catch (error) {
      if (isOrthantError(error)) return undefined;
      throw error;
    }
  }

  #note(key: string, gateway: bigint, cell: string, player: ToldPlayer): void {
    const heardMs = this.#options.clock.nowMs();
    const known = this.#players.get(key);
    if (known === undefined && this.#players.size >= HEARD_MAX) return;
    const isNews = known === undefined || !isSame(known.player, player);
    if (known !== undefined) this.#takeFromCell(known);
    const heard = { key, gateway, cell, player, heardMs };
    this.#players.set(key, heard);
    this.#byCell.set(cell, (this.#byCell.get(cell) ?? new Set<Heard>()).add(heard));
    const { playerId, name, position, orientation } = player;
    if (isNews)
      this.#options.onPlayer({ kind: "present", player: { key, playerId, name, position, orientation } });
  }

  #takeFromCell(heard: Heard): void {
    const others = this.#byCell.get(heard.cell);
    others?.delete(heard);
    if (others?.size === 0) this.#byCell.delete(heard.cell);
  }

  #remove(heard: Heard): void {
    this.#takeFromCell(heard);
    this.#players.delete(heard.key);
    this.#options.onPlayer({ kind: "gone", key: heard.key });
  }
}

function isSame(one: ToldPlayer, other: ToldPlayer): boolean {
  return one.playerId === other.playerId && one.name === other.name && posesEqual(one, other);
}
