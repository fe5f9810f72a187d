import { NAME_BYTES_MAX } from "../../message/limits.ts";
import { clipText } from "../connection/clip-text.ts";
import type { DistantPlayer, DistantPlayerEvent } from "../host-world.ts";
import type { BeingGrid, LiveBeing } from "./being-grid.ts";
import { playerTraits } from "./player-traits.ts";
import { seenPose } from "./seen-pose.ts";

/** Adds the players of other servers to the grid. */
export class DistantPlayers {
  readonly #grid: BeingGrid;
  readonly #beings = new Map<string, LiveBeing>();

  constructor(grid: BeingGrid) {
    this.#grid = grid;
  }

  /** Handles an event of a player on another server. */
  happened(event: DistantPlayerEvent): void {
    if (event.kind === "gone") this.#remove(event.key);
    else this.#show(event.player);
  }

  #show(player: DistantPlayer): void {
    const { key, playerId, position } = player;
    if (!this.#grid.isInside(position)) {
      this.#remove(key);
      return;
    }
    const pose = seenPose(player);
    const name = clipText(player.name, NAME_BYTES_MAX);
    const known = this.#beings.get(key);
    if (known?.id === playerId && known.name === name) this.#grid.move(known, pose);
    else {
      this.#remove(key);
      this.#beings.set(key, this.#grid.enter(playerTraits(playerId, name), pose));
    }
  }

  #remove(key: string): void {
    const being = this.#beings.get(key);
    if (being === undefined) return;
    this.#beings.delete(key);
    this.#grid.leave(being);
  }
}
