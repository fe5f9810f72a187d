import type { GoodbyeReason } from "./server-message.ts";

/** Why this side closes a connection. */
export interface CloseReason {
  readonly reason: GoodbyeReason;
  /** Human-readable. */
  readonly detail: string;
  /** The player of the connection; `undefined` before the join. */
  readonly playerId: bigint | undefined;
}

/** Sends bytes to the other side of a connection. */
export interface Wire {
  /** Takes ownership of the bytes of one frame. */
  send(frame: Uint8Array): void;
  /** Closes the connection after everything sent so far. */
  close(reason: CloseReason): void;
}
