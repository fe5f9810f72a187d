import type { Box, ChunkShape, Position, TimeSource } from "@orthant/core";
import { boxAt, boxBetween, positionFrom } from "@orthant/core/lattice";
import { nameOfPosition, sectorOfRegion, voxelsOfSectors } from "../shard/sectors.ts";

/** Time after which a sector is no longer watched. Gateways ask about what their players look at every 5 seconds. */
const WATCHED_MS = 15_000;
const SECTORS_MAX = 1_024;

/** The sectors of a shard that players look at, as far as the requests of gateways show it. Rule K65. */
export class WatchedSectors {
  readonly #shape: ChunkShape;
  readonly #time: TimeSource;
  readonly #sectors = new Map<string, { readonly box: Box; ms: number }>();

  constructor(shape: ChunkShape, time: TimeSource) {
    this.#shape = shape;
    this.#time = time;
  }

  /** Notes that a gateway asked about regions. */
  add(regions: readonly { readonly region: Position }[]): void {
    const ms = this.#time.nowMs();
    for (const { region } of regions) {
      const sector = sectorOfRegion(region);
      const name = nameOfPosition(sector);
      const known = this.#sectors.get(name);
      if (known !== undefined) known.ms = ms;
      else if (this.#sectors.size < SECTORS_MAX) this.#sectors.set(name, { box: this.#boxOf(sector), ms });
    }
  }

  /** Returns the voxels of the sectors that are watched now. */
  boxes(): readonly Box[] {
    const nowMs = this.#time.nowMs();
    for (const [name, { ms }] of this.#sectors)
      if (Math.abs(nowMs - ms) > WATCHED_MS) this.#sectors.delete(name);
    return Array.from(this.#sectors.values(), ({ box }) => box);
  }

  /** Along axes that the world lacks, a sector has one voxel. */
  #boxOf(sector: Position): Box {
    const { min, max } = voxelsOfSectors(this.#shape, boxAt(sector));
    const { extents } = this.#shape;
    return boxBetween(
      positionFrom((axis) => (extents[axis] > 1 ? min[axis] : 0)),
      positionFrom((axis) => (extents[axis] > 1 ? max[axis] : 1)),
    );
  }
}
