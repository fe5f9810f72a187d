/** A connection whose peer may not read. */
export interface BackloggedConnection {
  /** Drops the connection because too many bytes wait for all of them together. */
  dropForBacklog(): void;
}

/** Bytes that wait in memory until clients read them. Above a total, the connection with most of them is dropped. */
export class SendBacklog {
  readonly #bytesMax: number;
  readonly #bytesOf = new Map<BackloggedConnection, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Notes how many bytes wait for a connection now. */
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
