import type { VoxelPlacement } from "@orthant/core";
import { Guest } from "../../guest/guest.ts";
import type { Account } from "../../host/host-options.ts";
import type { HostSession } from "../../host/host-session.ts";
import type { Pose } from "../../message/being.ts";
import { EDITS_OPEN_MAX } from "../../message/limits.ts";
import type { DoorOptions } from "./door-options.ts";

/** What a seat tells of. */
export interface SeatEvents {
  /** The player is among the host's players now. */
  readonly onSeated: (account: Account) => void;
  /** An edit was refused. */
  readonly onRefused: (placements: readonly VoxelPlacement[]) => void;
  /** The host has sent the player away. */
  readonly onLost: () => void;
}

const NO_TOKEN = new Uint8Array(0);

/** A player of Wire v1 among all others: a client of the host that looks at nothing, in the same process. */
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
        // The game may have made somebody else of the player.
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
    // What the host sends before the guest is there to hear it would be lost: it sends nothing before a tick.
    const wire = { send: (frame: Uint8Array) => this.#guest.receive(frame), close: () => undefined };
    this.#session = host.connect(wire, network);
    this.#guest.connected({
      send: (frame) => this.#session.receive(frame),
      // Not now: whoever ends it is in the middle of ending it.
      close: () => events.onLost(),
    });
  }

  /** Asks for an edit; false when too many wait for their verdicts. */
  edit(placements: readonly VoxelPlacement[]): boolean {
    if (this.#guest.openEdits.length >= EDITS_OPEN_MAX) return false;
    this.#placements.set(this.#guest.setVoxels(placements), placements);
    return true;
  }

  /** Is somewhere else now. */
  move(pose: Pose): void {
    this.#guest.move(pose);
  }

  /** Sends what waits, and says that the player is still here. */
  tick(): void {
    this.#guest.tick();
  }

  /** Leaves. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.disconnected();
    this.#guest.disconnected();
  }
}
