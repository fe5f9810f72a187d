import type { Axis, Vector } from "@orthant/core";
import { AXIS_NAMES } from "@orthant/core/lattice";
import type { ScenePoint, Slice } from "../slice/slice.ts";
import type { ViewerElements } from "./elements.ts";

/** Each axis keeps its colour, visible or hidden. */
const AXIS_COLOURS = ["#ff8f85", "#8fe0a8", "#7db8ff", "#e2a8ff"] as const;
const ARM = 34;
/** To the right, up and back. */
const DIRECTIONS: readonly ScenePoint[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const SVG = "http://www.w3.org/2000/svg";

/** Draws the axes of a slice as seen from the current view direction, and the eye's position. */
type ShowCompass = (
  slice: Slice,
  axes: readonly Axis[],
  eye: Vector,
  toView: (direction: ScenePoint) => ScenePoint,
) => void;

/** Prepares the drawing of the directions of the three visible axes, and of the slice's position on the hidden one. */
export function compassOn(elements: ViewerElements): ShowCompass {
  const drawing = elements.find("compass-drawing", SVGSVGElement);
  const place = elements.find("place", HTMLElement);
  const add = <Name extends "line" | "text" | "circle">(name: Name): SVGElementTagNameMap[Name] =>
    drawing.appendChild(document.createElementNS(SVG, name));
  const arms = DIRECTIONS.map((direction) => ({ direction, line: add("line"), name: add("text") }));
  for (const { line } of arms) {
    line.setAttribute("stroke-width", "2.4");
    line.setAttribute("stroke-linecap", "round");
  }
  const ring = add("circle");
  const hiddenName = add("text");
  ring.setAttribute("r", "10");
  ring.setAttribute("fill", "#141a29");
  ring.setAttribute("stroke-width", "1.6");
  return (slice, axes, eye, toView) => {
    const visible = [slice.right, slice.up, slice.back] as const;
    for (const [index, { direction, line, name }] of arms.entries()) {
      const axis = visible[index] ?? slice.right;
      const [right, up, towards] = toView(direction);
      for (const part of [line, name])
        part.setAttribute("visibility", axes.includes(axis) ? "visible" : "hidden");
      const x = right * ARM;
      const y = -up * ARM;
      line.setAttribute("x2", x.toFixed(1));
      line.setAttribute("y2", y.toFixed(1));
      line.setAttribute("stroke", AXIS_COLOURS[axis]);
      line.setAttribute("opacity", (0.55 + 0.45 * Math.max(0, towards)).toFixed(2));
      name.setAttribute("x", (x * 1.26).toFixed(1));
      name.setAttribute("y", (y * 1.26).toFixed(1));
      name.setAttribute("fill", AXIS_COLOURS[axis]);
      name.textContent = AXIS_NAMES[axis];
    }
    for (const part of [ring, hiddenName])
      part.setAttribute("visibility", axes.includes(slice.hidden) ? "visible" : "hidden");
    ring.setAttribute("stroke", AXIS_COLOURS[slice.hidden]);
    hiddenName.setAttribute("fill", AXIS_COLOURS[slice.hidden]);
    hiddenName.textContent = AXIS_NAMES[slice.hidden];
    place.textContent = axes.map((axis) => `${AXIS_NAMES[axis]} ${Math.floor(eye[axis])}`).join("\n");
  };
}
