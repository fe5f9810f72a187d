import { OrthantError } from "@orthant/core";
import { printable } from "@orthant/core/arguments";
import { bytesEqual, encodeUtf8 } from "@orthant/core/bytes";
import type { RandomBits } from "@orthant/core/lattice";
import { type Goodbye, TOKEN_BYTES_MAX } from "@orthant/protocol";

/** Longest wait before the first retry. */
const BACKOFF_FIRST_MS = 500;
/**
 * Longest wait before any retry, unless the server asks for more. It is short, because players of a cluster or server
 * that was away for a minute wait this much longer; a server that cannot take all clients at once asks for more.
 */
const BACKOFF_MAX_MS = 5_000;
/** Longest wait that a server may ask for. */
const RETRY_AFTER_MAX_MS = 600_000;
/** Duration after which a connection counts as stable and resets the backoff. */
export const STABLE_MS = 10_000;

/**
 * Returns the wait before another attempt, after a number of earlier failures in a row: growing, and random so that many
 * clients do not reconnect at once. `atLeastMs` is what the server asked for.
 */
export function retryWaitMs(failures: number, random: RandomBits, atLeastMs = 0): number {
  const ceilingMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures, 16));
  const fraction = Number(BigInt.asUintN(53, random())) / 2 ** 53;
  return Math.min(atLeastMs, RETRY_AFTER_MAX_MS) + Math.floor(fraction * ceilingMs);
}

/**
 * Returns the error for a goodbye after which retrying is pointless, or `undefined` if it may help. `hasJoined` says
 * whether the server had welcomed the client.
 */
export function finalError(
  { reason, detail, retryAfterMs }: Goodbye,
  hasJoined: boolean,
): OrthantError | undefined {
  const because = detail === "" ? "" : ` (${printable(detail)})`;
  switch (reason) {
    case "version":
      return new OrthantError(
        "ORT_VERSION",
        `the server speaks another version of the protocol: update this program or the server${because}`,
      );
    case "features":
      return new OrthantError(
        "ORT_VERSION",
        `the server lacks a feature that this program needs, or the other way round: update the older one${because}`,
      );
    case "replaced":
      return new OrthantError(
        "ORT_CLOSED",
        `this client joined again elsewhere: use one connection for each client id${because}`,
      );
    case "kicked":
      return new OrthantError(
        "ORT_CLOSED",
        `the server ${hasJoined ? "disconnected this player" : "did not let this player join"}${after(detail)}`,
      );
    default:
      if (retryAfterMs !== undefined) return undefined;
      return new OrthantError("ORT_CLOSED", `the server ended the connection for good: ${reason}${because}`);
  }
}

/** Returns the error for a server fault that will persist, or `undefined` if it may be gone next time. */
export function finalFault(fault: OrthantError): OrthantError | undefined {
  if (fault.code !== "ORT_VERSION") return undefined;
  return new OrthantError("ORT_VERSION", `${fault.detail}: update this program or the server`);
}

/** Returns the error for a refused token when there is no other one to try. */
function refusedToken(detail: string, token: Uint8Array): OrthantError {
  const advice = token.length === 0 ? "give connect the option token" : "connect with a fresh token";
  return new OrthantError(
    "ORT_CREDENTIALS",
    `the server does not accept this client${after(detail)}; ${advice}`,
  );
}

function after(detail: string): string {
  return detail === "" ? "" : `: ${printable(detail)}`;
}

/** A token that identifies a player: text or bytes, or a function that is called for each connection. */
export type TokenOption = string | Uint8Array | (() => TokenValue | Promise<TokenValue>);

type TokenValue = string | Uint8Array;

/** Number of consecutive refusals after which the client gives up, even if each token was fresh. */
const REFUSALS_MAX = 3;

/** Provides the token for each connection, and decides when another one is pointless. */
export class TokenSource {
  readonly #option: TokenOption;
  #token: Uint8Array = new Uint8Array(0);
  #refused: Uint8Array | undefined;
  #refusals = 0;
  #refusal = "";

  constructor(option: TokenOption) {
    this.#option = option;
  }

  /** The token of the current connection. */
  get token(): Uint8Array {
    return this.#token;
  }

  /** Gets the token for the next connection. Returns whether it is worth trying. */
  async refresh(): Promise<"use" | "refused before"> {
    const option = this.#option;
    const value = typeof option === "function" ? await option() : option;
    const token = typeof value === "string" ? encodeUtf8(value) : value;
    if (token.length > TOKEN_BYTES_MAX) {
      throw new OrthantError(
        "ORT_LIMIT",
        `a token of ${token.length} bytes, the limit is ${TOKEN_BYTES_MAX}`,
      );
    }
    this.#token = token;
    return this.#refused !== undefined && bytesEqual(this.#refused, token) ? "refused before" : "use";
  }

  /** The error for the last refusal, when there is no other token to try. */
  get error(): OrthantError {
    return refusedToken(this.#refusal, this.#token);
  }

  /** Records that the server refused the token, and why. Returns whether another one may be available. */
  refuse(detail: string): "try another" | "give up" {
    this.#refusal = detail;
    this.#refused = this.#token;
    this.#refusals++;
    return typeof this.#option === "function" && this.#refusals < REFUSALS_MAX ? "try another" : "give up";
  }

  /** Records that the server accepted the token. */
  accept(): void {
    this.#refused = undefined;
    this.#refusals = 0;
  }
}
