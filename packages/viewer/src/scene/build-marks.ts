import type { BlockCatalog, Box, Position } from "@orthant/core";
import {
  BoxGeometry,
  DoubleSide,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
} from "three";
import type { BlockPicture } from "../edit/build-messages.ts";
import { type Slice, toScene } from "../slice/slice.ts";
import { blockGhost } from "./block-ghost.ts";

const ACCENT = 0xf2_b8_4b;
/** Edges lie a little outside of the voxels. */
const MARGIN = 0.02;

/** The box of a selection or a ghost, its copies, and the blocks that are about to be placed. */
export class BuildMarks {
  readonly group: Group = new Group();
  readonly #edges = new EdgesGeometry(new BoxGeometry(1, 1, 1));
  readonly #sides = new BoxGeometry(1, 1, 1);
  readonly #near = new LineBasicMaterial({ color: ACCENT, fog: false });
  /** Edges behind what is built. */
  readonly #far = new LineBasicMaterial({
    color: ACCENT,
    transparent: true,
    opacity: 0.3,
    depthTest: false,
    fog: false,
  });
  readonly #veil = new MeshBasicMaterial({
    color: ACCENT,
    transparent: true,
    opacity: 0.07,
    depthWrite: false,
    side: DoubleSide,
    fog: false,
  });
  readonly #boxes = new Group();
  #ghost: ReturnType<typeof blockGhost> | undefined;
  #shown: readonly [picture: BlockPicture, layer: string] | undefined;

  constructor() {
    this.group.add(this.#boxes);
  }

  /** Draws boxes as far as a slice goes through them. */
  showBoxes(boxes: readonly Box[], slice: Slice): void {
    this.#boxes.clear();
    for (const { min, max } of boxes) {
      if (slice.at < min[slice.hidden] || slice.at >= max[slice.hidden]) continue;
      const [low, high] = [toScene(slice, min), toScene(slice, max)];
      for (const part of [
        new Mesh(this.#sides, this.#veil),
        new LineSegments(this.#edges, this.#far),
        new LineSegments(this.#edges, this.#near),
      ]) {
        part.position.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
        part.scale.set(
          high[0] - low[0] + MARGIN * 2,
          high[1] - low[1] + MARGIN * 2,
          high[2] - low[2] + MARGIN * 2,
        );
        part.renderOrder = 6;
        this.#boxes.add(part);
      }
    }
  }

  /** Draws blocks with their lowest corner at a voxel; none with `undefined`. */
  showBlocks(
    shown:
      | { readonly picture: BlockPicture; readonly at: Position; readonly blocks: BlockCatalog }
      | undefined,
    slice: Slice,
  ): void {
    if (shown === undefined) {
      this.#dropGhost();
      return;
    }
    const { picture, at, blocks } = shown;
    const layer = [slice.hidden, slice.right, slice.back, slice.at - at[slice.hidden]].join();
    if (this.#shown?.[0] !== picture || this.#shown[1] !== layer) {
      this.#dropGhost();
      this.#ghost = blockGhost(picture, at, slice, blocks);
      this.#shown = [picture, layer];
      this.group.add(this.#ghost);
    }
    this.#ghost?.position.set(...toScene(slice, at));
  }

  #dropGhost(): void {
    this.#ghost?.removeFromParent();
    this.#ghost?.geometry.dispose();
    this.#ghost?.material.dispose();
    this.#ghost = undefined;
    this.#shown = undefined;
  }
}
