import type { Axis, Vector } from "@orthant/core";
import { AXIS_NAMES } from "@orthant/core/lattice";
import type { ScenePoint, Slice } from "../slice/slice.ts";
import type { ViewerElements } from "./elements.ts";

/** Each axis keeps its colour, visible or hidden. */
const AXIS_COLOURS = ["#ff8f85", "#8fe0a8", "#7db8ff", "#e2a8ff"] as const;
const ARM = 34;
const SVG = "http://www.w3.org/2000/svg";

interface Arm {
  readonly line: SVGLineElement;
  readonly name: SVGTextElement;
}

/** Shows the directions of the three visible axes, and the slice's position on the hidden one. */
export class Compass {
  readonly #drawing: SVGSVGElement;
  readonly #place: HTMLElement;
  readonly #arms: readonly Arm[];
  readonly #ring: SVGCircleElement;
  readonly #hidden: SVGTextElement;

  constructor(elements: ViewerElements) {
    this.#drawing = elements.find("compass-drawing", SVGSVGElement);
    this.#place = elements.find("place", HTMLElement);
    this.#arms = [0, 1, 2].map(() => this.#arm());
    this.#ring = this.#add("circle");
    this.#hidden = this.#add("text");
    this.#ring.setAttribute("r", "10");
    this.#ring.setAttribute("fill", "#141a29");
    this.#ring.setAttribute("stroke-width", "1.6");
  }

  /** Draws the axes as seen from the current view direction. */
  show(
    slice: Slice,
    axes: readonly Axis[],
    eye: Vector,
    toView: (direction: ScenePoint) => ScenePoint,
  ): void {
    const hasHidden = axes.includes(slice.hidden);
    for (const [index, axis] of [slice.right, slice.up, slice.back].entries()) {
      const direction: ScenePoint = [index === 0 ? 1 : 0, index === 1 ? 1 : 0, index === 2 ? 1 : 0];
      const [right, up, towards] = toView(direction);
      const arm = this.#arms[index];
      if (arm === undefined) continue;
      for (const part of [arm.line, arm.name])
        part.setAttribute("visibility", axes.includes(axis) ? "visible" : "hidden");
      const x = right * ARM;
      const y = -up * ARM;
      arm.line.setAttribute("x2", x.toFixed(1));
      arm.line.setAttribute("y2", y.toFixed(1));
      arm.line.setAttribute("stroke", AXIS_COLOURS[axis]);
      arm.line.setAttribute("opacity", (0.55 + 0.45 * Math.max(0, towards)).toFixed(2));
      arm.name.setAttribute("x", (x * 1.26).toFixed(1));
      arm.name.setAttribute("y", (y * 1.26).toFixed(1));
      arm.name.setAttribute("fill", AXIS_COLOURS[axis]);
      arm.name.textContent = AXIS_NAMES[axis];
    }
    for (const part of [this.#ring, this.#hidden])
      part.setAttribute("visibility", hasHidden ? "visible" : "hidden");
    this.#ring.setAttribute("stroke", AXIS_COLOURS[slice.hidden]);
    this.#hidden.setAttribute("fill", AXIS_COLOURS[slice.hidden]);
    this.#hidden.textContent = AXIS_NAMES[slice.hidden];
    this.#place.textContent = axes.map((axis) => `${AXIS_NAMES[axis]} ${Math.floor(eye[axis])}`).join("\n");
  }

  #arm(): Arm {
    const line = this.#add("line");
    line.setAttribute("stroke-width", "2.4");
    line.setAttribute("stroke-linecap", "round");
    return { line, name: this.#add("text") };
  }

  #add<Name extends "line" | "text" | "circle">(name: Name): SVGElementTagNameMap[Name] {
    const made = document.createElementNS(SVG, name);
    this.#drawing.append(made);
    return made;
  }
}
