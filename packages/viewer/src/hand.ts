import { AIR, type Place } from "@orthant/core";
import type { FromWorld, Hit } from "./message/from-world.ts";
import type { ToWorld } from "./message/to-world.ts";
import { element } from "./overlay/element.ts";
import { type Tool, ToolBar } from "./overlay/tool-bar.ts";
import { mapPlane } from "./slice/map-plane.ts";
import type { Viewer } from "./viewer.ts";

/** A point of the canvas, from -1 to 1 on both axes, up being up. */
type CanvasPoint = readonly [across: number, up: number];

const AHEAD: CanvasPoint = [0, 0];
const MIDDLE_BUTTON = 1;
const RIGHT_BUTTON = 2;

/** What a visitor points at and does there. The worker, which has the voxels, follows the rays. */
export class Hand {
  readonly tools: ToolBar;
  readonly #view = element("view", HTMLElement);
  readonly #viewer: Viewer;
  readonly #send: (message: ToWorld) => void;
  #pickId = 0;
  #onPicked: ((hit: Hit | undefined) => void) | undefined;
  #hit: Hit | undefined;

  constructor(viewer: Viewer, send: (message: ToWorld) => void) {
    this.#viewer = viewer;
    this.#send = send;
    this.tools = new ToolBar(
      () => this.#showTool(),
      () => send({ kind: "undo" }),
    );
  }

  /** The pointer is over a place: marks what a click there would change. */
  hover(event: PointerEvent): void {
    // One ray at a time: the next one starts where the pointer is then.
    if (this.tools.tool === "look" || this.#viewer.isMap || this.#onPicked !== undefined) return;
    this.pickAt(this.#canvasPoint(event), (hit) => {
      this.#hit = hit;
      this.#showCursor();
    });
  }

  /** Does what the tool does where the pointer is; the right button removes, and the middle one picks. */
  click(event: PointerEvent): void {
    const { tool } = this.tools;
    if (tool === "look") return;
    const isRemoving = event.button === RIGHT_BUTTON || event.shiftKey;
    const acted = event.button === MIDDLE_BUTTON ? "pick" : isRemoving ? "remove" : tool;
    if (this.#viewer.isMap) this.#actOnMap(event, acted);
    else this.#actAt(this.#canvasPoint(event), acted);
  }

  /** Does what the tool does straight ahead, for those who use no pointer. */
  actAhead(): void {
    this.#actAt(AHEAD, this.tools.tool);
  }

  /** Asks what is at a point of the canvas. */
  pickAt(point: CanvasPoint, onPicked: (hit: Hit | undefined) => void): void {
    this.#onPicked = onPicked;
    const { stage, eye } = this.#viewer;
    stage.place(eye.position, eye.yaw, eye.pitch);
    this.#send({
      kind: "pick",
      id: ++this.#pickId,
      from: eye.position,
      direction: stage.direction(...point),
    });
  }

  /** The worker says what a ray hit. */
  picked({ id, hit }: Extract<FromWorld, { kind: "picked" }>): void {
    if (id !== this.#pickId) return;
    const onPicked = this.#onPicked;
    this.#onPicked = undefined;
    onPicked?.(hit);
  }

  #actAt(point: CanvasPoint, tool: Tool): void {
    this.pickAt(point, (hit) => {
      if (hit === undefined || tool === "look") return;
      if (tool === "pick") this.tools.material = hit.material;
      else this.#paint(tool === "place" ? hit.before : hit.voxel, tool);
    });
  }

  /** On the map of a world with more than two axes nobody knows which voxel of a column is meant. */
  #actOnMap(event: PointerEvent, tool: Tool): void {
    const { facts, slice, position } = this.#viewer;
    if (facts === undefined) return;
    const plane = mapPlane(facts.shape, slice);
    if (plane.along !== undefined || tool === "pick") return;
    const [across, down] = this.#viewer.map.voxelAt(event.clientX, event.clientY);
    const place = position.map(Math.floor) as [number, number, number, number];
    place[plane.across] = across;
    place[plane.down] = down;
    this.#paint(place, tool);
  }

  #paint(center: Place, tool: Tool): void {
    const { brush, material } = this.tools;
    const { slice } = this.#viewer;
    this.#send({ kind: "brush", brush, center, material: tool === "place" ? material : AIR, slice });
  }

  #showTool(): void {
    this.#view.classList.toggle("acting", this.tools.tool !== "look" && !this.#viewer.isMap);
    this.#showCursor();
  }

  #showCursor(): void {
    const { tool, brush } = this.tools;
    const isShown = tool !== "look" && !this.#viewer.isMap;
    const edge = tool === "pick" ? 1 : brush.radius * 2 + 1;
    this.#viewer.point(isShown ? this.#hit : undefined, edge, tool === "place");
  }

  #canvasPoint({ clientX, clientY }: PointerEvent): CanvasPoint {
    const { clientWidth, clientHeight } = this.#view;
    return [(clientX / clientWidth) * 2 - 1, 1 - (clientY / clientHeight) * 2];
  }
}
