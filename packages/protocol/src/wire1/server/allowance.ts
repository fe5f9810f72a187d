/** Bytes that may be sent per byte received while the sender's address is unproven. */
const BYTES_FOR_ONE = 3;

/** Limits what is sent to an unproven address to three times what it sent. */
export class Allowance {
  #received = 0;
  #sent = 0;

  /** Counts received bytes. */
  receive(bytes: number): void {
    this.#received += bytes;
  }

  /** Returns true, and counts the bytes as sent, if they may be sent. */
  spend(bytes: number): boolean {
    if (this.#sent + bytes > BYTES_FOR_ONE * this.#received) return false;
    this.#sent += bytes;
    return true;
  }
}
