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

/** Where a table lies. */
export interface TableSpan {
  readonly offset: number;
  readonly bytes: number;
}

/** What is committed in a file. */
export interface Version2State {
  readonly facts: PixelFacts;
  readonly generation: number;
  readonly modifiedMs: number;
  readonly index: PixelIndex;
  /** The tables that make the index, the newest first. */
  readonly tables: readonly TableSpan[];
  /** Where the committed part of the file ends. */
  readonly end: number;
  readonly deadBytes: number;
  /** What is wrong with one of the headers, when one is. */
  readonly headerFault: OrthantError | undefined;
  /** Whether the state was found behind the last header that is whole: that of a commit whose header is not. */
  readonly rolledForward: boolean;
}

/**
 * The newest state that was committed. One header is enough. When the other one is damaged it may have been the newer:
 * then the table of the next generation is looked for behind the end, and counts when all of it is there.
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

/** The header of the latest generation of those that are whole. */
export function newestSlot(slots: readonly (Slot | OrthantError)[]): Slot | undefined {
  const whole = slots.filter((slot): slot is Slot => !(slot instanceof OrthantError));
  return whole.sort((a, b) => b.generation - a.generation)[0];
}

/** The state that a header names; its counts have to be those of the tables. */
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

/** Bytes between the headers and the end that nothing refers to. */
export function deadBytesOf(
  { chunks, bodies }: PixelIndex,
  tables: readonly TableSpan[],
  end: number,
): number {
  const tableBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  return end - ENTRIES_OFFSET - chunks.liveBytes - bodies.liveBytes - tableBytes;
}

/** A table, and those that it lies on. */
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

/** The table at an offset, which has to lie before the one that names it. */
async function readTableAt(file: DiskFile, offset: number, before: number): Promise<Entry> {
  if (offset < ENTRIES_OFFSET || offset + entryHeader.bytes > before) {
    throw new OrthantError("ORT_INDEX", `a table at ${offset} below one at ${before}`, { offset: before });
  }
  const { bytes } = decodeEntryHeader(await file.readAt(offset, entryHeader.bytes), offset);
  return readEntry(file, "table", offset, bytes);
}

/** The state after a header's, when the file has all of it. */
async function nextGeneration(
  file: DiskFile,
  slot: Slot,
): Promise<Omit<Version2State, "headerFault"> | undefined> {
  const generation = slot.generation + 1;
  for await (const piece of scanEntries(file, slot.tableOffset + slot.tableBytes)) {
    // A commit was synced before its header was touched: whatever has a gap was none.
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
