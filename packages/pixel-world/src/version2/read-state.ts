import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { ENTRIES_OFFSET, entryHeader } from "../layout.ts";
import type { PixelFacts } from "../save.ts";
import { BodyIndex } from "./body-index.ts";
import { ChunkIndex } from "./chunk-index.ts";
import { decodeEntryHeader, type Entry, readEntry } from "./entry.ts";
import { scanEntries } from "./entry-scan.ts";
import { readSlots, type Slot } from "./header-slot.ts";
import { applyTable, linksOf, type PixelIndex } from "./table.ts";

/** Location of a table. */
export interface TableSpan {
  readonly offset: number;
  readonly bytes: number;
}

/** The committed state of a file. */
export interface Version2State {
  readonly facts: PixelFacts;
  readonly generation: number;
  readonly modifiedMs: number;
  readonly index: PixelIndex;
  /** The tables that make up the index, newest first. */
  readonly tables: readonly TableSpan[];
  /** End of the committed part of the file. */
  readonly end: number;
  readonly deadBytes: number;
  /** Error of a damaged header, if there is one. */
  readonly headerFault: OrthantError | undefined;
  /**
   * Whether the state comes from a commit whose header is damaged, found after the end of the older state.
   */
  readonly rolledForward: boolean;
}

/**
 * Reads the newest committed state. One intact header is enough. If the other is damaged, it may have been
 * the newer one; the table of the next generation is then searched for after the end, and counts if it is
 * complete.
 */
export async function readState(file: DiskFile): Promise<Version2State> {
  const slots = await readSlots(file);
  const [headerFault] = slots.filter((slot) => slot instanceof OrthantError);
  const newest = newestSlot(slots);
  if (newest === undefined) throw headerFault ?? new OrthantError("ORT_MAGIC", "no header");
  if (headerFault !== undefined) {
    const next = await nextGeneration(file, newest);
    if (next !== undefined) return { ...next, headerFault };
  }
  return { ...(await stateOfSlot(file, newest)), headerFault };
}

/** Returns the intact header with the latest generation. */
export function newestSlot(slots: readonly (Slot | OrthantError)[]): Slot | undefined {
  const whole = slots.filter((slot): slot is Slot => !(slot instanceof OrthantError));
  return whole.sort((a, b) => b.generation - a.generation)[0];
}

/** Reads the state that a header names; its counts must match the tables. */
async function stateOfSlot(file: DiskFile, slot: Slot): Promise<Omit<Version2State, "headerFault">> {
  const { facts, generation, modifiedMs, tableOffset, tableBytes } = slot;
  const entry = await readEntry(file, "table", tableOffset, tableBytes);
  const { index, tables } = await readTables(file, entry);
  const end = tableOffset + tableBytes;
  const deadBytes = deadBytesOf(index, tables, end);
  const found = [index.chunks.size, index.bodies.size, deadBytes].join();
  const said = [slot.chunkCount, slot.bodyCount, slot.deadBytes].join();
  if (found !== said)
    throw new OrthantError(
      "ORT_INDEX",
      `a header says ${said} chunks, bodies, dead bytes; there are ${found}`,
    );
  return { facts, generation, modifiedMs, index, tables, end, deadBytes, rolledForward: false };
}

/** Returns the number of unreferenced bytes between the headers and the end. */
export function deadBytesOf(
  { chunks, bodies }: PixelIndex,
  tables: readonly TableSpan[],
  end: number,
): number {
  const tableBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  return end - ENTRIES_OFFSET - chunks.liveBytes - bodies.liveBytes - tableBytes;
}

/** Reads a table and all tables below it. */
async function readTables(
  file: DiskFile,
  newest: Entry,
): Promise<{ readonly index: PixelIndex; readonly tables: readonly TableSpan[] }> {
  const chain: Entry[] = [newest];
  for (let table = newest; linksOf(table.payload) > 0; ) {
    const below = await readTableAt(file, Number(table.id), table.offset);
    if (linksOf(below.payload) !== linksOf(table.payload) - 1) {
      throw new OrthantError("ORT_INDEX", "a table lies on one that it cannot lie on", {
        offset: table.offset,
      });
    }
    chain.push(below);
    table = below;
  }
  const index = { chunks: new ChunkIndex(), bodies: new BodyIndex() };
  for (const { payload, offset } of [...chain].reverse()) applyTable(payload, offset, index);
  return { index, tables: chain.map(({ offset, bytes }) => ({ offset, bytes })) };
}

/** Reads the table at an offset, which must be before the table that refers to it. */
async function readTableAt(file: DiskFile, offset: number, before: number): Promise<Entry> {
  if (offset < ENTRIES_OFFSET || offset + entryHeader.bytes > before) {
    throw new OrthantError("ORT_INDEX", `a table at ${offset} below one at ${before}`, { offset: before });
  }
  const { bytes } = decodeEntryHeader(await file.readAt(offset, entryHeader.bytes), offset);
  return readEntry(file, "table", offset, bytes);
}

/** Reads the state that follows a header's, if the file has all of it. */
async function nextGeneration(
  file: DiskFile,
  slot: Slot,
): Promise<Omit<Version2State, "headerFault"> | undefined> {
  const generation = slot.generation + 1;
  for await (const piece of scanEntries(file, slot.tableOffset + slot.tableBytes)) {
    // A commit is synced before its header is written, so entries with a gap were never committed.
    if (piece.kind === "gap") return undefined;
    const { entry } = piece;
    if (entry.kind !== "table" || entry.generation !== generation) continue;
    const { index, tables } = await readTables(file, entry);
    const end = entry.offset + entry.bytes;
    const deadBytes = deadBytesOf(index, tables, end);
    return {
      facts: slot.facts,
      generation,
      modifiedMs: slot.modifiedMs,
      index,
      tables,
      end,
      deadBytes,
      rolledForward: true,
    };
  }
  return undefined;
}
