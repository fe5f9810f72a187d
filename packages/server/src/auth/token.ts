import { createPrivateKey, createPublicKey, KeyObject } from "node:crypto";
import { isOrthantError, OrthantError } from "@orthant/core";
import {
  nameFault,
  requireFunction,
  requireId,
  requireObject,
  requireText,
  wrongArgument,
} from "@orthant/core/arguments";
import { U64_MAX } from "@orthant/core/bytes";
import { NAME_BYTES_MAX, type Role } from "@orthant/protocol";
import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";

/** The claims of a token about its holder. */
export interface TokenClaims {
  readonly playerId: bigint;
  readonly role: Role;
  /** The name others see; the client's own choice by default. */
  readonly name?: string | undefined;
  /** Identifies this token (`jti`), so that it can be revoked alone. */
  readonly tokenId?: string | undefined;
}

/** The claims of an accepted token. */
export interface VerifiedClaims {
  readonly playerId: bigint;
  readonly role: Role;
  readonly name?: string;
  readonly tokenId?: string;
  /** When it expires, in milliseconds since 1970, including the clock tolerance. */
  readonly expiresMs: number;
}

/** Signs tokens: a secret shared with the server (HS256), or the private half of a key (EdDSA, Ed25519). */
export type SigningKey = TokenAudience &
  ({ readonly secret: string | Uint8Array } | { readonly privateKey: string | KeyObject });

/** Checks tokens: the secret that signed them (HS256), or the public half of the key (EdDSA, Ed25519). */
export type VerifyingKey = TokenAudience &
  ({ readonly secret: string | Uint8Array } | { readonly publicKey: string | KeyObject });

interface TokenAudience {
  /** The server that tokens are meant for, when several have the same key. */
  readonly audience?: string;
}

/** The only accepted algorithm, and its key. */
interface Verification {
  readonly algorithm: "HS256" | "EdDSA";
  readonly key: Uint8Array | KeyObject;
}

/** A shorter secret could be found by brute force. */
export const SECRET_BYTES_MIN = 32;
/** Tolerated difference between the clocks of machines. */
const CLOCK_TOLERANCE_SECONDS = 5;
const DECIMAL = /^(?:0|[1-9]\d{0,19})$/;
/** All roles. */
export const ROLES: readonly Role[] = ["viewer", "builder", "admin"];

/** Signs a token for a player: a JSON Web Token, which the client sends unchanged. */
export async function issueToken(
  claims: TokenClaims & { readonly expiresInSeconds: number },
  givenKey: SigningKey,
  nowMs: number = Date.now(),
): Promise<string> {
  // A copy, so that what is checked is what is used.
  const key = typeof givenKey === "object" && givenKey !== null ? { ...givenKey } : givenKey;
  requireObject("claims", claims, "it is { playerId, role, expiresInSeconds }");
  const { playerId, role, name, tokenId, expiresInSeconds } = claims;
  requireId("playerId", playerId);
  requireKey(key, "privateKey");
  if (!Number.isFinite(nowMs))
    throw wrongArgument("nowMs", nowMs, "it is a number of milliseconds since 1970");
  const wrong = problemOf(String(playerId), role, name, tokenId);
  const problem = wrong ?? nameFault(name ?? "");
  if (problem !== undefined) throw new OrthantError("ORT_ARGUMENT", problem);
  if (typeof expiresInSeconds !== "number") {
    throw wrongArgument("expiresInSeconds", expiresInSeconds, "it is a number of seconds");
  }
  if (!Number.isFinite(expiresInSeconds) || expiresInSeconds <= 0) {
    throw wrongArgument("expiresInSeconds", expiresInSeconds, "it is a number of seconds above 0");
  }
  const [algorithm, signing] =
    "secret" in key
      ? ["HS256", secretBytes(key.secret)]
      : ["EdDSA", ed25519(key.privateKey, createPrivateKey)];
  const nowSeconds = Math.floor(nowMs / 1000);
  const token = new SignJWT(name === undefined ? { role } : { role, name })
    .setProtectedHeader({ alg: algorithm })
    .setSubject(String(playerId))
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + Math.ceil(expiresInSeconds));
  if (tokenId !== undefined) token.setJti(tokenId);
  if (key.audience !== undefined) token.setAudience(key.audience);
  return token.sign(signing);
}

/** Returns whether an error of a verifier is about a valid signature of this key and an expiry in the past. */
export function isExpiredToken(error: unknown): boolean {
  return isOrthantError(error, "ORT_CREDENTIALS") && error.cause instanceof errors.JWTExpired;
}

