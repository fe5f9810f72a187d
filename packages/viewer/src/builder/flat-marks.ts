import { AIR, type BlockCatalog, type Box } from "@orthant/core";
import type { BlockPicture } from "../edit/build-messages.ts";
import type { ViewerElements } from "../overlay/elements.ts";
import { axesOf, mapPlane } from "../slice/slice.ts";
import type { BuildView } from "./build-view.ts";

/** The box of a selection or a ghost over the map of a world of two dimensions. */
export class FlatMarks {
  readonly #frame: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #viewer: BuildView;
  #box: Box | undefined;
  #picture: BlockPicture | undefined;

  constructor(elements: ViewerElements, viewer: BuildView) {
    this.#frame = elements.find("build-flat", HTMLElement);
    this.#canvas = this.#frame.querySelector("canvas") as HTMLCanvasElement;
    this.#viewer = viewer;
  }

  /** Shows a box, and the blocks in it; nothing with `undefined`. */
  show(box: Box | undefined, picture: BlockPicture | undefined, blocks: BlockCatalog | undefined): void {
    this.#box = box;
    this.#frame.hidden = box === undefined;
    if (picture !== this.#picture) this.#paint(picture, blocks);
    this.#picture = picture;
    this.follow();
  }

  /** Moves to where the box is on the page. */
  follow(): void {
    if (this.#box === undefined) return;
    const [a, b] = [this.#viewer.project(this.#box.min), this.#viewer.project(this.#box.max)];
    if (a === undefined || b === undefined) return;
    const { style } = this.#frame;
    style.left = `${Math.min(a[0], b[0])}px`;
    style.top = `${Math.min(a[1], b[1])}px`;
    style.width = `${Math.abs(a[0] - b[0])}px`;
    style.height = `${Math.abs(a[1] - b[1])}px`;
  }

  #paint(picture: BlockPicture | undefined, catalog: BlockCatalog | undefined): void {
    const { shape } = this.#viewer.facts ?? {};
    this.#canvas.hidden = picture?.blocks === undefined;
    if (picture?.blocks === undefined || catalog === undefined || shape === undefined) return;
    const { extents, blocks } = picture;
    const { across, down, isUpright } = mapPlane(shape, this.#viewer.slice);
    const [width, height] = [extents[across], extents[down]];
    const isAcrossFirst = axesOf(shape)[0] === across;
    const pixels = new Uint8ClampedArray(width * height * 4);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const block = blocks[isAcrossFirst ? x + y * width : y + x * height] ?? AIR;
        if (block === AIR) continue;
        const colour = catalog.colourOf(block);
        const at = (x + (isUpright ? height - 1 - y : y) * width) * 4;
        pixels.set([colour >>> 16, (colour >>> 8) & 0xff, colour & 0xff, 255], at);
      }
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }
}
