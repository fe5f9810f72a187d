import type { VoxelPlacement } from "@orthant/core/tree";
import { SyncClient } from "../../client/sync-client.ts";
import type { Pose } from "../../message/entity.ts";
import { EDITS_OPEN_MAX } from "../../message/limits.ts";
import type { Account } from "../../server/account.ts";
import type { ServerSession } from "../../server/server-session.ts";
import type { Wire1ServerOptions } from "./wire1-server-options.ts";

/** Callbacks of a player. */
interface Wire1PlayerEvents {
  /** The player has joined the server's players. */
  readonly onJoined: (account: Account) => void;
  /** An edit was rejected. */
  readonly onRejected: (placements: readonly VoxelPlacement[]) => void;
  /** The server has disconnected the player. */
  readonly onLost: () => void;
}

const NO_TOKEN = new Uint8Array(0);

/** A Wire v1 player among all others: an in-process client of the server, with an empty interest. */
export class Wire1Player {
  readonly #client: SyncClient;
  readonly #session: ServerSession;
  readonly #placements = new Map<number, readonly VoxelPlacement[]>();
  #isOver = false;

  constructor(
    options: Wire1ServerOptions,
    clientId: bigint,
    account: Account,
    network: string,
    events: Wire1PlayerEvents,
  ) {
    const { sync, world, time } = options;
    this.#client = new SyncClient({
      time,
      generators: world.generators,
      clientId,
      name: account.name,
      token: () => NO_TOKEN,
      events: {
        // The game may have given the player another identity.
        onWelcome: ({ playerId, role }) => events.onJoined({ ...account, playerId, role }),
        onGoodbye: () => events.onLost(),
        onFault: () => events.onLost(),
        onEditResult: ({ number, result: { status } }) => {
          const placements = this.#placements.get(number);
          this.#placements.delete(number);
          if (status === "rejected" && placements !== undefined) events.onRejected(placements);
        },
      },
    });
    // Frames sent before the client exists would be lost, but the server sends none before a tick.
    const wire = { send: (frame: Uint8Array) => this.#client.receive(frame), close: () => undefined };
    this.#session = sync.connect(wire, network);
    this.#client.connected({
      send: (frame) => this.#session.receive(frame),
      // Not ended here, because the caller is already ending it.
      close: () => events.onLost(),
    });
  }

  /** Requests an edit. Returns false when too many edits are waiting for results. */
  edit(placements: readonly VoxelPlacement[]): boolean {
    if (this.#client.openEdits.length >= EDITS_OPEN_MAX) return false;
    this.#placements.set(this.#client.setVoxels(placements), placements);
    return true;
  }

  move(pose: Pose): void {
    this.#client.move(pose);
  }

  /** Sends waiting messages, and signals that the player is still here. */
  tick(): void {
    this.#client.tick();
  }

  /** Disconnects the player. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.disconnected();
    this.#client.disconnected();
  }
}
