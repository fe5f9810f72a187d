import { createHash, type KeyObject } from "node:crypto";
import { isOrthantError, OrthantError } from "@orthant/core";
import type { Account, Hello, Role } from "@orthant/protocol";
import { tokenVerifier, type VerifyingKey } from "./token.ts";

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
  readonly token: Uint8Array;
  /** The client's requested name. */
  readonly name: string;
  /** The account by the token, or by the lack of one; `undefined` when the server cannot tell. */
  readonly account: Account | undefined;
}

/** A game's own decision: the account, or `undefined` for a client that may not join. */
export type AuthorizeHook = (request: AuthorizeRequest) => Account | undefined | Promise<Account | undefined>;

/** Decides who may join. */
interface Authorization {
  /** Returns a client's account. Throws `ORT_CREDENTIALS`, without details, for one that may not join. */
  readonly authorize: (hello: Hello) => Promise<Account>;
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
  /** Called with the reason for a refusal, for the log; the client does not learn it. */
  readonly onRefused: (why: unknown) => void;
  /** Called with an error that the game's own decision threw. */
  readonly onError: (error: unknown) => void;
}

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
      "no player could join: give a secret, a public key or authorize, or allow anonymous players";
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  const authorize = async (hello: Hello): Promise<Account> => {
    const account =
      insider(hello) ??
      (await accountOf(hello, verify, anonymous).catch((error: unknown) => {
        onRefused(error);
        throw refusal();
      }));
    const { token, name } = hello;
    const decided =
      hook === undefined ? account : await decisionOf(() => hook({ token, name, account }), onError);
    if (decided !== undefined) return { ...credentialsOf(account), ...decided };
    onRefused("no account");
    throw refusal();
  };
  return { authorize, trustsMachine, anonymous };
}

/** Returns the id of a player without a token: constant for a client, without revealing its secret. */
export function anonymousPlayerId(clientId: bigint): bigint {
  return derivedPlayerId("orthant anonymous", clientId);
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

/** The only explanation that a client gets. */
function refusal(): OrthantError {
  return new OrthantError("ORT_CREDENTIALS", "these credentials are not accepted");
}

/** A game may also refuse by throwing that error; any other error is a fault, and refuses too. */
async function decisionOf(
  decide: () => ReturnType<AuthorizeHook>,
  onError: (error: unknown) => void,
): Promise<Account | undefined> {
  try {
    const account = await decide();
    const expiresMs: unknown = account?.expiresMs;
    if (expiresMs === undefined || (typeof expiresMs === "number" && !Number.isNaN(expiresMs)))
      return account;
    throw new OrthantError("ORT_ARGUMENT", `authorize gave expiresMs ${String(expiresMs)}, not a number`);
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
