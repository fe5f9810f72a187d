import { crc32, OrthantError } from "@orthant/core";
import type { GenerationFiles } from "./file-names.ts";
import type { GlobalRecord } from "./global-record.ts";

/** Length and checksum of a whole file, as recorded in the manifest, so that no other file passes for it. */
export interface FileSeal {
  readonly bytes: number;
  readonly crc32: number;
}

/** The seals of a generation's three files. */
export type GenerationSeals = Readonly<Record<keyof GenerationFiles, FileSeal>>;

/** Ties a generation's files to its manifest and its world. Rule S94. */
export interface Binding {
  /** Absent for a world without an id. */
  readonly worldId?: bigint;
  readonly seals: GenerationSeals;
}

/** Computes the binding of a generation from the bytes of its files. */
export function bindingOf(
  files: Readonly<Record<keyof GenerationFiles, Uint8Array>>,
  { description: { worldId } }: Pick<GlobalRecord, "description">,
): Binding {
  return {
    ...(worldId !== 0n && { worldId }),
    seals: {
      indexFile: sealOf(files.indexFile),
      globalFile: sealOf(files.globalFile),
      playersFile: sealOf(files.playersFile),
    },
  };
}

/** Throws `ORT_GENERATION` unless a file is the one the manifest means. Without a seal any file passes. */
export function requireSealed(path: string, bytes: Uint8Array, seal: FileSeal | undefined): void {
  if (seal === undefined) return;
  const found = sealOf(bytes);
  if (found.bytes === seal.bytes && found.crc32 === seal.crc32) return;
  const detail =
    `${describeSeal(found)}, but the manifest means one with ${describeSeal(seal)}: ` +
    "the file is of another world or of another state of this one";
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

/**
 * Throws `ORT_GENERATION` if a global file belongs to another world than the manifest. Worlds created before
 * ids existed have none.
 */
export function requireSameWorld(path: string, { description }: GlobalRecord, worldId = 0n): void {
  if (worldId === 0n || description.worldId === 0n || description.worldId === worldId) return;
  const detail = `the file is of world ${hexOfId(description.worldId)}, not ${hexOfId(worldId)}`;
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

/** Formats a world's id as 16 hexadecimal digits. */
export function hexOfId(worldId: bigint): string {
  return worldId.toString(16).padStart(16, "0");
}

function sealOf(bytes: Uint8Array): FileSeal {
  return { bytes: bytes.length, crc32: crc32(bytes) };
}

function describeSeal({ bytes, crc32 }: FileSeal): string {
  return `${bytes} bytes and checksum ${crc32.toString(16).padStart(8, "0")}`;
}
