import type { Box, ChunkShape } from "@orthant/core";
import { boxVolume, REGION_EDGE_CHUNKS } from "@orthant/core/lattice";
import { changeNumberOf, epochOf } from "@orthant/core/tree";
import { BoxGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments } from "three";
import type { RegionInfo } from "../message/messages.ts";
import type { ScenePoint, Slice } from "../slice/slice.ts";
import type { NameTag } from "./entity-view.ts";

/** Regions further away than this, in voxels, get no frame, because frames would fill the screen. */
const FRAME_VOXELS = 90;
const CLOCK_VOXELS = 60;
const FLASH_SECONDS = 1.6;
const FLASHES_MAX = 200;
/** A change of more chunks than this is a newly loaded region, not an edit. */
const FLASH_CHUNKS_MAX = 64;

interface Flash {
  readonly lines: LineSegments<EdgesGeometry, LineBasicMaterial>;
  seconds: number;
}

/** Frames around regions, warm for edited and cool for generated ones; and flashes around recent changes. */
export class RegionMarks {
  readonly group: Group = new Group();
  readonly #frames = new Group();
  readonly #edges = new EdgesGeometry(new BoxGeometry(1, 1, 1));
  readonly #concrete = new LineBasicMaterial({ color: 0xff_b0_66, transparent: true, opacity: 0.85 });
  readonly #symbolic = new LineBasicMaterial({ color: 0x6c_b8_ff, transparent: true, opacity: 0.22 });
  #flashes: Flash[] = [];

  constructor() {
    this.group.add(this.#frames);
  }

  /** Draws frames around the regions near an eye. Returns tags with their clocks. */
  show(notes: readonly RegionInfo[], shape: ChunkShape, slice: Slice, eye: ScenePoint): readonly NameTag[] {
    this.#frames.clear();
    const tags: NameTag[] = [];
    const edge = REGION_EDGE_CHUNKS;
    for (const { region, clock, isConcrete } of notes) {
      const extent = shape.extents[slice.hidden] * edge;
      if (Math.floor(slice.at / extent) !== region[slice.hidden]) continue;
      const axes = [slice.right, slice.up, slice.back] as const;
      const size = axes.map((axis) => shape.extents[axis] * edge) as unknown as ScenePoint;
      const middle = axes.map(
        (axis, index) => ((region[axis] as number) + 0.5) * (size[index] as number),
      ) as unknown as ScenePoint;
      const distance = Math.hypot(...middle.map((at, index) => at - (eye[index] as number)));
      if (distance > FRAME_VOXELS + Math.max(...size)) continue;
      const frame = new LineSegments(this.#edges, isConcrete ? this.#concrete : this.#symbolic);
      frame.position.set(...middle);
      frame.scale.set(...size);
      frame.renderOrder = 4;
      this.#frames.add(frame);
      if (clock !== undefined && isConcrete && distance < CLOCK_VOXELS + Math.max(...size)) {
        tags.push({ text: `${epochOf(clock)}.${changeNumberOf(clock)}`, point: middle });
      }
    }
    return tags;
  }

  /** Removes all frames. */
  hide(): void {
    this.#frames.clear();
  }

  /** Flashes the boxes that just changed. */
  flash(boxes: readonly Box[], shape: ChunkShape, slice: Slice): void {
    for (const box of boxes) {
      if (boxVolume(box) > FLASH_CHUNKS_MAX || this.#flashes.length >= FLASHES_MAX) continue;
      const chunk = Math.floor(slice.at / shape.extents[slice.hidden]);
      if (chunk < box.min[slice.hidden] || chunk >= box.max[slice.hidden]) continue;
      const material = new LineBasicMaterial({ color: 0xff_ff_ff, transparent: true });
      const lines = new LineSegments(this.#edges, material);
      for (const [index, axis] of ([slice.right, slice.up, slice.back] as const).entries()) {
        const extent = shape.extents[axis];
        const name = (["x", "y", "z"] as const)[index] ?? "x";
        lines.position[name] = ((box.min[axis] + box.max[axis]) / 2) * extent;
        lines.scale[name] = (box.max[axis] - box.min[axis]) * extent + 0.1;
      }
      this.group.add(lines);
      this.#flashes.push({ lines, seconds: 0 });
    }
  }

  /** Advances the flashes. Returns whether anything looks different. */
  advance(seconds: number): boolean {
    for (const flash of this.#flashes) {
      flash.seconds += seconds;
      flash.lines.material.opacity = Math.max(0, 1 - flash.seconds / FLASH_SECONDS);
      if (flash.seconds < FLASH_SECONDS) continue;
      this.group.remove(flash.lines);
      flash.lines.material.dispose();
    }
    const isAny = this.#flashes.length > 0;
    this.#flashes = this.#flashes.filter(({ seconds: shown }) => shown < FLASH_SECONDS);
    return isAny;
  }
}
