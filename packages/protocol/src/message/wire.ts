/** Sends bytes to the other side of a connection. */
export interface Wire {
  /** Takes ownership of the bytes of one frame. */
  send(frame: Uint8Array): void;
  /** Closes the connection after everything sent so far. */
  close(): void;
}
