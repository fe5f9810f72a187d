import type { OrthantError } from "@orthant/core";
import { requireObject, requireText, wrongArgument } from "@orthant/core/arguments";
import type { Disk, DiskFile } from "@orthant/disk";
import { type Finding, requireDisk } from "@orthant/disk/files";
import { decodeBody } from "./format/body.ts";
import { nativeHeader } from "./format/layout.ts";
import { PIXEL_BYTES } from "./format/limits.ts";
import {
  type PixelBodyRef,
  type PixelChunkRef,
  type PixelDialect,
  requirePixelDialect,
} from "./format/save.ts";
import { verifyPixelWorld } from "./verify.ts";
import { decodeVersion1Chunk } from "./version1/chunk-payload.ts";
import { salvageVersion1 } from "./version1/salvage.ts";
import { readPayload } from "./version1/save.ts";
import { Version1Writer } from "./version1/writer.ts";
import { readEntry } from "./version2/entry.ts";
import { type Salvaged, salvageVersion2 } from "./version2/salvage.ts";
import { PixelSaveWriter } from "./version2/writer.ts";

const TABLE_BYTES_OFFSET = nativeHeader.offsets.tableBytes;

/** Plan to repair a pixel world. Applying it writes a new file and leaves the old one unchanged. */
export interface PixelRepairPlan extends Salvaged {
  readonly findings: readonly Finding[];
  readonly dialect: PixelDialect;
  /**
   * Version 1 bodies found by scanning the file. The repair keeps them, although the game may have removed
   * some of them earlier.
   */
  readonly carved: readonly PixelBodyRef[];
}

/**
 * Determines what can be recovered from a file: every intact chunk and body, found through the tables if they
 * are readable, else by scanning the file. Writes nothing. Throws if even the facts about the world are lost.
 * Rule X40.
 */
export async function planPixelRepair(disk: Disk, path: string): Promise<PixelRepairPlan> {
  const plan = await repairPlan(disk, path);
  plans.add(plan);
  return plan;
}

/** Every plan that this program made. A plan of another origin is not trusted. */
const plans = new WeakSet<PixelRepairPlan>();

async function repairPlan(disk: Disk, path: string): Promise<PixelRepairPlan> {
  const findings = await verifyPixelWorld(disk, path);
  const file = await disk.open(path, "read");
  try {
    const dialect = await requirePixelDialect(file, path);
    if (dialect === "version2")
      return { findings, dialect, carved: [], ...(await salvageVersion2(path, file)) };
    const { header, chunks, bodies, carved, unplaced, faults } = await salvageVersion1(file, dialect);
    const losses = faults
      .filter(({ chunk, error }) => isLost(chunk, chunks, error))
      .map(({ error }) => error.message);
    if (carved.length > 0)
      losses.push(`${carved.length} bodies were found without the index; some may have been removed before`);
    if (unplaced > 0) losses.push(`${unplaced} chunks are there, and nothing says where they belong`);
    const { facts, modifiedMs } = header;
    return { findings, dialect, facts, modifiedMs, chunks, bodies, carved, losses };
  } finally {
    await file.close();
  }
}

/** Writes the contents of the plan to a new file: version 1 as a native file, version 2 as version 2. */
export async function applyPixelRepair(
  disk: Disk,
  path: string,
  plan: PixelRepairPlan,
  target: Disk,
  targetPath: string,
): Promise<void> {
  requireDisk("disk", disk);
  requireText("path", path);
  requireObject("plan", plan, "it is what planPixelRepair returns");
  if (!plans.has(plan)) throw wrongArgument("plan", plan, "it is what planPixelRepair returns");
  requireDisk("target", target);
  requireText("targetPath", targetPath);
  const file = await disk.open(path, "read");
  try {
    await (plan.dialect === "version2" ? writeVersion2 : writeVersion1)(file, plan, target, targetPath);
  } finally {
    await file.close();
  }
}

/** Whether a fault loses data. Others need no mention in a repair plan. */
function isLost(
  chunk: PixelChunkRef | undefined,
  kept: readonly PixelChunkRef[],
  error: OrthantError,
): boolean {
  if (chunk !== undefined) return !kept.includes(chunk);
  return error.code !== "ORT_VERSION" && error.context.offset !== TABLE_BYTES_OFFSET;
}

async function writeVersion1(
  file: DiskFile,
  { facts, modifiedMs, chunks, bodies, carved }: PixelRepairPlan,
  target: Disk,
  path: string,
): Promise<void> {
  const writer = await Version1Writer.create(target, path);
  try {
    for (const ref of chunks) {
      // Decode and encode again: salvage accepts payloads that strict readers reject.
      await writer.addChunk(
        ref.x,
        ref.y,
        decodeVersion1Chunk(await readPayload(file, ref, "salvage"), ref.storage, "salvage"),
      );
    }
    for (const { offset, bytes } of [...bodies, ...carved])
      await writer.addBody(decodeBody(await file.readAt(offset, bytes), PIXEL_BYTES));
    await writer.finish({ worldSeed: facts.worldSeed, createdMs: facts.createdMs, modifiedMs });
  } finally {
    await writer.close();
  }
}

async function writeVersion2(
  file: DiskFile,
  { facts, modifiedMs, chunks, bodies }: PixelRepairPlan,
  target: Disk,
  path: string,
): Promise<void> {
  const writer = await PixelSaveWriter.create(target, path, facts);
  try {
    for (const { x, y, storage, offset, bytes } of chunks) {
      await writer.addEncoded(x, y, {
        storage,
        payload: (await readEntry(file, "chunk", offset, bytes)).payload,
      });
    }
    for (const { id, x, y, offset, bytes } of bodies) {
      await writer.addBodyRecord(id, x, y, (await readEntry(file, "body", offset, bytes)).payload);
    }
    await writer.finish(modifiedMs);
  } finally {
    await writer.close();
  }
}
