import type { Clock, RandomBits } from "@orthant/core";
import type { Host } from "../../host/host.ts";
import type { HostLimits } from "../../host/host-limits.ts";
import type { Account } from "../../host/host-options.ts";
import type { HostWorld } from "../../host/host-world.ts";
import type { Pose } from "../../message/being.ts";
import type { Wire1Command } from "../message/wire1-command.ts";
import type { Wire1Limits } from "../wire1-limits.ts";
import type { ExpectedPlayers } from "./expected-players.ts";
import type { Wire1Address } from "./wire1-address.ts";

/** A command that is the game's business: it changes nothing by itself. */
export type Wire1GameCommand = Exclude<
  Wire1Command,
  { readonly kind: "setTile" | "loadChunk" | "unloadChunk" }
>;

/** What a game may do with the player whose command it is told of. */
export interface Wire1Hand {
  /** Puts the player somewhere else, as `onMove` of the rules allows: from there reach is measured. */
  move(pose: Pose): void;
}

/** What a game is told of. */
export interface Wire1Events {
  readonly onCommand?: (player: Account, command: Wire1GameCommand, hand: Wire1Hand) => void;
  /** A text message from before Wire v1 came. */
  readonly onLegacy?: (from: Wire1Address) => void;
  /** Something failed that should not. */
  readonly onFailure?: (error: unknown) => void;
}

/** How a world is opened to players of Wire v1. */
export interface DoorOptions {
  readonly world: HostWorld;
  /** The host of the same world, which makes their edits as it makes all others. */
  readonly host: Host;
  /** The same that the host's `authorize` asks first. */
  readonly expected: ExpectedPlayers;
  /** Only `nowMs` is asked; ticks come from outside. */
  readonly clock: Clock;
  readonly limits: HostLimits & Wire1Limits;
  /** Who a player is; `undefined` for one who must not come in. */
  readonly accountOf: (playerId: number, from: Wire1Address) => Account | undefined;
  /** Takes over the bytes of one datagram. */
  readonly send: (to: Wire1Address, datagram: Uint8Array) => void;
  readonly events?: Wire1Events;
  readonly random?: RandomBits;
}
