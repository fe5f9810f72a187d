import { type Chunk, isOrthantError } from "@orthant/core";
import { PositionMap } from "@orthant/core/lattice";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  applyRepair,
  type LeafEntry,
  openSave,
  planRepair,
  type RecordRef,
  type RepairPlan,
  type Save,
  type StoredEntity,
  verifySave,
} from "@orthant/save";
import { packFile } from "@orthant/save/files";
import { Prng } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { SMALL_CHUNKS } from "./save/model-world.ts";
import { LONG_HISTORY, playHistory } from "./save/save-history.ts";

const SAVES = 10_000;
const SECTOR_BYTES = 512;

/** Damages saves at random and repairs them. */
export const saveRepairCampaign: Campaign = {
  name: "save-repair",
  summary:
    "saves damaged at random: repair brings every whole record back, data with blocks, and reports every other",
  goal: SAVES,
  unit: "saves",
  resumes: true,
  async run(options) {
    const damageable = await longSave();
    const failures: string[] = [];
    let cases = 0;
    while (goesOn(cases, options) && failures.length < FAILURES_MAX) {
      const seed = options.seed + options.from + cases;
      const fault = await findRepairFault(damageable, new Prng(seed));
      if (fault !== undefined) failures.push(`seed ${seed}: ${fault}`);
      options.progress(++cases);
    }
    return { cases, failures, next: options.from + cases };
  },
};

/** A save to damage, and every chunk that it ever held, by position. */
interface DamageableSave {
  readonly image: DiskImage;
  readonly everSet: PositionMap<readonly Chunk[]>;
}

/** Returns the save of the long history. */
export async function longSave(): Promise<DamageableSave> {
  const disk = new MemoryDisk();
  const { chunks } = await playHistory(disk, LONG_HISTORY, () => undefined);
  return { image: disk.image(), everSet: chunks };
}

/** Damages a save and repairs it. Describes what is wrong with the outcome, if anything. */
export async function findRepairFault(
  { image, everSet }: DamageableSave,
  prng: Prng,
): Promise<string | undefined> {
  const before = await openSave(new MemoryDisk(image));
  const damaged = damage(image, prng);
  const disk = new MemoryDisk(damaged);
  const target = new MemoryDisk();
  let plan: RepairPlan;
  try {
    plan = await planRepair(disk, { chunkShape: SMALL_CHUNKS });
    await applyRepair(disk, plan, target);
  } catch (error) {
    return isOrthantError(error) ? `repair gave up: ${error.message}` : `repair threw ${String(error)}`;
  }
  if (!isWhole(await verifySave(target))) return "the repaired save is damaged itself";
  const after = await contentOf(await openSave(target));
  for await (const leaf of before.index.all()) {
    for (const ref of [...leaf.chunkRefs, ...leaf.entityRefs]) {
      const where = `the record at ${ref.packId}+${ref.recordOffset}`;
      if (!isIntact(image, damaged, ref)) {
        if (!isReported(plan, leaf)) return `${where} is damaged and not reported`;
      } else if (!(await isBack(before, leaf, ref, after))) return `${where} is whole, and did not come back`;
    }
  }
  for (const [position, chunk] of after.chunks) {
    // Repair may bring an older chunk back, but never blocks of one edit with data of another.
    if (!everSet.get(...position)?.some((known) => known.equals(chunk)))
      return `chunk [${position}] has blocks and data that it never had together`;
  }
  return undefined;
}

/** Damages one to four things: bytes, sectors, ends of files or whole files. */
function damage(image: DiskImage, prng: Prng): DiskImage {
  const files = new Map(image.files);
  for (let count = prng.between(1, 4); count > 0; count--) {
    const path = prng.pick([...files.keys()]);
    const bytes = (files.get(path) as Uint8Array).slice();
    const at = prng.below(bytes.length);
    switch (prng.below(6)) {
      case 0:
        files.delete(path);
        continue;
      case 1:
        files.set(path, bytes.subarray(0, at));
        continue;
      case 2:
        bytes.fill(0, at, at + SECTOR_BYTES);
        break;
      case 3:
        bytes.set(prng.bytes(Math.min(16, bytes.length - at)), at);
        break;
      default:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << prng.below(8));
    }
    files.set(path, bytes);
  }
  return { ...image, files };
}

interface Content {
  readonly chunks: PositionMap<Chunk>;
  readonly entities: ReadonlyMap<bigint, StoredEntity>;
}

async function contentOf(save: Save): Promise<Content> {
  const chunks = new PositionMap<Chunk>();
  const entities = new Map<bigint, StoredEntity>();
  for await (const leaf of save.index.all()) {
    for (const { position, chunk } of await save.readChunks(leaf)) chunks.set(...position, chunk);
    for (const entity of await save.readEntities(leaf)) entities.set(entity.entityId, entity);
  }
  return { chunks, entities };
}

function isIntact(
  image: DiskImage,
  damaged: DiskImage,
  { packId, recordOffset, recordBytes }: RecordRef,
): boolean {
  const end = recordOffset + recordBytes;
  const was = image.files.get(packFile(packId))?.subarray(recordOffset, end);
  const is = damaged.files.get(packFile(packId))?.subarray(recordOffset, end);
  return was !== undefined && is !== undefined && Buffer.compare(was, is) === 0;
}

/** Returns whether the repaired save has every chunk or entity of the record unchanged. */
async function isBack(
  save: Save,
  leaf: LeafEntry,
  ref: RecordRef,
  { chunks, entities }: Content,
): Promise<boolean> {
  const alone = {
    ...leaf,
    chunkRefs: leaf.chunkRefs.filter((other) => other === ref),
    entityRefs: leaf.entityRefs.filter((other) => other === ref),
  };
  const allChunks = await save.readChunks(alone);
  const allEntities = await save.readEntities(alone);
  return (
    allChunks.every(({ position, chunk }) => chunks.get(...position)?.equals(chunk)) &&
    allEntities.every((entity) => describe(entities.get(entity.entityId)) === describe(entity))
  );
}

/** Returns whether the plan reports a loss in the leaf, or the loss of the index that would name it. */
function isReported({ losses }: RepairPlan, { cube }: LeafEntry): boolean {
  return losses.some(
    (loss) =>
      loss.what === "index" || (loss.chunks !== undefined && String(loss.chunks.min) === String(cube.min)),
  );
}

function describe(entity: StoredEntity | undefined): string {
  return (
    JSON.stringify(entity, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ??
    ""
  );
}
