/** The source of a datagram. */
export interface Wire1Address {
  readonly address: string;
  readonly port: number;
}

/** Returns a unique key for an address. */
export function keyOf({ address, port }: Wire1Address): string {
  return `${address} ${port}`;
}
