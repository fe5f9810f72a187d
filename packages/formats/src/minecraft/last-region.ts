import type { OrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { CELL_CHUNKS } from "../imported/import-source.ts";
import type { RegionFile, RegionSlot } from "./region-file.ts";
import { openRegionOr } from "./world-files.ts";

/** Slots of a region by the cells of four by four columns that they are in. */
export type SlotsByCell = ReadonlyMap<string, readonly RegionSlot[]>;

/** An open region, and its slots. */
export interface OpenRegion {
  readonly path: string;
  readonly region: RegionFile;
  readonly slots: SlotsByCell;
}

/** Keeps the region that was opened last, because pieces of one region are read one after another. */
export class LastRegion {
  readonly #disk: Disk;
  #open: OpenRegion | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Opens a region, and closes another one; `undefined`, after a call of `onDamage`, if its header is damaged. */
  async at(path: string, onDamage: (error: OrthantError) => void): Promise<OpenRegion | undefined> {
    if (this.#open?.path === path) return this.#open;
    await this.close();
    const region = await openRegionOr(this.#disk, path, onDamage);
    this.#open = region && { path, region, slots: slotsByCell(region.slots) };
    return this.#open;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.region.close();
  }
}

/** Sorts slots into cells. */
export function slotsByCell(slots: readonly RegionSlot[]): SlotsByCell {
  const cells = new Map<string, RegionSlot[]>();
  for (const slot of slots) {
    const key = `${Math.floor(slot.x / CELL_CHUNKS)},${Math.floor(slot.z / CELL_CHUNKS)}`;
    getOrAdd(cells, key, () => []).push(slot);
  }
  return cells;
}
