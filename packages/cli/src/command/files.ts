import { randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { OrthantError } from "@orthant/core";
import { NodeDisk, systemCode } from "@orthant/disk/node";
import { UsageError } from "./usage.ts";

/**
 * Creates a folder with the content that `fill` writes. The folder is complete or absent: it is filled under
 * a temporary name beside it and renamed at the end. An existing empty folder is filled in place, and emptied
 * again on failure. Throws `ORT_NOT_EMPTY` when the folder has content.
 */
export async function makeFolder<Value>(
  folder: string,
  fill: (disk: NodeDisk) => Promise<Value>,
): Promise<Value> {
  const target = resolve(folder);
  if ((await requireNewFolder(folder)) === "missing") return makeInSibling(target, fill);
  try {
    return await fill(new NodeDisk(target));
  } catch (error) {
    for (const name of (await namesIn(target)) ?? [])
      await rm(join(target, name), { recursive: true, force: true });
    throw error;
  }
}

/**
 * Creates a folder like {@link makeFolder}, under a temporary name that stays after a failure or a kill: the next call
 * gets what is there. Only one process can do that at a time; another gets `ORT_LOCKED`. Throws `ORT_NOT_EMPTY` if there
 * is a folder already.
 */
export async function makeFolderInParts<Value>(
  folder: string,
  fill: (disk: NodeDisk) => Promise<Value>,
): Promise<Value> {
  const target = resolve(folder);
  await requireNewFolder(folder);
  const temporary = unfinishedFolder(target);
  const beside = await NodeDisk.create(dirname(target));
  const disk = await NodeDisk.create(temporary);
  // Refuses a link of that name, which would lead the work elsewhere.
  await beside.makeDirectory(basename(temporary));
  const lock = await disk.lock("import");
  const value = await fill(disk).finally(() => lock.release());
  await rmdir(target).catch(() => undefined);
  await rename(temporary, target);
  await beside.syncDirectory("");
  return value;
}

/** Returns the folder that {@link makeFolderInParts} left unfinished, or would. */
export function unfinishedFolder(folder: string): string {
  const target = resolve(folder);
  return join(dirname(target), `.${basename(target)}.unfinished`);
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

async function makeInSibling<Value>(
  target: string,
  fill: (disk: NodeDisk) => Promise<Value>,
): Promise<Value> {
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

/**
 * Creates a file with the bytes that `fill` appends. Writes to a temporary name beside it and renames it at
 * the end, so that the file is complete or absent. Throws `ORT_EXISTS` when the file exists and may not be
 * replaced.
 */
export async function makeFile(
  file: string,
  mayReplace: boolean,
  fill: (append: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const target = resolve(file);
  const found = await stat(target).catch(() => undefined);
  if (found !== undefined && (!mayReplace || !found.isFile())) {
    throw new OrthantError("ORT_EXISTS", `there is "${file}" already; --force replaces it`);
  }
  const temporary = join(
    dirname(target),
    `.${basename(target)}.unfinished-${randomBytes(4).toString("hex")}`,
  );
  let handle: FileHandle | undefined;
  try {
    const opened = await open(temporary, "wx").catch((cause: unknown) => {
      throw systemCode(cause) === "ENOENT" ? noFolder(file, cause) : cause;
    });
    handle = opened;
    await fill(async (bytes) => void (await opened.write(bytes)));
    await opened.sync();
    await opened.close();
    await rename(temporary, target);
  } catch (error) {
    await handle?.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

function noFolder(file: string, cause: unknown): OrthantError {
  const detail = `there is no folder "${dirname(file)}" for "${basename(file)}"; make it first`;
  return new OrthantError("ORT_NOT_FOUND", detail, {}, { cause });
}
