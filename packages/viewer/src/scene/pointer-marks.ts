import { AIR } from "@orthant/core";
import { U16_MAX } from "@orthant/core/bytes";
import type { LookPack } from "@orthant/mesh/looks";
import { Marks, type Sky } from "@orthant/three";
import { Group } from "three";
import type { WorldMirror } from "../mirror/world-mirror.ts";
import type { ScenePoint } from "../slice/slice.ts";

/** A block that no pack draws is a cube. */
const CUBE = U16_MAX;
const ORIGIN: ScenePoint = [0, 0, 0];

/** What a click would do. */
export interface Pointed {
  /** The block that is pointed at, and its place in the scene. */
  readonly block: number;
  readonly voxel: ScenePoint;
  /** Where a block would be placed. */
  readonly before: ScenePoint;
  /** Edge of the cube of voxels that a click changes. */
  readonly edge: number;
  /** The block to place; `undefined` if a click places none. */
  readonly placed: number | undefined;
}

/** The outline of what is pointed at, and a ghost of what a click would place. */
export class PointerMarks {
  readonly group: Group = new Group();
  #marks: Marks | undefined;
  /** The block that is outlined. */
  #block = AIR;

  /** Takes over a world, how it looks and what lights it. */
  know(mirror: WorldMirror | undefined, sky: Sky, looks: LookPack | undefined): void {
    this.#marks?.dispose();
    this.#marks?.removeFromParent();
    this.#marks = undefined;
    if (mirror === undefined) return;
    const world = {
      get blocks() {
        return mirror.blocks;
      },
      voxelAt: () => this.#block,
    };
    this.#marks = new Marks(world, { sky, ...(looks && { looks }) });
    this.group.add(this.#marks);
  }

  /** Marks what a click would change; nothing with `undefined`. */
  show(pointed: Pointed | undefined): void {
    const marks = this.#marks;
    if (marks === undefined) return;
    const { block = AIR, voxel = ORIGIN, before = ORIGIN, edge = 1, placed } = pointed ?? {};
    const center = placed === undefined ? voxel : before;
    const [x, y, z] = edge === 1 ? voxel : center;
    const shift = (edge - 1) / 2;
    this.#block = edge === 1 ? block : CUBE;
    marks.position.set(x - shift, y - shift, z - shift);
    marks.scale.setScalar(edge);
    marks.outline(pointed && ORIGIN);
    const isPlaced = placed !== undefined && edge === 1;
    marks.ghost(isPlaced ? [before[0] - x, before[1] - y, before[2] - z] : undefined, placed ?? AIR);
  }
}
