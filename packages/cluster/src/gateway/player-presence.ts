import type { Box } from "@orthant/core";
import type { DistantPlayer, DistantPlayerEvent, OtherHosts } from "@orthant/protocol";
import { HeardPlayers } from "./heard-players.ts";
import { ToldPlayers, type ToldPlayersOptions } from "./told-players.ts";

/** The other gateways of a world, as a host knows them: what happens to players is told with no promise that it arrives. */
export class PlayerPresence implements OtherHosts {
  readonly #told: ToldPlayers;
  readonly #heard: HeardPlayers;
  readonly #listeners = new Set<(event: DistantPlayerEvent) => void>();

  constructor(options: ToldPlayersOptions) {
    this.#told = new ToldPlayers(options);
    this.#heard = new HeardPlayers({
      ...options,
      onPlayer: (event) => {
        for (const listener of [...this.#listeners]) listener(event);
      },
    });
  }

  /** How many players of other gateways are known. */
  get heardCount(): number {
    return this.#heard.size;
  }

  present(visit: number, { playerId, name, position, orientation }: Omit<DistantPlayer, "key">): void {
    this.#told.present({ visit, playerId, name, position, orientation });
  }

  gone(visit: number): void {
    this.#told.gone(visit);
  }

  onPlayer(listener: (event: DistantPlayerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Somebody looks at a box of chunks until the function returned is called. */
  watch(chunks: Box): () => void {
    return this.#heard.watch(chunks);
  }

  /** Does what is due, once a second. */
  tick(nowMs: number): void {
    this.#told.tellAll();
    this.#heard.tick(nowMs);
  }

  /** Tells that everybody is gone, and hears nothing more. */
  close(): void {
    this.#told.close();
    this.#heard.close();
  }
}