/**
 * Returns a function that verifies a token and returns its claims, or throws `ORT_CREDENTIALS`. Rejects a weak
 * key.
 */
export function tokenVerifier(
  givenKey: VerifyingKey,
  nowMs: () => number = Date.now,
): (token: Uint8Array) => Promise<VerifiedClaims> {
  const key = typeof givenKey === "object" && givenKey !== null ? { ...givenKey } : givenKey;
  requireKey(key, "publicKey");
  requireFunction("nowMs", nowMs);
  const { algorithm, key: verifying } = verificationOf(key);
  return async (token) => {
    const verified = jwtVerify(token, verifying, {
      // Only this one: the token's own claim about its algorithm is ignored.
      algorithms: [algorithm],
      requiredClaims: ["exp", "sub"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs()),
      ...(key.audience === undefined ? {} : { audience: key.audience }),
    });
    const { payload } = await verified.catch((cause: unknown) => {
      throw new OrthantError("ORT_CREDENTIALS", `the token is not valid: ${String(cause)}`, {}, { cause });
    });
    return claimsOf(payload);
  };
}

/** Throws `ORT_ARGUMENT` unless `key` has a secret, or the half of a key with this name. */
function requireKey(key: unknown, half: "privateKey" | "publicKey"): void {
  const advice = `it is { secret } or { ${half} }`;
  requireObject("key", key, advice);
  const { audience, secret, ...halves } = key as Readonly<Record<string, unknown>>;
  if (audience !== undefined) requireText("key.audience", audience);
  if ("secret" in key) {
    if (typeof secret === "string" || secret instanceof Uint8Array) return;
    // The message does not show it: it may be a secret of another kind.
    throw new OrthantError(
      "ORT_ARGUMENT",
      `key.secret is of type ${typeof secret}; it is a string or a Uint8Array`,
    );
  }
  const value = halves[half];
  if (typeof value !== "string" && !(value instanceof KeyObject)) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `key.${half} is of type ${typeof value}; ${advice}, in PEM or as a KeyObject`,
    );
  }
}

function claimsOf({ sub, role, name, jti, exp = 0 }: JWTPayload): VerifiedClaims {
  const wrong = problemOf(sub, role, name, jti);
  if (wrong !== undefined) throw new OrthantError("ORT_CREDENTIALS", wrong);
  return {
    playerId: BigInt(sub ?? ""),
    role: role as Role,
    ...(typeof name === "string" && { name }),
    ...(jti !== undefined && { tokenId: jti }),
    expiresMs: (exp + CLOCK_TOLERANCE_SECONDS) * 1000,
  };
}

function problemOf(subject: unknown, role: unknown, name: unknown, tokenId: unknown): string | undefined {
  if (typeof subject !== "string" || !DECIMAL.test(subject) || BigInt(subject) > U64_MAX) {
    return "the subject is not a player id: a decimal number below 2^64";
  }
  if (typeof role !== "string" || !(ROLES as readonly string[]).includes(role))
    return `the role is not one of ${ROLES.join(", ")}`;
  if (tokenId !== undefined && (typeof tokenId !== "string" || tokenId === "")) {
    return "the tokenId is not text";
  }
  if (name === undefined) return undefined;
  if (typeof name !== "string") return "the name is not text";
  return Buffer.byteLength(name) > NAME_BYTES_MAX
    ? `the name has more than ${NAME_BYTES_MAX} bytes`
    : undefined;
}

function verificationOf(key: VerifyingKey): Verification {
  if ("secret" in key) return { algorithm: "HS256", key: secretBytes(key.secret) };
  return { algorithm: "EdDSA", key: ed25519(key.publicKey, createPublicKey) };
}

function secretBytes(secret: string | Uint8Array): Uint8Array {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (bytes.length >= SECRET_BYTES_MIN) return bytes;
  const detail = `a secret of ${bytes.length} bytes could be guessed; it needs ${SECRET_BYTES_MIN} random ones`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

function ed25519(key: string | KeyObject, parse: (pem: string) => KeyObject): KeyObject {
  const parsed = typeof key === "string" ? parsePem(key, parse) : key;
  if (parsed.asymmetricKeyType === "ed25519") return parsed;
  throw new OrthantError("ORT_ARGUMENT", `a key of type ${parsed.asymmetricKeyType}, not ed25519`);
}

function parsePem(pem: string, parse: (pem: string) => KeyObject): KeyObject {
  try {
    return parse(pem);
  } catch (cause) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      "the key is not an Ed25519 key in PEM, such as openssl genpkey -algorithm ed25519 makes",
      {},
      { cause },
    );
  }
}
