import { type BlockPlacement, type Dimensions, isOrthantError, OrthantError } from "@orthant/core";
import type { ConversionLosses } from "../format/losses.ts";
import type { PasteTarget } from "./paste-options.ts";

/** Maximum number of voxels in one edit: it touches fewer chunks than an edit may, and fits a journal. */
const EDIT_VOXELS_MAX = 16_384;
/** Bytes of data after which an edit ends. One voxel has at most 32 KiB. */
const EDIT_DATA_BYTES = 1_048_576;

/** Collects voxels, and sets them in edits of a bounded size. */
export class PasteEdits<D extends Dimensions> {
  readonly #target: PasteTarget<D>;
  readonly #onEdit: () => unknown;
  readonly #losses: ConversionLosses;
  #waiting: BlockPlacement<D>[] = [];
  #full: (readonly BlockPlacement<D>[])[] = [];
  #dataBytes = 0;
  /** Voxels whose data is lost. */
  lostData = 0;

  constructor(target: PasteTarget<D>, onEdit: () => unknown, losses: ConversionLosses) {
    this.#target = target;
    this.#onEdit = onEdit;
    this.#losses = losses;
  }

  /** Adds a voxel. `dataBytes` is the length of its data. */
  add(placement: BlockPlacement<D>, dataBytes: number): void {
    this.#waiting.push(placement);
    this.#dataBytes += dataBytes;
    if (this.#waiting.length >= EDIT_VOXELS_MAX || this.#dataBytes >= EDIT_DATA_BYTES) this.#close();
  }

  /** Makes all edits that are full. */
  async make(): Promise<void> {
    for (const placements of this.#full.splice(0)) {
      await this.#edit(placements);
      await this.#onEdit();
    }
  }

  /** Makes all edits. */
  async finish(): Promise<void> {
    this.#close();
    await this.make();
  }

  #close(): void {
    if (this.#waiting.length > 0) this.#full.push(this.#waiting);
    this.#waiting = [];
    this.#dataBytes = 0;
  }

  async #edit(placements: readonly BlockPlacement<D>[]): Promise<void> {
    const withData = placements.filter(({ data }) => data !== null).length;
    try {
      const result = await this.#target.edit(placements);
      if (result.status === "rejected") throw new OrthantError("ORT_ARGUMENT", result.detail);
    } catch (error) {
      // The chunks of the target lie elsewhere, so that one of them may get the data of several chunks.
      if (withData === 0 || !isOrthantError(error, "ORT_LIMIT")) throw error;
      await this.#edit(placements.map((placement) => ({ ...placement, data: null })));
      this.lostData += withData;
      this.#losses.add("data of voxels", `of an edit, because ${error.detail}`, withData);
    }
  }
}
