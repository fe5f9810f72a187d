import { decode, encode } from "@orthant/core";
import { type PlayerRecord, playersCodec, sortPlayers } from "@orthant/formats";

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

  /** Adds a player, or replaces what was known of the one with the same id. */
  upsert(player: PlayerRecord): void {
    // As it will come back from the disk: a copy of our own, and one that no save can fail on.
    const [stored] = decode(playersCodec, encode(playersCodec, [player]));
    if (stored !== undefined) this.#players.set(stored.playerId, stored);
  }

  /** Every player, by id. */
  all(): readonly PlayerRecord[] {
    return sortPlayers([...this.#players.values()]);
  }
}
