import { requireFlag, requireId, requireText, wrongArgument } from "@orthant/core/arguments";
import type { Account } from "@orthant/protocol/server";
import { ROLES } from "./token.ts";

/** The account that a game's own decision returns. */
export interface AuthorizedAccount extends Omit<Account, "role" | "name"> {
  /** What the player may do; `"builder"` by default. */
  readonly role?: Account["role"];
  /** The name that others see; the client's requested name by default. */
  readonly name?: string;
}

/** A game's refusal, with a text for the player. */
export interface AuthorizeRejection {
  readonly reject: string;
}

type Check = (field: string, value: unknown) => void;

const FIELDS: Readonly<Record<keyof Account, Check>> = {
  playerId: requireId,
  role(field, value) {
    if (typeof value !== "string" || !(ROLES as readonly string[]).includes(value)) {
      throw wrongArgument(field, value, `it is one of ${ROLES.join(", ")}`);
    }
  },
  name: requireText,
  tokenId: requireText,
  isAnonymous: requireFlag,
  expiresMs(field, value) {
    if (typeof value === "number" && !Number.isNaN(value)) return;
    throw wrongArgument(field, value, "it is a number of milliseconds since 1970, or Infinity");
  },
};

/**
 * Returns what a game decided about a client, with defaults filled in. Throws `ORT_ARGUMENT`, which names the field
 * and its value, for an answer that is not a decision.
 */
export function checkedDecision(
  decision: unknown,
  requestedName: string,
): Account | AuthorizeRejection | undefined {
  if (decision === undefined) return undefined;
  if (typeof decision !== "object" || decision === null) {
    const wanted = 'it must return an account such as { playerId: 7n }, { reject: "text" } or undefined';
    throw wrongArgument("the result of authorize", decision, wanted);
  }
  return "reject" in decision ? checkedRejection(decision) : checkedAccount(decision, requestedName);
}

function checkedRejection({ reject }: { readonly reject: unknown }): AuthorizeRejection {
  return { reject: requireText(fieldName("reject"), reject) };
}

function checkedAccount(decision: object, name: string): Account {
  const given: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(decision)) {
    const check = Object.hasOwn(FIELDS, field) ? FIELDS[field as keyof Account] : undefined;
    if (check === undefined || value === undefined) continue;
    check(fieldName(field), value);
    given[field] = value;
  }
  requireId(fieldName("playerId"), given["playerId"]);
  return { role: "builder", name, ...given } as Account;
}

function fieldName(name: string): string {
  return `the ${name} that authorize returned`;
}
