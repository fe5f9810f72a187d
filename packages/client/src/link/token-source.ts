import { bytesEqual, encodeUtf8, OrthantError } from "@orthant/core";
import { TOKEN_BYTES_MAX } from "@orthant/protocol";

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
        `a token of ${token.length} bytes where at most ${TOKEN_BYTES_MAX} may be`,
      );
    }
    this.#token = token;
    return this.#refused !== undefined && bytesEqual(this.#refused, token) ? "refused before" : "use";
  }

  /** Records that the server refused the token. Returns whether another one may be available. */
  refuse(): "try another" | "give up" {
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
