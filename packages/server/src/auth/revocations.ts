import { OrthantError } from "@orthant/core";
import { convertList, requireObject } from "@orthant/core/arguments";
import { U64_MAX } from "@orthant/core/bytes";
import type { Account, AccountFault } from "@orthant/protocol/server";

/** Names a player, or one token by its id (`jti`). */
export type RevocationTarget = { readonly playerId: bigint } | { readonly tokenId: string };

/** A banned player, or a token that is no longer valid. */
export type Revocation = RevocationTarget & {
  /** The reason, for the player to read. */
  readonly reason?: string;
};

/** Decides which accounts are currently valid: those that are neither expired nor revoked. */
export class Revocations {
  readonly #nowMs: () => number;
  #revoked: Map<string, Revocation>;

  /** `nowMs` is the time of day, in milliseconds since 1970. */
  constructor(nowMs: () => number, revoked: readonly Revocation[]) {
    this.#nowMs = nowMs;
    this.#revoked = byKey(revoked);
  }

  /** Returns all revocations. */
  list(): readonly Revocation[] {
    return [...this.#revoked.values()];
  }

  /** Revokes a player or a token. Throws `ORT_ARGUMENT` for a target that is neither. */
  add(revocation: Revocation): void {
    const checked = checkedRevocation(revocation);
    this.#revoked.set(keyOf(checked), checked);
  }

  /** Removes a revocation. Returns whether there was one. */
  remove(target: RevocationTarget): boolean {
    return this.#revoked.delete(keyOf(target));
  }

  /** Replaces all revocations; changes nothing when one of them is invalid. */
  replace(revoked: readonly Revocation[]): void {
    this.#revoked = byKey(revoked);
  }

  /** Returns why an account is not valid now; `undefined` when it is. */
  faultOf({ playerId, tokenId, expiresMs }: Account): AccountFault | undefined {
    // Asked for every player in every second.
    if (this.#revoked.size > 0) {
      const player = this.#revoked.get(playerKey(playerId));
      if (player !== undefined) return { reason: "kicked", detail: because("you may not join", player) };
      const token = tokenId === undefined ? undefined : this.#revoked.get(tokenKey(tokenId));
      if (token !== undefined) {
        return { reason: "credentials", detail: because("this token was revoked", token) };
      }
    }
    if (expiresMs === undefined || this.#nowMs() < expiresMs) return undefined;
    return { reason: "credentials", detail: "the token has expired" };
  }
}

function because(what: string, { reason }: Revocation): string {
  return reason === undefined ? what : `${what}: ${reason}`;
}

function byKey(revoked: readonly Revocation[]): Map<string, Revocation> {
  const own = convertList("revoked", revoked, "it is a list of revocations", checkedRevocation);
  return new Map(own.map((revocation) => [keyOf(revocation), revocation]));
}

/** Returns a copy, which no later change of the caller's object reaches. */
function checkedRevocation(revocation: unknown): Revocation {
  requireObject("the revocation", revocation, '{ playerId: 7n } is a player, { tokenId: "abc" } a token');
  const { playerId, tokenId, reason } = revocation as Record<string, unknown>;
  if (reason !== undefined && typeof reason !== "string") throw notRevocable("a reason that is not text");
  return {
    ...(playerId !== undefined && { playerId }),
    ...(tokenId !== undefined && { tokenId }),
    ...(reason !== undefined && { reason }),
  } as Revocation;
}

function keyOf(revocation: RevocationTarget): string {
  requireObject("the target", revocation, '{ playerId: 7n } is a player, { tokenId: "abc" } a token');
  const { playerId, tokenId }: Record<string, unknown> = revocation;
  if (typeof tokenId === "string" && tokenId !== "" && playerId === undefined) return tokenKey(tokenId);
  if (typeof playerId === "bigint" && playerId >= 0n && playerId <= U64_MAX && tokenId === undefined) {
    return playerKey(playerId);
  }
  throw notRevocable(`playerId ${formatId(playerId)} and tokenId ${formatId(tokenId)}`);
}

function formatId(value: unknown): string {
  const isPlain =
    ["number", "bigint", "string", "boolean", "undefined"].includes(typeof value) || value === null;
  return isPlain ? String(value) : `of type ${typeof value}`;
}

function playerKey(playerId: bigint): string {
  return `player ${playerId}`;
}

function tokenKey(tokenId: string): string {
  return `token ${tokenId}`;
}

function notRevocable(what: string): OrthantError {
  return new OrthantError(
    "ORT_ARGUMENT",
    `cannot revoke ${what}: { playerId: 7n } is a player, { tokenId: "abc" } a token`,
  );
}
