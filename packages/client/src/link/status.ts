import type { OrthantError } from "@orthant/core";
import type { Goodbye } from "@orthant/protocol";

/** How a client stands with its server. `waiting`: it tries again in a while. `closed`: it never will. */
export type Status = "connecting" | "joined" | "waiting" | "closed";

/** More about a change of status. Each field is there only when there is something to say. */
export interface StatusDetail {
  /** What the server said when it ended the connection. */
  readonly goodbye?: Goodbye;
  /** With `waiting`: when the next attempt comes. */
  readonly retryInMs?: number;
  /** Why the connection was lost or, with `closed`, why it will not come back; none when `close` was called. */
  readonly error?: OrthantError;
}
