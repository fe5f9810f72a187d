import type { TimeSource } from "@orthant/core";
import type { RandomBits } from "@orthant/core/lattice";
import type { Pose } from "../../message/entity.ts";
import type { Account } from "../../server/account.ts";
import type { SyncLimits } from "../../server/sync-limits.ts";
import type { SyncServer } from "../../server/sync-server.ts";
import type { SyncWorld } from "../../server/sync-world.ts";
import type { Wire1Command } from "../message/wire1-command.ts";
import type { Wire1Limits } from "../wire1-limits.ts";

/** The source of a datagram. */
export interface Wire1Address {
  readonly address: string;
  readonly port: number;
}

/** Returns a unique key for an address. */
export function keyOf({ address, port }: Wire1Address): string {
  return `${address} ${port}`;
}

/** A command for the game. It changes nothing by itself. */
export type Wire1GameCommand = Exclude<
  Wire1Command,
  { readonly kind: "setTile" | "loadChunk" | "unloadChunk" }
>;

/** What a game may do with the player who sent a command. */
export interface Wire1PlayerActions {
  /** Moves the player, subject to `onMove` of the rules. Reach is measured from the new position. */
  move(pose: Pose): void;
}

/** Callbacks of the game. */
export interface Wire1Events {
  readonly onCommand?: (player: Account, command: Wire1GameCommand, hand: Wire1PlayerActions) => void;
  /** A text message from before Wire v1 arrived. */
  readonly onLegacy?: (from: Wire1Address) => void;
  /** An unexpected failure. */
  readonly onFailure?: (error: unknown) => void;
}

/** Options for serving a world to Wire v1 players. */
export interface Wire1ServerOptions {
  readonly world: SyncWorld;
  /** The server of the same world. It applies their edits like all others. */
  readonly sync: SyncServer;
  /**
   * The accounts of players who will say hello from inside the process, by their unguessable client ids. The server's
   * `authorize` looks there first; only they may join without a token.
   */
  readonly expected: Map<bigint, Account>;
  /** Only `nowMs` is used; the caller drives ticks. */
  readonly time: TimeSource;
  readonly limits: SyncLimits & Wire1Limits;
  /** Returns a player's account, or `undefined` to refuse the player. */
  readonly accountOf: (playerId: number, from: Wire1Address) => Account | undefined;
  /** Takes ownership of the bytes of one datagram. */
  readonly send: (to: Wire1Address, datagram: Uint8Array) => void;
  readonly events?: Wire1Events;
  readonly random?: RandomBits;
}
