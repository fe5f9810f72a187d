/** The server's end of one connection. */
export interface ServerConnection {
  /** The connected player; `undefined` before the welcome. */
  readonly playerId: bigint | undefined;
  /** Handles the bytes of one frame, whatever they are. Never throws. */
  receive(frame: Uint8Array): void;
  /** Handles the end of the connection. */
  disconnected(): void;
}
