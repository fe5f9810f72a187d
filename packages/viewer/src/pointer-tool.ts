import { AIR, type Position } from "@orthant/core";
import type { Hit, PageMessage, WorkerMessage } from "./message/messages.ts";
import type { ViewerElements } from "./overlay/elements.ts";
import { type Tool, ToolBar } from "./overlay/tool-bar.ts";
import { mapPlane } from "./slice/slice.ts";
import type { Viewer } from "./viewer.ts";

/** A point on the canvas, from -1 to 1 on both axes, with y upwards. */
type CanvasPoint = readonly [across: number, up: number];

const AHEAD: CanvasPoint = [0, 0];
const MIDDLE_BUTTON = 1;
const RIGHT_BUTTON = 2;

/** What the visitor points at and does there. The worker, which holds the voxels, casts the rays. */
export class PointerTool {
  readonly tools: ToolBar;
  readonly #view: HTMLElement;
  readonly #viewer: Viewer;
  readonly #send: (message: PageMessage) => void;
  #pickId = 0;
  #onPicked: ((hit: Hit | undefined) => void) | undefined;
  #hit: Hit | undefined;

  constructor(elements: ViewerElements, viewer: Viewer, send: (message: PageMessage) => void) {
    this.#view = elements.find("view", HTMLElement);
    this.#viewer = viewer;
    this.#send = send;
    this.tools = new ToolBar(
      elements,
      () => this.#showTool(),
      () => send({ kind: "undo" }),
    );
  }

  /** Marks the voxels that a click at the pointer would change. */
  hover(event: PointerEvent): void {
    // Only one ray at a time: the next one starts at the pointer's position by then.
    if (this.tools.tool === "look" || this.#viewer.isMap || this.#onPicked !== undefined) return;
    this.pickAt(this.#canvasPoint(event), (hit) => {
      this.#hit = hit;
      this.#showCursor();
    });
  }

  /** Applies the tool at the pointer. The right button removes, and the middle button picks. */
  click(event: PointerEvent): void {
    const { tool } = this.tools;
    if (tool === "look") return;
    const isRemoving = event.button === RIGHT_BUTTON || event.shiftKey;
    const acted = event.button === MIDDLE_BUTTON ? "pick" : isRemoving ? "remove" : tool;
    if (this.#viewer.isMap) this.#actOnMap(event, acted);
    else this.#actAt(this.#canvasPoint(event), acted);
  }

  /** Applies the tool straight ahead, for visitors without a pointer. */
  actAhead(): void {
    this.#actAt(AHEAD, this.tools.tool);
  }

  /** Asks the worker which voxel is at a point of the canvas. */
  pickAt(point: CanvasPoint, onPicked: (hit: Hit | undefined) => void): void {
    this.#onPicked = onPicked;
    const { stage, camera } = this.#viewer;
    stage.place(camera.position, camera.yaw, camera.pitch);
    this.#send({
      kind: "pick",
      id: ++this.#pickId,
      from: camera.position,
      direction: stage.direction(...point),
    });
  }

  /** Handles the worker's answer to a ray. */
  receivePick({ id, hit }: Extract<WorkerMessage, { kind: "picked" }>): void {
    if (id !== this.#pickId) return;
    const onPicked = this.#onPicked;
    this.#onPicked = undefined;
    onPicked?.(hit);
  }

  #actAt(point: CanvasPoint, tool: Tool): void {
    this.pickAt(point, (hit) => {
      if (hit === undefined || tool === "look") return;
      if (tool === "pick") this.tools.block = hit.block;
      else this.#paint(tool === "place" ? hit.before : hit.voxel, tool);
    });
  }

  /** On the map of a world with more than two axes, the voxel of a column would be ambiguous. */
  #actOnMap(event: PointerEvent, tool: Tool): void {
    const { facts, slice, position } = this.#viewer;
    if (facts === undefined) return;
    const plane = mapPlane(facts.shape, slice);
    if (plane.along !== undefined || tool === "pick") return;
    const { left, top } = this.#view.getBoundingClientRect();
    const [across, down] = this.#viewer.map.voxelAt(event.clientX - left, event.clientY - top);
    const place = position.map(Math.floor) as [number, number, number, number];
    place[plane.across] = across;
    place[plane.down] = down;
    this.#paint(place, tool);
  }

  #paint(center: Position, tool: Tool): void {
    const { brush, block } = this.tools;
    const { slice } = this.#viewer;
    this.#send({ kind: "brush", brush, center, block: tool === "place" ? block : AIR, slice });
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
    const { left, top, width, height } = this.#view.getBoundingClientRect();
    return [((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2];
  }
}
