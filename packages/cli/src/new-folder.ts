import { randomBytes } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { NodeDisk, systemCode } from "@orthant/disk/node";
import { UsageError } from "./usage-error.ts";

/**
 * Creates a folder with the content that `fill` writes. The folder is complete or absent: it is filled under
 * a temporary name beside it and renamed at the end. An existing empty folder is filled in place, and emptied
 * again on failure. Throws `ORT_NOT_EMPTY` when the folder has content.
 */
export async function makeFolder<Value>(
  folder: string,
  fill: (disk: Disk) => Promise<Value>,
): Promise<Value> {
  const target = resolve(folder);
  if ((await requireNewFolder(folder)) === "missing") return makeBeside(target, fill);
  try {
    return await fill(new NodeDisk(target));
  } catch (error) {
    for (const name of (await namesIn(target)) ?? [])
      await rm(join(target, name), { recursive: true, force: true });
    throw error;
  }
}

/** Throws `ORT_NOT_EMPTY` unless a folder is empty or missing. */
export async function requireNewFolder(folder: string): Promise<"missing" | "empty"> {
  const found = await namesIn(resolve(folder));
  if (found === undefined) return "missing";
  if (found.length === 0) return "empty";
  throw new OrthantError("ORT_NOT_EMPTY", `the folder "${folder}" is not empty`);
}

/** Rejects a target folder inside the source world. */
export function requireOutside(folder: string, world: string): void {
  if (!resolve(folder).startsWith(resolve(world) + sep)) return;
  throw new UsageError(`"${folder}" lies inside the world "${world}"; name a folder beside it`);
}

async function makeBeside<Value>(target: string, fill: (disk: Disk) => Promise<Value>): Promise<Value> {
  const parent = dirname(target);
  const temporary = join(parent, `.${basename(target)}.unfinished-${randomBytes(4).toString("hex")}`);
  const beside = await NodeDisk.create(parent);
  try {
    const value = await fill(await NodeDisk.create(temporary));
    await rename(temporary, target);
    await beside.syncDirectory("");
    return value;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the names in a folder; `undefined` when it is missing. Rejects a file of that name. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR")
      throw new OrthantError(
        "ORT_EXISTS",
        `"${folder}" is a file; name a folder that does not exist yet`,
        {},
        { cause: error },
      );
    throw error;
  }
}
