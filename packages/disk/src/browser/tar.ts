import { OrthantError } from "@orthant/core";
import type { Disk } from "../port/disk.ts";
import { requirePath } from "../port/path.ts";
import { BlobDisk } from "./blob-disk.ts";
import { readTarHeader, TAR_BLOCK_BYTES, tarHeader } from "./tar-header.ts";

const PIECE_BYTES = 1024 * 1024;
/** More files than any world has. */
const TAR_ENTRIES_MAX = 100_000;

/**
 * Packs all files of a disk into one tar archive, which a page can offer for download and every system can
 * unpack. No world may be open on that disk: copy it first, with `copyGeneration`.
 */
export async function packTar(disk: Disk): Promise<Blob> {
  const parts: BlobPart[] = [];
  await packFolder(disk, "", parts);
  parts.push(new Uint8Array(2 * TAR_BLOCK_BYTES));
  return new Blob(parts, { type: "application/x-tar" });
}

/**
 * Returns the files of a tar archive as a read-only disk; they stay in the archive. If the archive contains a
 * single folder, that folder becomes the root. Throws for damaged archives and paths that would leave the
 * root.
 */
export async function unpackTar(archive: Blob): Promise<BlobDisk> {
  const files = new Map<string, Blob>();
  let offset = 0;
  for (;;) {
    const block = new Uint8Array(await archive.slice(offset, offset + TAR_BLOCK_BYTES).arrayBuffer());
    if (block.length < TAR_BLOCK_BYTES) throw truncated(offset);
    const entry = readTarHeader(block);
    if (entry === undefined) break;
    const { kind, bytes } = entry;
    const path = entry.path.replace(/^\.\//, "");
    const start = offset + TAR_BLOCK_BYTES;
    if (start + bytes > archive.size) throw truncated(start);
    if (kind === "file") {
      requirePath(path);
      files.set(path, archive.slice(start, start + bytes));
      if (files.size > TAR_ENTRIES_MAX) {
        throw new OrthantError("ORT_LIMIT", `more than ${TAR_ENTRIES_MAX} files in an archive`);
      }
    }
    offset = start + roundedUp(bytes);
  }
  return new BlobDisk(withoutOuterFolder(files));
}

async function packFolder(disk: Disk, folder: string, parts: BlobPart[]): Promise<void> {
  for (const { name, kind } of await disk.list(folder)) {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (kind === "file") await packFile(disk, path, parts);
    else {
      parts.push(part(tarHeader({ path, kind, bytes: 0 })));
      await packFolder(disk, path, parts);
    }
  }
}

async function packFile(disk: Disk, path: string, parts: BlobPart[]): Promise<void> {
  const file = await disk.open(path, "read");
  try {
    const bytes = await file.size();
    parts.push(part(tarHeader({ path, kind: "file", bytes })));
    for (let offset = 0; offset < bytes; offset += PIECE_BYTES) {
      // A separate blob for each piece, so that the browser can move it out of memory.
      const piece = await file.readAt(offset, Math.min(PIECE_BYTES, bytes - offset));
      parts.push(new Blob([part(piece)]));
    }
    parts.push(new Uint8Array(roundedUp(bytes) - bytes));
  } finally {
    await file.close();
  }
}

/** The types require that the buffer is not shared. */
function part(bytes: Uint8Array): BlobPart {
  return bytes as Uint8Array<ArrayBuffer>;
}

function withoutOuterFolder(files: ReadonlyMap<string, Blob>): ReadonlyMap<string, Blob> {
  const outer = new Set([...files.keys()].map((path) => path.slice(0, path.indexOf("/") + 1)));
  const [folder = ""] = outer;
  if (outer.size !== 1 || folder === "") return files;
  return new Map(Array.from(files, ([path, file]) => [path.slice(folder.length), file]));
}

function roundedUp(bytes: number): number {
  return Math.ceil(bytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
}

function truncated(offset: number): OrthantError {
  return new OrthantError("ORT_TRUNCATED", "the archive ends too early", { offset });
}
