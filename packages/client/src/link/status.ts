import type { OrthantError } from "@orthant/core";
import type { Goodbye } from "@orthant/protocol";

/** Connection status of a client. `waiting`: it will retry after a while. `closed`: it never will. */
export type Status = "connecting" | "joined" | "waiting" | "closed";

/** Details of a status change. Each field is present only when it applies. */
export interface StatusDetail {
  /** The goodbye with which the server ended the connection. */
  readonly goodbye?: Goodbye;
  /** With `waiting`: time until the next attempt. */
  readonly retryInMs?: number;
  /** Why the connection was lost or, with `closed`, will not return; absent after a call of `close`. */
  readonly error?: OrthantError;
}
