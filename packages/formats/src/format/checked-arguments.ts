import { type Check, whole, wrongArgument } from "@orthant/core/arguments";
import { U8_MAX } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";

// Checks of arguments that several conversions have. Each throws `ORT_ARGUMENT` with the argument's name, its value and
// what would be right.

/** Requires a disk, or nothing for a conversion that only reports. */
export function requireTarget(target: unknown): asserts target is Disk | undefined {
  if (target !== undefined) requireDisk("target", target);
}

/** A new file. */
interface FileTarget {
  readonly disk: Disk;
  readonly path: string;
}

/** Returns a copy of a disk with a path, or nothing for a conversion that only reports. */
export function checkedFileTarget(target: unknown): FileTarget | undefined {
  if (target === undefined) return undefined;
  const advice = "it is { disk, path }, or undefined to report only";
  if (typeof target !== "object" || target === null) throw wrongArgument("target", target, advice);
  const { disk, path } = target as { readonly disk?: unknown; readonly path?: unknown };
  requireDisk("target.disk", disk);
  if (typeof path !== "string") throw wrongArgument("target.path", path, "it is a string");
  return { disk, path };
}

/** The block instead of those that the other format cannot hold. */
export const standInBlock: Check<number> = whole(0, U8_MAX);
