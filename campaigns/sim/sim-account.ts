import type { Account, Role } from "@orthant/protocol";

/** Encodes a simulated client's number and role as its token. */
export function tokenOf(playerNumber: number, role: Role): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ playerNumber, role }));
}

/** Returns the account of such a token. */
export function accountOf(token: Uint8Array): Account {
  const { playerNumber, role } = JSON.parse(new TextDecoder().decode(token)) as {
    playerNumber: number;
    role: Role;
  };
  return { playerId: BigInt(playerNumber), role, name: `player ${playerNumber}` };
}
