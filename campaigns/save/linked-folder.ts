import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { DiskImage } from "@orthant/disk";

/** Where a link in the folder of a world leads: to another world, within the world, to nothing, or to itself. */
export const LINK_KINDS = ["outwards", "inwards", "dangling", "circular"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Writes the files of a disk into a new folder. */
export async function writeImage({ directories, files }: DiskImage, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const directory of directories) await mkdir(join(folder, directory), { recursive: true });
  for (const [path, bytes] of files) await writeFile(join(folder, path), bytes);
}

/** Replaces a file or folder of a world with a link. One that leads outwards leads to the same path in `other`. */
export async function placeLink(folder: string, path: string, kind: LinkKind, other: string): Promise<void> {
  const place = join(folder, path);
  const target: Readonly<Record<LinkKind, string>> = {
    outwards: relative(dirname(place), join(other, path)),
    inwards: `${basename(place)}-moved`,
    dangling: "../nowhere",
    circular: basename(place),
  };
  if (kind === "inwards") await rename(place, `${place}-moved`);
  else await rm(place, { recursive: true, force: true });
  await symlink(target[kind], place);
}

/** Returns every name below a folder with its content, as text to compare. Does not follow links. */
export async function contentsOf(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isSymbolicLink()) lines.push(`${name} -> ${await readlink(path)}`);
    else lines.push(found.isFile() ? `${name} ${await readFile(path, "base64")}` : `${name}/`);
  }
  return lines.join("\n");
}
