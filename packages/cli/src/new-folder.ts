import { randomBytes } from "node:crypto";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { NodeDisk, systemCode } from "@orthant/disk/node";
import { UsageError } from "./usage-error.ts";

/**
 * Makes a folder with what `fill` writes into it. The folder is there with all of its content or not at all: it is
 * filled under another name beside its own, and gets its name at the end. A folder that is there already and empty is
 * filled in place and emptied again when that fails. `ORT_NOT_EMPTY` when something is in it.
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

/** Throws `ORT_NOT_EMPTY` unless nothing is in a folder, or there is none. */
export async function requireNewFolder(folder: string): Promise<"missing" | "empty"> {
  const found = await namesIn(resolve(folder));
  if (found === undefined) return "missing";
  if (found.length === 0) return "empty";
  throw new OrthantError("ORT_NOT_EMPTY", `the folder "${folder}" is not empty`);
}

/** Refuses a folder for something new that lies inside the world that it is made from. */
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

/** What a folder holds; `undefined` when it is not there. A file of that name is refused. */
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
