/** Where the bytes for the other side of a connection go. */
export interface Wire {
  /** Takes over the bytes of one frame. */
  send(frame: Uint8Array): void;
  /** Ends the connection, after what was sent. */
  close(): void;
}
