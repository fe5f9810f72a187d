/** Where a datagram comes from. */
export interface Wire1Address {
  readonly address: string;
  readonly port: number;
}

/** A name for it that no other one has. */
export function keyOf({ address, port }: Wire1Address): string {
  return `${address} ${port}`;
}
