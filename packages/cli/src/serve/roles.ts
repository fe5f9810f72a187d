import type { TokenClaims } from "@orthant/server";
import { UsageError } from "../usage.ts";

/** What a player may do. */
export type Role = TokenClaims["role"];

/** All roles, starting with the fewest rights. */
export const ROLES: readonly Role[] = ["viewer", "builder", "admin"];

/** Parses the name of a role. */
export function parseRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`"${text}" is none of ${ROLES.join(", ")}`);
  return role;
}
