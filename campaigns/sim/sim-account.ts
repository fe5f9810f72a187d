import type { Account, Role } from "@orthant/protocol";

/** The token of a client of a simulation: its number and its role. */
export function tokenOf(playerNumber: number, role: Role): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ playerNumber, role }));
}

/** Who such a token stands for. */
export function accountOf(token: Uint8Array): Account {
  const { playerNumber, role } = JSON.parse(new TextDecoder().decode(token)) as {
    playerNumber: number;
    role: Role;
  };
  return { playerId: BigInt(playerNumber), role, name: `player ${playerNumber}` };
}
