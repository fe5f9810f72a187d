import type { Clock, Place, VoxelPlacement } from "@orthant/core";
import type { Pose } from "../message/being.ts";
import type { Hello } from "../message/client-message.ts";
import type { GoodbyeReason, RefusalReason, Role } from "../message/server-message.ts";
import type { HostLimits } from "./host-limits.ts";
import type { HostWorld } from "./host-world.ts";

/** Somebody who proved who they are. */
export interface Account {
  readonly playerId: bigint;
  readonly role: Role;
  readonly name: string;
  /** Nobody vouches for the player: the world remembers them only once they have changed something in it. */
  readonly isAnonymous?: boolean;
  /** When the account ends, in milliseconds since 1970: its connections end then. It never ends unless given. */
  readonly expiresMs?: number;
  /** The token that proved it (`jti`), by which the token can be revoked. */
  readonly tokenId?: string;
}

/** Why an account must leave: the client may come back with other credentials, or must not come back. */
export interface AccountFault {
  readonly reason: "credentials" | "kicked";
  /** For the player to read. */
  readonly detail: string;
}

/** A player who is here. */
export interface Player extends Account, Pose {}

/** A game's say in what players do. Each is optional; an edit passes when nobody objects. */
export interface HostRules {
  /** Why an edit must not be made; `undefined` when it may. */
  readonly onEdit?: (
    player: Player,
    placements: readonly VoxelPlacement[],
  ) => string | undefined | Promise<string | undefined>;
  /** Whether a player may touch a voxel from where they are. */
  readonly reaches?: (player: Player, voxel: Place) => boolean;
  /** The pose that counts when a player asks for another one; what was asked for unless given. */
  readonly onMove?: (player: Player, wanted: Pose) => Pose;
  /** A game's own message from a player. */
  readonly onMessage?: (player: Player, payload: Uint8Array) => void;
  readonly onJoin?: (player: Player) => void;
  readonly onLeave?: (player: Player) => void;
}

/** What a host counts, for whoever watches over it. */
export interface HostEvents {
  /** A client was told goodbye. `limit` names the limit that it broke, where it broke one. */
  readonly onGoodbye?: (reason: GoodbyeReason, limit: string | undefined) => void;
  readonly onVerdict?: (outcome: "applied" | "unchanged" | "settled" | RefusalReason) => void;
  /** A tick ended: how long it took, and what it sent. */
  readonly onTick?: (report: TickReport) => void;
  readonly onResync?: (regions: number) => void;
  /** Something failed that should not: a bug in a game's rules or here, or a world that is broken. */
  readonly onFailure?: (error: unknown) => void;
}

/** What one tick did. */
export interface TickReport {
  readonly frames: number;
  readonly bytes: number;
  readonly patches: number;
  /** Sessions that had more to get than they may. */
  readonly heldBack: number;
  /** Time spent on interests, loads, welcomes and regions that were prepared, from the beginning of the tick before until this one. */
  readonly workMs: number;
  /** True when some of that work had to wait because of `tickWorkMs`. */
  readonly isWorkCut: boolean;
}

/** How a world is shared. */
export interface HostOptions {
  readonly world: HostWorld;
  /** Only `nowMs` is asked; ticks come from outside. */
  readonly clock: Clock;
  /** Who a client is; throws an `OrthantError` with code `ORT_CREDENTIALS` for one who must not come in. */
  readonly authorize: (hello: Hello) => Promise<Account>;
  /** Why an account may not be here, or not any longer. Called before each join and for every player at each tick. */
  readonly checkAccount?: (account: Account) => AccountFault | undefined;
  /** When an edit is acknowledged: when it is made, or when it would survive a crash. */
  readonly acknowledge: "applied" | "durable";
  readonly tickMs: number;
  /**
   * Calls back soon, when the process has had time for what came meanwhile. The work of a tick that can wait then comes
   * in slices with pauses between them; without this it is done at one time.
   */
  readonly pause?: (resume: () => void) => void;
  readonly limits?: Partial<HostLimits>;
  readonly rules?: HostRules;
  readonly events?: HostEvents;
}
