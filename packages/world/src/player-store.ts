import { type PlayerRecord, sortPlayers } from "@orthant/formats";

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
    this.#players.set(player.playerId, player);
  }

  /** Every player, by id. */
  all(): readonly PlayerRecord[] {
    return sortPlayers([...this.#players.values()]);
  }
}
