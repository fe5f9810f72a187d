import type { Box, ChunkShape } from "@orthant/core";
import { AXIS_NAMES, positionFrom } from "@orthant/core/lattice";
import { type BoxSide, middleOf, visibleSides } from "../slice/boxes.ts";
import type { BuildView } from "./build-view.ts";

/** What dragging a handle does. */
interface HandleEvents {
  /** A side is dragged by some voxels, towards greater coordinates, since it was taken. */
  readonly onDrag: (side: BoxSide, by: number) => void;
  readonly onDrop: (side: BoxSide, by: number) => void;
}

/** Handles on the sides of a box, to drag with a mouse, a finger or the arrow keys. */
export class BoxHandles {
  readonly #parent: HTMLElement;
  readonly #viewer: BuildView;
  readonly #events: HandleEvents;
  readonly #handles = new Map<string, HTMLButtonElement>();
  #box: Box | undefined;
  #shape: ChunkShape | undefined;

  constructor(parent: HTMLElement, viewer: BuildView, events: HandleEvents) {
    this.#parent = parent;
    this.#viewer = viewer;
    this.#events = events;
  }

  /** Puts the handles on a box, or hides them. */
  show(box: Box | undefined, shape: ChunkShape): void {
    this.#box = box;
    this.#shape = shape;
    this.#parent.hidden = box === undefined;
    this.follow();
  }

  /** Moves the handles to where the box is on the page. */
  follow(): void {
    const [box, shape] = [this.#box, this.#shape];
    if (box === undefined || shape === undefined) return;
    const { slice } = this.#viewer;
    const isIn = slice.at >= box.min[slice.hidden] && slice.at < box.max[slice.hidden];
    const used = new Set<string>();
    for (const side of isIn ? visibleSides(slice, shape) : []) {
      const at = this.#viewer.project(middleOf(box, side, slice));
      const key = `${AXIS_NAMES[side.axis]}${side.isHigh ? "+" : "-"}`;
      if (at === undefined) continue;
      used.add(key);
      const handle = this.#handleOf(key, side);
      handle.style.left = `${at[0].toFixed(1)}px`;
      handle.style.top = `${at[1].toFixed(1)}px`;
    }
    for (const [key, handle] of this.#handles) handle.hidden = !used.has(key);
  }

  #handleOf(key: string, side: BoxSide): HTMLButtonElement {
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    const handle = document.createElement("button");
    handle.type = "button";
    handle.className = "handle";
    handle.dataset["side"] = key;
    handle.setAttribute(
      "aria-label",
      `The side towards ${side.isHigh ? "greater" : "lower"} ${key.charAt(0)}`,
    );
    handle.addEventListener("pointerdown", (event) => this.#take(handle, side, event));
    handle.addEventListener("keydown", (event) => this.#step(side, event));
    this.#parent.append(handle);
    this.#handles.set(key, handle);
    return handle;
  }

  #take(handle: HTMLButtonElement, side: BoxSide, down: PointerEvent): void {
    const towards = this.#pixelsPerVoxel(side);
    if (towards === undefined || down.button !== 0) return;
    down.preventDefault();
    handle.setPointerCapture(down.pointerId);
    const [right, below] = towards;
    const square = Math.max(right ** 2 + below ** 2, 1e-6);
    let by = 0;
    const taking = new AbortController();
    const { signal } = taking;
    handle.addEventListener(
      "pointermove",
      ({ clientX, clientY }) => {
        const pulled = (clientX - down.clientX) * right + (clientY - down.clientY) * below;
        by = Math.round(pulled / square);
        this.#events.onDrag(side, by);
      },
      { signal },
    );
    const drop = (isKept: boolean): void => {
      taking.abort();
      this.#events.onDrop(side, isKept ? by : 0);
    };
    handle.addEventListener("pointerup", () => drop(true), { signal });
    handle.addEventListener("pointercancel", () => drop(false), { signal });
  }

  #step(side: BoxSide, event: KeyboardEvent): void {
    const by = /^Arrow(?:Up|Right)$/.test(event.key) ? 1 : /^Arrow(?:Down|Left)$/.test(event.key) ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.#events.onDrag(side, by);
    this.#events.onDrop(side, by);
  }

  /** Returns how far on the page a voxel's edge along a side's axis leads. */
  #pixelsPerVoxel(side: BoxSide): readonly [right: number, down: number] | undefined {
    const box = this.#box;
    if (box === undefined) return undefined;
    const from = middleOf(box, side, this.#viewer.slice);
    const [a, b] = [
      this.#viewer.project(from),
      this.#viewer.project(positionFrom((axis) => from[axis] + (axis === side.axis ? 1 : 0))),
    ];
    return a && b && [b[0] - a[0], b[1] - a[1]];
  }
}
