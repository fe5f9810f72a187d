import type { Vector } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import type { StoredPlayer } from "@orthant/save";
import { playersCodec, sortPlayers } from "@orthant/save/content";

/** A change to a player. Omitted fields keep their value, or get a default for a new player. */
export type PlayerChange = Pick<StoredPlayer, "playerId"> & Partial<StoredPlayer>;

/** All players who ever joined, including those who are offline. */
export class PlayerRecords {
  readonly #players: Map<bigint, StoredPlayer>;

  constructor(players: readonly StoredPlayer[]) {
    this.#players = new Map(players.map((player) => [player.playerId, player]));
  }

  get(playerId: bigint): StoredPlayer | undefined {
    return this.#players.get(playerId);
  }

  /** Returns a player after a change: a new one, who starts at `spawn`, or the one with the same id. */
  changed(change: PlayerChange, spawn: Vector, nowMs: number): StoredPlayer {
    const known = this.#players.get(change.playerId) ?? newPlayer(change.playerId, spawn);
    const player = { ...known, ...change, lastSavedMs: nowMs };
    // What the disk would return: a copy of our own that no save can fail on.
    const [stored = player] = decode(playersCodec, encode(playersCodec, [player]));
    return stored;
  }

  /** Adds or replaces a player. */
  put(player: StoredPlayer): void {
    this.#players.set(player.playerId, player);
  }

  all(): readonly StoredPlayer[] {
    return sortPlayers([...this.#players.values()]);
  }
}

function newPlayer(playerId: bigint, position: Vector): StoredPlayer {
  return {
    playerId,
    authKey: new Uint8Array(0),
    name: undefined,
    position,
    orientation: [0, 0, 0, 1],
    tags: [],
    inventory: new Uint8Array(0),
    metadata: [],
    lastSavedMs: 0,
  };
}
