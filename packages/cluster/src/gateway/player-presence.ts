import type { Box } from "@orthant/core";
import type { PeerServers, RemotePlayer, RemotePlayerEvent } from "@orthant/protocol";
import { HeardPlayers } from "./heard-players.ts";
import { ToldPlayers, type ToldPlayersOptions } from "./told-players.ts";

/** Exchanges player movements with the other gateways of a world. Delivery is best-effort. */
export class PlayerPresence implements PeerServers {
  readonly #told: ToldPlayers;
  readonly #heard: HeardPlayers;
  readonly #listeners = new Set<(event: RemotePlayerEvent) => void>();

  constructor(options: ToldPlayersOptions) {
    this.#told = new ToldPlayers(options);
    this.#heard = new HeardPlayers({
      ...options,
      onPlayer: (event) => {
        for (const listener of [...this.#listeners]) listener(event);
      },
    });
  }

  /** Number of known players of other gateways. */
  get heardCount(): number {
    return this.#heard.size;
  }

  present(session: number, { playerId, name, position, orientation }: Omit<RemotePlayer, "key">): void {
    this.#told.present({ session, playerId, name, position, orientation });
  }

  gone(session: number): void {
    this.#told.gone(session);
  }

  onPlayer(listener: (event: RemotePlayerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Listens for players in a box of chunks until the returned function is called. */
  watch(chunks: Box): () => void {
    return this.#heard.watch(chunks);
  }

  /** Runs periodic work, once a second. */
  tick(nowMs: number): void {
    this.#told.tellAll();
    this.#heard.tick(nowMs);
  }

  /** Reports all players of this gateway as gone, and stops listening. */
  close(): void {
    this.#told.close();
    this.#heard.close();
  }
}
