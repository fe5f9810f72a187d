import type { Pose } from "../message/entity.ts";
import type { Role } from "../message/server-message.ts";

/** An authenticated player. */
export interface Account {
  readonly playerId: bigint;
  readonly role: Role;
  readonly name: string;
  /** Whether the player is unauthenticated. The world stores such a player only after an edit. */
  readonly isAnonymous?: boolean;
  /** When the account and its connections end, in milliseconds since 1970; never by default. */
  readonly expiresMs?: number;
  /** The id (`jti`) of the token that authenticated the player, by which it can be revoked. */
  readonly tokenId?: string;
}

/** Why an account must leave: it may return with other credentials, or must not return. */
export interface AccountFault {
  readonly reason: "credentials" | "kicked";
  /** Shown to the player. */
  readonly detail: string;
}

/** A connected player. */
export interface Player extends Account, Pose {}
