import { OrthantError } from "@orthant/core";
import { decode, decodeUtf8, encode, encodeUtf8, type FixedCodec, struct } from "@orthant/core/bytes";
import type { Disk } from "../port/disk.ts";
import { requirePath } from "../port/path.ts";
import { BlobDisk } from "./blob-disk.ts";

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

/** All parts of an archive are padded to a multiple of this. */
const TAR_BLOCK_BYTES = 512;

/** A file or folder in an archive. */
interface TarEntry {
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly bytes: number;
}

const FILE = "0";
const FOLDER = "5";
const MAGIC = "ustar";
const NUMBER = /^ *(?<digits>[0-7]+)[ \0]*$/;

/** POSIX ustar, field by field; numbers are octal digits, and text ends with its field or with a zero. */
const ustar = struct({
  name: text(100),
  mode: text(8),
  owner: text(8),
  group: text(8),
  size: text(12),
  modified: text(12),
  checksum: text(8),
  kind: text(1),
  link: text(100),
  magic: text(6),
  version: text(2),
  ownerName: text(32),
  groupName: text(32),
  deviceMajor: text(8),
  deviceMinor: text(8),
  prefix: text(155),
  rest: text(12),
});

/** Returns the block before a file's content. Throws `ORT_LIMIT` for names over 100 bytes, or 8 GiB. */
function tarHeader({ path, kind, bytes }: TarEntry): Uint8Array {
  const isFolder = kind === "directory";
  const header = encode(ustar, {
    name: isFolder ? `${path}/` : path,
    mode: isFolder ? "0000755" : "0000644",
    owner: "0000000",
    group: "0000000",
    size: octal(bytes, 11),
    modified: octal(0, 11),
    checksum: " ".repeat(8),
    kind: isFolder ? FOLDER : FILE,
    link: "",
    magic: MAGIC,
    version: "00",
    ownerName: "",
    groupName: "",
    deviceMajor: "",
    deviceMinor: "",
    prefix: "",
    rest: "",
  });
  header.set(encodeUtf8(`${octal(sumOf(header), 6)}\0 `), ustar.offsets.checksum);
  return header;
}

/** Parses the block before a file; returns `undefined` for a block of zeros, which ends an archive. */
function readTarHeader(block: Uint8Array): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const header = decode(ustar, block);
  if (header.magic.trimEnd() !== MAGIC) throw new OrthantError("ORT_MAGIC", "this is not a tar archive");
  const blanked = block.slice();
  blanked.fill(0x20, ustar.offsets.checksum, ustar.offsets.kind);
  if (number(header.checksum) !== sumOf(blanked)) {
    throw new OrthantError("ORT_CHECKSUM", `the header of ${JSON.stringify(header.name)} is damaged`);
  }
  const kind = kindOf(header.kind);
  const path = (header.prefix === "" ? "" : `${header.prefix}/`) + header.name;
  return { path: path.replace(/\/$/, ""), kind, bytes: kind === "file" ? number(header.size) : 0 };
}

function kindOf(letter: string): TarEntry["kind"] {
  if (letter === FILE || letter === "") return "file";
  if (letter === FOLDER) return "directory";
  const detail = `a part of kind ${JSON.stringify(letter)} in an archive: pack it with tar --format=ustar`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

/** UTF-8 text, padded with zeros. */
function text(bytes: number): FixedCodec<string> {
  return {
    bytes,
    write(out, value) {
      const encoded = encodeUtf8(value);
      if (encoded.length > bytes) {
        throw new OrthantError("ORT_LIMIT", `${JSON.stringify(value)} is over ${bytes} bytes for an archive`);
      }
      out.raw(encoded);
      out.raw(new Uint8Array(bytes - encoded.length));
    },
    read(input) {
      const field = input.view(bytes);
      const end = field.indexOf(0);
      const decoded = decodeUtf8(field, 0, end < 0 ? bytes : end);
      if (decoded === undefined) throw input.fail("ORT_UTF8", "a name in an archive is not UTF-8");
      return decoded;
    },
  };
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function number(field: string): number {
  const digits = NUMBER.exec(field)?.groups?.["digits"];
  if (digits === undefined) throw new OrthantError("ORT_ARGUMENT", `${JSON.stringify(field)} is not a size`);
  return Number.parseInt(digits, 8);
}

function sumOf(block: Uint8Array): number {
  return block.reduce((sum, byte) => sum + byte, 0);
}
