import { isOrthantError, OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import { decodeBody } from "../format/body.ts";
import { ENTRIES_OFFSET } from "../format/layout.ts";
import { STORAGE, storageNamed } from "../format/pixels.ts";
import type { PixelBodyRef, PixelChunkRef, PixelFacts } from "../format/save.ts";
import { decodeChunk } from "./chunk-payload.ts";
import { type Entry, scanEntries } from "./entry.ts";
import { deadBytesOf, newestSlot, readSlots, readWritableState, type Version2State } from "./header.ts";
import { readBodyEntry, readChunkEntry } from "./save.ts";
import { BodyIndex, ChunkIndex, type PixelIndex } from "./table.ts";

/** The recoverable contents of a version 2 file. */
export interface Salvaged {
  readonly facts: PixelFacts;
  readonly modifiedMs: number;
  readonly chunks: readonly PixelChunkRef[];
  readonly bodies: readonly PixelBodyRef[];
  /** Descriptions of what is lost, or may be. */
  readonly losses: readonly string[];
}

/**
 * If the tables are readable, recovers the intact entries that they name, and replaces each damaged entry
 * with an older one if there is any. Otherwise scans the file for the last entry of each chunk and body;
 * removed ones stay removed.
 */
export async function salvageVersion2(path: string, file: DiskFile): Promise<Salvaged> {
  const [state, error] = await attempt(() => readWritableState(file));
  if (state !== undefined) return followTables(path, file, state);
  const { state: found, damage, gaps } = await stateOfEntries(file, error);
  const losses = [damage.detail];
  for (const { offset, bytes } of gaps)
    losses.push(`${bytes} bytes at offset ${offset} are not a whole entry`);
  const { facts, modifiedMs, index } = found;
  return { facts, modifiedMs, chunks: [...index.chunks], bodies: [...index.bodies], losses };
}

/** Bytes that belong to no entry. */
interface Gap {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Returns what the entries of a file say, whose tables cannot be read because of `cause`: the last whole one
 * of each chunk and body. Throws `cause` if no header is intact, because without one the layout of a pixel is
 * unknown.
 */
export async function stateOfEntries(
  file: DiskFile,
  cause: OrthantError,
): Promise<{ readonly state: Version2State; readonly damage: OrthantError; readonly gaps: readonly Gap[] }> {
  const slot = newestSlot(await readSlots(file));
  if (slot === undefined) throw cause;
  const { facts, generation, modifiedMs } = slot;
  const { index, gaps } = await walk(file, facts);
  const end = Math.max(ENTRIES_OFFSET, await file.size());
  const deadBytes = deadBytesOf(index, [], end);
  const detail = `the tables cannot be read (${cause.message}); ${index.chunks.size} chunks and ${index.bodies.size} bodies are what the last entries say`;
  return {
    state: {
      facts,
      generation,
      modifiedMs,
      index,
      tables: [],
      end,
      deadBytes,
      headerFault: undefined,
      rolledForward: false,
    },
    damage: new OrthantError(cause.code, detail, cause.context, { cause }),
    gaps,
  };
}

async function followTables(
  path: string,
  file: DiskFile,
  { facts, modifiedMs, index }: Version2State,
): Promise<Salvaged> {
  const chunks: PixelChunkRef[] = [];
  const bodies: PixelBodyRef[] = [];
  const lost: { readonly chunk?: PixelChunkRef; readonly body?: PixelBodyRef; readonly reason: string }[] =
    [];
  for (const ref of index.chunks) {
    const [, error] = await attempt(() => readChunkEntry(path, file, ref, facts));
    if (error === undefined) chunks.push(ref);
    else lost.push({ chunk: ref, reason: error.message });
  }
  for (const ref of index.bodies) {
    const [, error] = await attempt(() => readBodyEntry(path, file, ref, facts));
    if (error === undefined) bodies.push(ref);
    else lost.push({ body: ref, reason: error.message });
  }
  if (lost.length === 0) return { facts, modifiedMs, chunks, bodies, losses: [] };
  const older = (await walk(file, facts)).index;
  const losses = lost.map(({ chunk, body, reason }) => {
    const what = chunk === undefined ? `body ${body?.id}` : `chunk [${chunk.x}, ${chunk.y}]`;
    const substitute =
      chunk === undefined ? older.bodies.get(body?.id ?? 0n) : older.chunks.get(chunk.x, chunk.y);
    if (substitute === undefined) return `${what}: ${reason}, and nothing older is left`;
    if ("storage" in substitute) chunks.push(substitute);
    else bodies.push(substitute);
    return `${what}: ${reason}; the older one at offset ${substitute.offset} takes its place`;
  });
  return { facts, modifiedMs, chunks, bodies, losses };
}

/** Scans for the last intact entry of each chunk and body, committed or not. */
async function walk(
  file: DiskFile,
  facts: PixelFacts,
): Promise<{
  readonly index: PixelIndex;
  readonly gaps: readonly Gap[];
}> {
  const index: PixelIndex = { chunks: new ChunkIndex(), bodies: new BodyIndex() };
  const gaps: Gap[] = [];
  for await (const piece of scanEntries(file, ENTRIES_OFFSET)) {
    if (piece.kind === "gap") gaps.push(piece);
    else if (isGood(piece.entry, facts)) apply(piece.entry, index);
  }
  return { index, gaps };
}

function apply({ kind, x, y, id, storage, offset, bytes }: Entry, { chunks, bodies }: PixelIndex): void {
  if (kind === "chunk") chunks.set(x, y, storage, offset, bytes);
  else if (kind === "chunkGone") chunks.delete(x, y);
  else if (kind === "body") bodies.set({ id, x, y, offset, bytes });
  else if (kind === "bodyGone") bodies.delete(id);
}

/** Whether the payload is valid for its entry. */
function isGood({ kind, storage, payload, id }: Entry, facts: PixelFacts): boolean {
  const name = storageNamed(storage);
  try {
    if (kind === "chunk") {
      if (name === undefined || STORAGE[name] !== storage) return false;
      decodeChunk({ storage: name, payload }, facts);
    }
    return kind !== "body" || decodeBody(payload, facts.layers.length).id === id;
  } catch (error) {
    if (isOrthantError(error)) return false;
    throw error;
  }
}
