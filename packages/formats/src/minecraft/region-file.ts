import { isOrthantError, OrthantError } from "@orthant/core";
import { isListOf, requireText, wrongArgument } from "@orthant/core/arguments";
import { inflateUpTo } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { attempt, type Finding, readWhole, requireDisk } from "@orthant/disk/files";
import { readLz4Stream } from "../lz4/lz4-stream.ts";
import { type NbtCompound, readNbt } from "../nbt/nbt-compound.ts";
import { FindingLog } from "../part/finding-log.ts";
import { type ChunkColumn, positionOf, readColumn } from "./chunk-column.ts";
import { REGION_COLUMNS, REGION_HEADER_BYTES, REGION_SLOTS, SECTOR_BYTES } from "./region-layout.ts";

const EXTERNAL_BIT = 128;
/** Maximum bytes of a column before compression. Those of real worlds have some 130 kB; mods and books add to it. */
export const COLUMN_BYTES_MAX = 16_777_216;
/** Maximum bytes of a column in a file of its own. */
const EXTERNAL_BYTES_MAX = 16_777_216;

/** Maximum bytes of columns side by side that one read gets. */
const SPAN_BYTES_MAX = 262_144;

/** A column in the header of a region file. */
export interface RegionSlot {
  /** In chunks. */
  readonly x: number;
  readonly z: number;
  /** Seconds since 1970 when the game last saved it. */
  readonly savedAt: number;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
}

/** A region file of Minecraft Java, opened by {@link openRegion}: up to 32 x 32 columns. */
export class RegionFile {
  readonly #disk: Disk;
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #fileBytes: number;
  readonly #log: FindingLog;
  /** Columns of the header that can be looked for, in the order of the header. */
  readonly slots: readonly RegionSlot[];
  readonly #shared: ReadonlySet<RegionSlot>;
  /** The last bytes that were read for several columns. */
  #span: { readonly offset: number; readonly bytes: Uint8Array } | undefined;

  /** Use {@link openRegion}. */
  constructor(
    disk: Disk,
    file: DiskFile,
    path: string,
    fileBytes: number,
    log: FindingLog,
    slots: readonly RegionSlot[],
    shared: ReadonlySet<RegionSlot> = sharingSectors(slots),
  ) {
    this.#disk = disk;
    this.#file = file;
    this.#path = path;
    this.#fileBytes = fileBytes;
    this.#log = log;
    this.slots = slots;
    this.#shared = shared;
  }

  /** Everything that was found wrong so far. */
  get findings(): readonly Finding[] {
    return this.#log.list();
  }

