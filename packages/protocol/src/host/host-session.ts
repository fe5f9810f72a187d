/** The host's end of one connection. */
export interface HostSession {
  /** Who is here; `undefined` before the welcome. */
  readonly playerId: bigint | undefined;
  /** Takes the bytes of one frame. They may be anything; it never throws. */
  receive(frame: Uint8Array): void;
  /** The connection has ended. */
  disconnected(): void;
}
