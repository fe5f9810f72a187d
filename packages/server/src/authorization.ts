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
  /** Whether players without a token may come, and with which role; `true` is builder. */
  readonly anonymous?: boolean | Role;
}

/** What a game's own decision is made from. */
export interface AuthorizeRequest {
  readonly token: Uint8Array;
  /** What the client would like to be called. */
  readonly name: string;
  /** Who the token, or the lack of one, says that it is; `undefined` when the server cannot tell. */
  readonly account: Account | undefined;
}

/** A game's own decision: who it is, or `undefined` for somebody who must not come in. */
export type AuthorizeHook = (request: AuthorizeRequest) => Account | undefined | Promise<Account | undefined>;

/** Who may come in. */
export interface Authorization {
  /** Who a client is; throws `ORT_CREDENTIALS`, which says no more, for one who must not come in. */
  readonly authorize: (hello: Hello) => Promise<Account>;
  /** Whether anybody may come in only because this machine alone reaches the server. */
  readonly trustsMachine: boolean;
  /** The role of players without a token; `undefined` when they may not come in. */
  readonly anonymous: Role | undefined;
}

/** What authorization needs to know about its server. */
export interface AuthorizationOptions {
  readonly auth: AuthOptions | undefined;
  readonly hook: AuthorizeHook | undefined;
  readonly isLoopback: boolean;
  readonly nowMs: () => number;
  /** Players who need no token, because this process itself connects them. */
  readonly insider: (hello: Hello) => Account | undefined;
  /** Told why somebody was refused, for the log: the client is not. */
  readonly onRefused: (why: unknown) => void;
  /** Told what the game's own decision threw. */
  readonly onError: (error: unknown) => void;
}

type TokenVerifier = ReturnType<typeof tokenVerifier>;

/** Puts together who may come in. A server that nobody could enter is refused. */
export function authorizationOf(options: AuthorizationOptions): Authorization {
  const { auth = {}, hook, isLoopback, nowMs, insider, onRefused, onError } = options;
  const key = verifyingKeyOf(auth);
  const verify = key === undefined ? undefined : tokenVerifier(key, nowMs);
  const trustsMachine =
    auth.anonymous === undefined && isLoopback && verify === undefined && hook === undefined;
  const anonymous = anonymousRole(auth.anonymous ?? trustsMachine);
  if (verify === undefined && hook === undefined && anonymous === undefined) {
    const detail =
      "nobody could come in: give a secret, a public key or authorize, or allow anonymous players";
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

/** The id of a player without a token: always the same for a client, and it does not tell the client's secret. */
export function anonymousPlayerId(clientId: bigint): bigint {
  return derivedPlayerId("orthant anonymous", clientId);
}

/** The id of a player who came over Wire v1: always the same for the number that the player has there. */
export function wire1PlayerId(playerId: number): bigint {
  return derivedPlayerId("orthant wire v1", BigInt(playerId));
}

/** An id that nobody gets by choosing a number, whatever numbers players with a token have. */
function derivedPlayerId(kind: string, number: bigint): bigint {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(number);
  return createHash("sha256").update(kind).update(bytes).digest().readBigUInt64LE();
}

/** What belongs to the token and not to the player: it stays unless the game's own decision says otherwise. */
function credentialsOf({
  expiresMs,
  tokenId,
}: Partial<Account> = {}): Pick<Account, "expiresMs" | "tokenId"> {
  return { ...(expiresMs !== undefined && { expiresMs }), ...(tokenId !== undefined && { tokenId }) };
}

/** All that a client is ever told. */
function refusal(): OrthantError {
  return new OrthantError("ORT_CREDENTIALS", "these credentials are not accepted");
}

/** A game may also say no by throwing that; anything else that it throws is a fault, and a no. */
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