  /** Reads a column. `undefined`, with a finding, if it is damaged. */
  async readColumn(slot: RegionSlot): Promise<ChunkColumn | undefined> {
    try {
      const root = await this.#readRoot(slot);
      if (!this.#isPlaced(slot, root)) return undefined;
      return readColumn(root, slot.x, slot.z, this.#log);
    } catch (error) {
      // A disk that fails says nothing about the column.
      if (isOrthantError(error, "ORT_DISK_IO", "ORT_DISK_DENIED", "ORT_CLOSED")) throw error;
      this.#log.lost(`chunk [${slot.x}, ${slot.z}] is left out`, error, slot.offset);
      return undefined;
    }
  }

  /** Reads all columns that can be read, or those of some slots; those side by side in the file with one read. */
  async *columns(slots: readonly RegionSlot[] = this.slots): AsyncGenerator<ChunkColumn> {
    if (slots !== this.slots && !isListOf(slots, (slot) => this.slots.includes(slot as RegionSlot)))
      throw wrongArgument("slots", slots, "it is a list of slots of this region");
    for (const [index, slot] of slots.entries()) {
      if (!this.#isRead(slot)) await this.#readSpan(slots, index);
      const column = await this.readColumn(slot);
      if (column !== undefined) yield column;
    }
    this.#span = undefined;
  }

  /** Returns the same open file with findings of its own, which begin here. Closing one closes both. */
  withNewFindings(): RegionFile {
    const log = new FindingLog(this.#path);
    return new RegionFile(this.#disk, this.#file, this.#path, this.#fileBytes, log, this.slots, this.#shared);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #readRoot({ x, z, offset, length }: RegionSlot): Promise<NbtCompound> {
    const room = Math.min(length, this.#fileBytes - offset);
    if (room < 5) throw new OrthantError("ORT_TRUNCATED", `${room} bytes have no room for its head`);
    // One read: most columns fill their sectors.
    const sectors = this.#spanAt(offset, room) ?? (await this.#file.readAt(offset, room));
    const stored = new DataView(sectors.buffer, sectors.byteOffset).getUint32(0);
    if (stored < 1 || stored > room - 4) {
      throw new OrthantError("ORT_FOREIGN", `a length of ${stored}, expected 1 to ${room - 4}`);
    }
    const type = sectors[4] as number;
    const bytes = type >= EXTERNAL_BIT ? await this.#readExternal(x, z) : sectors.subarray(5, 4 + stored);
    return readNbt(await decompress(bytes, type & ~EXTERNAL_BIT)).root;
  }

  /** Reads the sectors of a slot, and those of the next ones as long as they follow in the file. */
  async #readSpan(slots: readonly RegionSlot[], index: number): Promise<void> {
    const { offset, length } = slots[index] as RegionSlot;
    let end = offset + length;
    for (let next = index + 1; slots[next]?.offset === end; next++) {
      const further = end + (slots[next] as RegionSlot).length;
      if (further - offset > SPAN_BYTES_MAX) break;
      end = further;
    }
    // A slot alone is read when its turn comes.
    const room = Math.min(end, this.#fileBytes) - offset;
    const isWorthIt = end > offset + length && room > 0;
    // What cannot be read is found again, and reported, by the columns that need it.
    const [bytes] = isWorthIt ? await attempt(() => this.#file.readAt(offset, room)) : [];
    this.#span = bytes && { offset, bytes };
  }

  #isRead({ offset, length }: RegionSlot): boolean {
    return this.#spanAt(offset, Math.min(length, this.#fileBytes - offset)) !== undefined;
  }

  #spanAt(offset: number, length: number): Uint8Array | undefined {
    if (this.#span === undefined) return undefined;
    const start = offset - this.#span.offset;
    const isInside = start >= 0 && start + length <= this.#span.bytes.length;
    return isInside ? this.#span.bytes.subarray(start, start + length) : undefined;
  }

  #readExternal(x: number, z: number): Promise<Uint8Array> {
    const folder = this.#path.slice(0, this.#path.lastIndexOf("/") + 1);
    return readWhole(this.#disk, `${folder}c.${x}.${z}.mcc`, EXTERNAL_BYTES_MAX);
  }

  /** The game trusts the slot. Of slots that share sectors, only the one that the column names is right. */
  #isPlaced(slot: RegionSlot, root: NbtCompound): boolean {
    const [x, z] = positionOf(root);
    if (x === slot.x && z === slot.z) return true;
    const claim = `chunk [${slot.x}, ${slot.z}] says that it is [${x ?? "?"}, ${z ?? "?"}]`;
    if (this.#shared.has(slot)) {
      this.#log.damage("ORT_FOREIGN", `${claim}, in sectors of another one, and is left out`, slot.offset);
      return false;
    }
    this.#log.notice(`${claim}; it stays where the header has it`, slot.offset);
    return true;
  }
}

/**
 * Opens a region file named `r.X.Z.mca`. Throws `ORT_TRUNCATED` if its header is cut; an empty file has no columns.
 * Columns are read one at a time, so that memory does not grow with the file.
 */
export async function openRegion(disk: Disk, path: string): Promise<RegionFile> {
  requireDisk("disk", disk);
  requireText("path", path);
  const name = /(?:^|[./])r\.(-?\d{1,7})\.(-?\d{1,7})\.mca$/.exec(path);
  if (name === null) throw new OrthantError("ORT_ARGUMENT", "a region file is named r.X.Z.mca", { path });
  const file = await disk.open(path, "read");
  try {
    const log = new FindingLog(path);
    const size = await file.size();
    if (size === 0) log.notice("an empty file, as a game leaves it that was stopped; it has no chunks");
    else if (size < REGION_HEADER_BYTES) {
      throw new OrthantError(
        "ORT_TRUNCATED",
        `${size} bytes where the header alone has ${REGION_HEADER_BYTES}`,
        {
          path,
        },
      );
    }
    const header =
      size === 0 ? new Uint8Array(REGION_HEADER_BYTES) : await file.readAt(0, REGION_HEADER_BYTES);
    const slots = readHeader(header, Number(name[1]), Number(name[2]), size, log);
    return new RegionFile(disk, file, path, size, log, slots);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function readHeader(
  header: Uint8Array,
  regionX: number,
  regionZ: number,
  size: number,
  log: FindingLog,
): readonly RegionSlot[] {
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const slots: RegionSlot[] = [];
  for (let index = 0; index < REGION_SLOTS; index++) {
    const location = view.getUint32(index * 4);
    if (location === 0) continue;
    const x = regionX * REGION_COLUMNS + (index % REGION_COLUMNS);
    const z = regionZ * REGION_COLUMNS + Math.floor(index / REGION_COLUMNS);
    const offset = (location >>> 8) * SECTOR_BYTES;
    const length = (location & 0xff) * SECTOR_BYTES;
    if (offset < REGION_HEADER_BYTES || offset >= size || length === 0) {
      const detail = `${length} bytes at ${offset} of a file of ${size}`;
      log.damage("ORT_POINTER", `chunk [${x}, ${z}] is left out: ${detail}`, index * 4);
    } else slots.push({ x, z, savedAt: view.getUint32(SECTOR_BYTES + index * 4), offset, length });
  }
  return slots;
}

/** Returns the slots whose sectors overlap those of another one. */
function sharingSectors(slots: readonly RegionSlot[]): ReadonlySet<RegionSlot> {
  const shared = new Set<RegionSlot>();
  let furthest: RegionSlot | undefined;
  for (const slot of [...slots].sort((a, b) => a.offset - b.offset)) {
    if (furthest !== undefined && slot.offset < furthest.offset + furthest.length) {
      shared.add(furthest);
      shared.add(slot);
    }
    if (furthest === undefined || slot.offset + slot.length > furthest.offset + furthest.length)
      furthest = slot;
  }
  return shared;
}

function decompress(bytes: Uint8Array, type: number): Uint8Array | Promise<Uint8Array> {
  switch (type) {
    case 1:
      return inflateUpTo(bytes, "gzip", COLUMN_BYTES_MAX);
    case 2:
      return inflateUpTo(bytes, "zlib", COLUMN_BYTES_MAX);
    case 3:
      return bytes;
    case 4:
      return readLz4Stream(bytes, COLUMN_BYTES_MAX);
    default:
      throw new OrthantError("ORT_FOREIGN", `compression type ${type}, which does not exist`);
  }
}
