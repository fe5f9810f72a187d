import { type Check, fieldsOf, type OptionTable, whole } from "@orthant/core/arguments";
import { DEFAULT_OPERATION_LIMITS, type OperationLimits, type Role } from "@orthant/protocol";

/** The roles whose players may do operations, with limits that differ from the defaults. */
export type OperationRoles = Partial<Record<Role, Partial<OperationLimits>>>;

/** Limits that may be 0: then there is none of it. */
const MAY_BE_NONE: ReadonlySet<string> = new Set([
  "clipboardsMax",
  "clipboardBytesMax",
  "undoStepsMax",
  "undoBytesMax",
  "undoAgeMs",
  "confirmVoxels",
]);

const LIMITS = Object.fromEntries(
  Object.keys(DEFAULT_OPERATION_LIMITS).map((name) => [name, whole(MAY_BE_NONE.has(name) ? 0 : 1)]),
) as OptionTable<Partial<OperationLimits>>;

const limits = fieldsOf(LIMITS);

/** Checks which roles may do operations. */
export const requireOperationRoles: Check<OperationRoles> = fieldsOf<OperationRoles>({
  viewer: limits,
  builder: limits,
  admin: limits,
});

/** Returns the limits of each role that may do operations. */
export function operationLimitsOf(roles: OperationRoles = {}): Partial<Record<Role, OperationLimits>> {
  return Object.fromEntries(
    Object.entries(roles).map(([role, given]) => [role, { ...DEFAULT_OPERATION_LIMITS, ...given }]),
  );
}
