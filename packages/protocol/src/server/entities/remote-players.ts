import { NAME_BYTES_MAX } from "../../message/limits.ts";
import { clipText } from "../connection/clip-text.ts";
import type { RemotePlayer, RemotePlayerEvent } from "../sync-world.ts";
import type { EntityGrid, GridEntity } from "./entity-grid.ts";
import { playerTraits } from "./player-traits.ts";
import { seenPose } from "./seen-pose.ts";

/** Adds the players of other servers to the grid. */
export class RemotePlayers {
  readonly #grid: EntityGrid;
  readonly #entities = new Map<string, GridEntity>();

  constructor(grid: EntityGrid) {
    this.#grid = grid;
  }

  /** Handles an event of a player on another server. */
  receive(event: RemotePlayerEvent): void {
    if (event.kind === "gone") this.#remove(event.key);
    else this.#show(event.player);
  }

  #show(player: RemotePlayer): void {
    const { key, playerId, position } = player;
    if (!this.#grid.isInside(position)) {
      this.#remove(key);
      return;
    }
    const pose = seenPose(player);
    const name = clipText(player.name, NAME_BYTES_MAX);
    const known = this.#entities.get(key);
    if (known?.id === playerId && known.name === name) this.#grid.move(known, pose);
    else {
      this.#remove(key);
      this.#entities.set(key, this.#grid.enter(playerTraits(playerId, name), pose));
    }
  }

  #remove(key: string): void {
    const entity = this.#entities.get(key);
    if (entity === undefined) return;
    this.#entities.delete(key);
    this.#grid.leave(entity);
  }
}
