import type { VoxelPlacement } from "@orthant/core";
import { Guest } from "../../guest/guest.ts";
import type { Account } from "../../host/host-options.ts";
import type { HostSession } from "../../host/host-session.ts";
import type { Pose } from "../../message/being.ts";
import { EDITS_OPEN_MAX } from "../../message/limits.ts";
import type { DoorOptions } from "./door-options.ts";

/** Callbacks of a seat. */
export interface SeatEvents {
  /** The player has joined the server's players. */
  readonly onSeated: (account: Account) => void;
  /** An edit was refused. */
  readonly onRefused: (placements: readonly VoxelPlacement[]) => void;
  /** The server has disconnected the player. */
  readonly onLost: () => void;
}

const NO_TOKEN = new Uint8Array(0);

/** A Wire v1 player among all others: an in-process client of the server, with an empty interest. */
export class Seat {
  readonly #guest: Guest;
  readonly #session: HostSession;
  readonly #placements = new Map<number, readonly VoxelPlacement[]>();
  #isOver = false;

  constructor(options: DoorOptions, clientId: bigint, account: Account, network: string, events: SeatEvents) {
    const { host, world, clock } = options;
    this.#guest = new Guest({
      clock,
      generators: world.generators,
      clientId,
      name: account.name,
      token: () => NO_TOKEN,
      events: {
        // The game may have given the player another identity.
        onWelcome: ({ playerId, role }) => events.onSeated({ ...account, playerId, role }),
        onGoodbye: () => events.onLost(),
        onFault: () => events.onLost(),
        onVerdict: ({ editId, outcome }) => {
          const placements = this.#placements.get(editId);
          this.#placements.delete(editId);
          if (outcome === "refused" && placements !== undefined) events.onRefused(placements);
        },
      },
    });
    // Frames sent before the guest exists would be lost, but the host sends none before a tick.
    const wire = { send: (frame: Uint8Array) => this.#guest.receive(frame), close: () => undefined };
    this.#session = host.connect(wire, network);
    this.#guest.connected({
      send: (frame) => this.#session.receive(frame),
      // Not ended here, because the caller is already ending it.
      close: () => events.onLost(),
    });
  }

  /** Requests an edit. Returns false when too many edits are waiting for verdicts. */
  edit(placements: readonly VoxelPlacement[]): boolean {
    if (this.#guest.openEdits.length >= EDITS_OPEN_MAX) return false;
    this.#placements.set(this.#guest.setVoxels(placements), placements);
    return true;
  }

  /** Changes the pose. */
  move(pose: Pose): void {
    this.#guest.move(pose);
  }

  /** Sends waiting messages, and signals that the player is still here. */
  tick(): void {
    this.#guest.tick();
  }

  /** Disconnects the player. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.disconnected();
    this.#guest.disconnected();
  }
}
