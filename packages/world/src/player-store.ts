import { decode, encode } from "@orthant/core";
import { type PlayerRecord, playersCodec, sortPlayers, type Vector } from "@orthant/formats";

/** Something about a player. What is left out stays, or has a default when the player was never here. */
export type PlayerChange = Pick<PlayerRecord, "playerId"> & Partial<PlayerRecord>;

/** All players that were ever here. Being offline is no reason to be forgotten. */
export class PlayerStore {
  readonly #players: Map<bigint, PlayerRecord>;

  constructor(players: readonly PlayerRecord[]) {
    this.#players = new Map(players.map((player) => [player.playerId, player]));
  }

  /** A player by id. */
  get(playerId: bigint): PlayerRecord | undefined {
    return this.#players.get(playerId);
  }

  /** Adds a player, who begins at `spawn`, or changes what was known of the one with the same id. */
  upsert(change: PlayerChange, spawn: Vector, nowMs: number): PlayerRecord {
    const known = this.#players.get(change.playerId) ?? newPlayer(change.playerId, spawn);
    const player = { ...known, ...change, lastSavedMs: nowMs };
    // As it will come back from the disk: a copy of our own, and one that no save can fail on.
    const [stored = player] = decode(playersCodec, encode(playersCodec, [player]));
    this.#players.set(stored.playerId, stored);
    return stored;
  }

  /** Every player, by id. */
  all(): readonly PlayerRecord[] {
    return sortPlayers([...this.#players.values()]);
  }
}

function newPlayer(playerId: bigint, position: Vector): PlayerRecord {
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
