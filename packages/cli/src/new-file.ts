import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { OrthantError } from "@orthant/core";
import { systemCode } from "@orthant/disk/node";

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
