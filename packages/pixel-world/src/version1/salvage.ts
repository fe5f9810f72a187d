import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import type { PixelBodyRef, PixelChunkRef } from "../save.ts";
import { carve } from "./carve.ts";
import { decodeChunk } from "./chunk-payload.ts";
import { readHeader, type Version1Header } from "./read-header.ts";
import { readIndex, type Version1Index } from "./read-index.ts";
import { bodyOfRecord, readPayload, truePosition } from "./version1-save.ts";

/** A fault, and the chunk that it affects, if known. */
export interface SalvageFault {
  readonly error: OrthantError;
  readonly chunk: PixelChunkRef | undefined;
}

/** The recoverable contents of a version 1 file. */
export interface Salvage {
  readonly header: Version1Header;
  /** Readable chunks from the page table. */
  readonly chunks: readonly PixelChunkRef[];
  /** Readable bodies from the body index. */
  readonly bodies: readonly PixelBodyRef[];
  /**
   * Bodies found by scanning the file because the body index is incomplete. Some may have been removed
   * earlier.
   */
  readonly carved: readonly PixelBodyRef[];
  /**
   * Number of whole chunks found by scanning the file because the table is incomplete. Their positions are
   * unknown.
   */
  readonly unplaced: number;
  readonly faults: readonly SalvageFault[];
}

/**
 * Reads everything that the original's recovery rules allow: entries before a truncation, whatever bad
 * entries leave, and payloads that its reader accepted although no writer produces them. Throws only if the
 * header is unreadable.
 */
export async function salvageVersion1(file: DiskFile, dialect: Version1Header["dialect"]): Promise<Salvage> {
  const faults: SalvageFault[] = [];
  const header = await readHeader(file, dialect, "salvage");
  if (header.version !== 1) {
    const error = new OrthantError("ORT_VERSION", `version ${header.version}, read as 1`, { offset: 4 });
    faults.push({ error, chunk: undefined });
  }
  const index = await readIndex(file, header, (error) => faults.push({ error, chunk: undefined }));
  const note = (error: OrthantError, chunk?: PixelChunkRef): void => void faults.push({ error, chunk });
  const chunks = await readableChunks(file, index, note);
  const bodies = await readableBodies(file, header, index, note);
  const tableWhole =
    chunks.length + faults.filter(({ chunk }) => chunk !== undefined).length >= header.chunkCount;
  const found = await carve(file, [...chunks, ...bodies], {
    bodies: !index.bodiesKnown,
    chunks: !tableWhole,
  });
  const known = new Set(bodies.map(({ id }) => id));
  return {
    header,
    chunks,
    bodies,
    carved: found.bodies.filter(({ id }) => !known.has(id)),
    unplaced: found.chunks,
    faults,
  };
}

type Note = (error: OrthantError, chunk?: PixelChunkRef) => void;

async function readableChunks(
  file: DiskFile,
  { chunks }: Version1Index,
  note: Note,
): Promise<readonly PixelChunkRef[]> {
  const readable: PixelChunkRef[] = [];
  for (const ref of chunks) {
    const [strict, strictError] = await attempt(async () =>
      decodeChunk(await readPayload(file, ref, "strict"), ref.storage, "strict"),
    );
    if (strict !== undefined) {
      readable.push(ref);
      continue;
    }
    const [lenient] = await attempt(async () =>
      decodeChunk(await readPayload(file, ref, "salvage"), ref.storage, "salvage"),
    );
    if (strictError !== undefined) note(strictError, ref);
    if (lenient !== undefined) readable.push(ref);
  }
  return readable;
}

async function readableBodies(
  file: DiskFile,
  { dialect }: Version1Header,
  { bodies }: Version1Index,
  note: Note,
): Promise<readonly PixelBodyRef[]> {
  const readable: PixelBodyRef[] = [];
  for (const ref of bodies) {
    const [found, error] = await attempt(async () => {
      if (dialect === "browser") return await truePosition(file, ref);
      bodyOfRecord(await file.readAt(ref.offset, ref.bytes), ref);
      return ref;
    });
    if (found !== undefined) readable.push(found);
    else if (error !== undefined) note(error);
  }
  return readable;
}
