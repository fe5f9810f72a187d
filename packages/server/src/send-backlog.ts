/** A connection whose peer may not read. */
export interface BackloggedConnection {
  /** Drops the connection because too many bytes wait for all connections together. */
  dropForBacklog(): void;
}

/** Bytes waiting in memory for clients to read them. Above a total, drops the connection with the most. */
export class SendBacklog {
  readonly #bytesMax: number;
  readonly #bytesOf = new Map<BackloggedConnection, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Sets the number of bytes that wait for a connection. */
  set(connection: BackloggedConnection, bytes: number): void {
    this.#bytes += bytes - (this.#bytesOf.get(connection) ?? 0);
    if (bytes === 0) this.#bytesOf.delete(connection);
    else this.#bytesOf.set(connection, bytes);
    while (this.#bytes > this.#bytesMax) this.#dropLargest();
  }

  #dropLargest(): void {
    let largest: BackloggedConnection | undefined;
    let most = 0;
    for (const [connection, bytes] of this.#bytesOf) {
      if (bytes <= most) continue;
      most = bytes;
      largest = connection;
    }
    if (largest === undefined) return;
    this.#bytesOf.delete(largest);
    this.#bytes -= most;
    largest.dropForBacklog();
  }
}
