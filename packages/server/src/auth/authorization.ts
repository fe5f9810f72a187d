import { createHash, type KeyObject } from "node:crypto";
import { isOrthantError, OrthantError } from "@orthant/core";
import { requireId } from "@orthant/core/arguments";
import type { Hello, Role } from "@orthant/protocol";
import type { Account, AccountFault } from "@orthant/protocol/server";
import { type AuthorizedAccount, type AuthorizeRejection, checkedDecision } from "./decision.ts";
import { isExpiredToken, tokenVerifier, type VerifyingKey } from "./token.ts";

/** How players prove who they are. */
export interface AuthOptions {
  /** Tokens are signed with this secret of at least 32 bytes (HS256). */
  readonly secret?: string | Uint8Array;
  /** Tokens are signed with the private half of this Ed25519 key (EdDSA); PEM or a key object. */
  readonly publicKey?: string | KeyObject;
  /** Tokens must name this server. */
  readonly audience?: string;
  /** Whether players without a token may join, and with which role; `true` is builder. */
  readonly anonymous?: boolean | Role;
}

/** Input for a game's own decision. */
export interface AuthorizeRequest {
  /** The client's token as text; empty without a token. */
  readonly token: string;
  /** The client's token as it came. */
  readonly tokenBytes: Uint8Array;
  /** The client's requested name. */
  readonly name: string;
  /** The account by the token, or by the lack of one; `undefined` when the server cannot tell. */
  readonly account: Account | undefined;
}

/**
 * A game's own decision: the account, `{ reject: "You are banned until Monday." }` with a text for the player, or
 * `undefined` to refuse without one.
 */
export type AuthorizeHook = (request: AuthorizeRequest) => Decision | Promise<Decision>;

type Decision = AuthorizedAccount | AuthorizeRejection | undefined;

/** Decides who may join. */
interface Authorization {
  /** Returns a client's account, or why the client may not join, in words that tell an attacker nothing. */
  readonly authorize: (hello: Hello) => Promise<Account | AccountFault>;
  /** Whether any client may join, only because the server is reachable from this machine alone. */
  readonly trustsMachine: boolean;
  /** The role of players without a token; `undefined` when they may not join. */
  readonly anonymous: Role | undefined;
}

/** Dependencies of the authorization. */
interface AuthorizationOptions {
  readonly auth: AuthOptions | undefined;
  readonly hook: AuthorizeHook | undefined;
  readonly isLoopback: boolean;
  readonly nowMs: () => number;
  /** Players who need no token, because this process itself connects them. */
  readonly insider: (hello: Hello) => Account | undefined;
  /** Called with the reason for a refusal, for the log; the client may learn less. */
  readonly onRefused: (why: unknown) => void;
  /** Called with an error that the game's own decision threw, or with what is wrong about its answer. */
  readonly onError: (error: unknown) => void;
}

/** What a client without a token reads. */
const TOKEN_NEEDED = "this server needs a token";
/** What the holder of a token that was valid once reads. */
const TOKEN_EXPIRED = "the token has expired";
/** What all others read, whatever is wrong with their token. */
const NOT_ACCEPTED = "these credentials are not accepted";

type TokenVerifier = ReturnType<typeof tokenVerifier>;

