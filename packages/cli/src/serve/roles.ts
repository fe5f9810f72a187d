import type { TokenClaims } from "@orthant/server";
import { UsageError } from "../usage-error.ts";

/** What a player may do. */
export type Role = TokenClaims["role"];

/** Every role, from the one that may do least. */
export const ROLES: readonly Role[] = ["viewer", "builder", "admin"];

/** The role of that name. */
export function parseRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`"${text}" is none of ${ROLES.join(", ")}`);
  return role;
}
