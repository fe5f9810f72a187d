/** So many bytes leave for one that came, as long as nobody knows whether the sender is where it says. */
const BYTES_FOR_ONE = 3;

/** What may be sent to an address that has not proven itself: at most three times what came from it. */
export class Allowance {
  #received = 0;
  #sent = 0;

  /** Bytes came. */
  receive(bytes: number): void {
    this.#received += bytes;
  }

  /** Whether so many bytes may leave; they count as sent if so. */
  spend(bytes: number): boolean {
    if (this.#sent + bytes > BYTES_FOR_ONE * this.#received) return false;
    this.#sent += bytes;
    return true;
  }
}