/** Creates the authorization of a server. Rejects options with which no player could join. */
export function authorizationOf(options: AuthorizationOptions): Authorization {
  const { auth = {}, hook, isLoopback, nowMs, insider, onRefused, onError } = options;
  const key = verifyingKeyOf(auth);
  const verify = key === undefined ? undefined : tokenVerifier(key, nowMs);
  const trustsMachine =
    auth.anonymous === undefined && isLoopback && verify === undefined && hook === undefined;
  const anonymous = anonymousRole(auth.anonymous ?? trustsMachine);
  if (verify === undefined && hook === undefined && anonymous === undefined) {
    const detail =
      "no player could join with these options: give a secret, a public key or authorize, or allow anonymous players";
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  const authorize = async (hello: Hello): Promise<Account | AccountFault> => {
    const refuse = (why: unknown, detail: string): AccountFault => {
      onRefused(why);
      return { reason: "credentials", detail };
    };
    let account: Account | undefined;
    try {
      account = insider(hello) ?? (await accountOf(hello, verify, anonymous));
    } catch (error) {
      // Only the holder of a token that this server's key signed learns that it has expired.
      return refuse(error, isExpiredToken(error) ? TOKEN_EXPIRED : NOT_ACCEPTED);
    }
    const decided = hook === undefined ? account : await decisionOf(hook, hello, account, onError);
    if (decided === undefined) {
      const lacksToken = hello.token.length === 0 && account === undefined;
      return refuse("no account", lacksToken ? TOKEN_NEEDED : NOT_ACCEPTED);
    }
    if ("reject" in decided) {
      onRefused(decided.reject);
      return { reason: "kicked", detail: decided.reject };
    }
    return { ...credentialsOf(account), ...decided };
  };
  return { authorize, trustsMachine, anonymous };
}

/** Returns the id of a player without a token: constant for a client, without revealing its secret. */
export function anonymousPlayerId(clientId: bigint): bigint {
  return derivedPlayerId("orthant anonymous", requireId("clientId", clientId));
}

/** Returns the id of a Wire v1 player: always the same for the player's number there. */
export function wire1PlayerId(playerId: number): bigint {
  return derivedPlayerId("orthant wire v1", BigInt(playerId));
}

/** Returns an id that no choice of a number can reach, so that it cannot match a player with a token. */
function derivedPlayerId(kind: string, number: bigint): bigint {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(number);
  return createHash("sha256").update(kind).update(bytes).digest().readBigUInt64LE();
}

/** Fields of the token rather than the player: they stay unless the game's own decision changes them. */
function credentialsOf({
  expiresMs,
  tokenId,
}: Partial<Account> = {}): Pick<Account, "expiresMs" | "tokenId"> {
  return { ...(expiresMs !== undefined && { expiresMs }), ...(tokenId !== undefined && { tokenId }) };
}

/** A game may also refuse by throwing `ORT_CREDENTIALS`; any other error is a fault, and refuses too. */
async function decisionOf(
  hook: AuthorizeHook,
  { token, name }: Hello,
  account: Account | undefined,
  onError: (error: unknown) => void,
): Promise<Account | AuthorizeRejection | undefined> {
  try {
    const text = new TextDecoder().decode(token);
    return checkedDecision(await hook({ token: text, tokenBytes: token, name, account }), name);
  } catch (error) {
    if (!isOrthantError(error, "ORT_CREDENTIALS")) onError(error);
    return undefined;
  }
}

async function accountOf(
  { token, name, clientId }: Hello,
  verify: TokenVerifier | undefined,
  anonymous: Role | undefined,
): Promise<Account | undefined> {
  if (token.length > 0 && verify !== undefined) {
    const { playerId, role, name: given = name, ...credentials } = await verify(token);
    return { playerId, role, name: given, ...credentials };
  }
  if (token.length > 0 || anonymous === undefined) return undefined;
  return { playerId: anonymousPlayerId(clientId), role: anonymous, name, isAnonymous: true };
}

function verifyingKeyOf({ secret, publicKey, audience }: AuthOptions): VerifyingKey | undefined {
  const meant = audience === undefined ? {} : { audience };
  if (secret !== undefined && publicKey !== undefined) {
    throw new OrthantError("ORT_ARGUMENT", "either a secret or a public key, not both");
  }
  if (secret !== undefined) return { secret, ...meant };
  return publicKey === undefined ? undefined : { publicKey, ...meant };
}

function anonymousRole(anonymous: boolean | Role): Role | undefined {
  if (typeof anonymous === "string") return anonymous;
  return anonymous ? "builder" : undefined;
}
