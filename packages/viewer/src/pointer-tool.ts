import { AIR, type Position } from "@orthant/core";
import type { Building } from "./building.ts";
import type { Hit, PageMessage, WorkerMessage } from "./message/messages.ts";
import type { ViewerElements } from "./overlay/elements.ts";
import { type Tool, ToolBar } from "./overlay/tool-bar.ts";
import { mapPlane } from "./slice/slice.ts";
import type { Viewer } from "./viewer.ts";
import type { VoxelInspector } from "./voxel-inspector.ts";

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
  readonly #inspector: VoxelInspector;
  readonly #building: Building;
  readonly #send: (message: PageMessage) => void;
  #pickId = 0;
  #onPicked: ((hit: Hit | undefined) => void) | undefined;
  #hit: Hit | undefined;
  /** Where the pointer was last. */
  #point: CanvasPoint | undefined;

  constructor(
    elements: ViewerElements,
    viewer: Viewer,
    inspector: VoxelInspector,
    building: Building,
    send: (message: PageMessage) => void,
  ) {
    this.#view = elements.find("view", HTMLElement);
    this.#viewer = viewer;
    this.#inspector = inspector;
    this.#building = building;
    this.#send = send;
    this.tools = new ToolBar(
      elements,
      () => this.#showTool(),
      () => send({ kind: "undo" }),
    );
  }

  /** Marks the voxels that a click at the pointer would change, and inspects the voxel there. */
  hover(event: PointerEvent): void {
    if (this.#viewer.isMap) {
      const voxel = this.#voxelOnMap(event);
      if (this.#inspector.isOpen) this.#inspector.look(voxel);
      if (this.tools.tool === "select") this.#building.hover(hitOnMap(voxel));
    } else if (this.#isPointing && this.#onPicked === undefined) {
      // Only one ray at a time: the next one starts at the pointer's position by then.
      this.#pointAt(this.#canvasPoint(event));
    }
  }

  /** Starts or stops to inspect voxels, first the one straight ahead. */
  toggleInspector(): void {
    this.#inspector.toggle();
    if (this.#inspector.isOpen && !this.#viewer.isMap) this.#pointAt(AHEAD);
    else this.#showCursor();
  }

  /** Applies the tool at the pointer. The right button removes, and the middle button picks. */
  click(event: PointerEvent): void {
    const { tool } = this.tools;
    if (tool === "look") return;
    if (tool === "select") {
      this.#select(event);
      return;
    }
    const isRemoving = event.button === RIGHT_BUTTON || event.shiftKey;
    const acted = event.button === MIDDLE_BUTTON ? "pick" : isRemoving ? "remove" : tool;
    if (this.#viewer.isMap) this.#actOnMap(event, acted);
    else this.#actAt(this.#canvasPoint(event), acted);
  }

  /** Applies the tool straight ahead, for visitors without a pointer. */
  actAhead(): void {
    if (this.tools.tool === "select") this.pickAt(AHEAD, (hit) => this.#building.click(hit, false));
    else this.#actAt(AHEAD, this.tools.tool);
  }

  #select(event: PointerEvent): void {
    const isPutting = event.pointerType === "touch" || event.shiftKey;
    if (this.#viewer.isMap) this.#building.click(hitOnMap(this.#voxelOnMap(event)), isPutting);
    else this.pickAt(this.#canvasPoint(event), (hit) => this.#building.click(hit, isPutting));
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

  /** Whether the voxel under the pointer matters. */
  get #isPointing(): boolean {
    return (this.tools.tool !== "look" || this.#inspector.isOpen) && !this.#viewer.isMap;
  }

  /** Points again, after a change to the world. */
  refresh(): void {
    if (this.#point !== undefined && this.#isPointing && this.#onPicked === undefined)
      this.#pointAt(this.#point);
    else this.#inspector.refresh();
  }

  #pointAt(point: CanvasPoint): void {
    this.#point = point;
    this.pickAt(point, (hit) => {
      this.#hit = hit;
      this.#showCursor();
      this.#inspector.look(hit?.voxel);
      if (this.tools.tool === "select") this.#building.hover(hit);
    });
  }

  #actAt(point: CanvasPoint, tool: Tool): void {
    this.pickAt(point, (hit) => {
      if (hit === undefined || tool === "look" || tool === "select") return;
      if (tool === "pick") this.tools.block = hit.block;
      else this.#paint(tool === "place" ? hit.before : hit.voxel, tool);
    });
  }

  #actOnMap(event: PointerEvent, tool: Tool): void {
    const voxel = tool === "pick" ? undefined : this.#voxelOnMap(event);
    if (voxel !== undefined) this.#paint(voxel, tool);
  }

  /** Returns the voxel at the pointer. On the map of a world with more than two axes it would be ambiguous. */
  #voxelOnMap(event: PointerEvent): Position | undefined {
    const { facts, slice, position } = this.#viewer;
    if (facts === undefined) return undefined;
    const plane = mapPlane(facts.shape, slice);
    if (plane.along !== undefined) return undefined;
    const { left, top } = this.#view.getBoundingClientRect();
    const [across, down] = this.#viewer.map.voxelAt(event.clientX - left, event.clientY - top);
    const place = position.map(Math.floor) as [number, number, number, number];
    place[plane.across] = across;
    place[plane.down] = down;
    return place;
  }

  #paint(center: Position, tool: Tool): void {
    const { brush, block } = this.tools;
    const { slice } = this.#viewer;
    this.#send({ kind: "brush", brush, center, block: tool === "place" ? block : AIR, slice });
  }

  #showTool(): void {
    this.#view.classList.toggle("acting", this.tools.tool !== "look" && !this.#viewer.isMap);
    this.#building.isOn = this.tools.tool === "select";
    this.#showCursor();
  }

  #showCursor(): void {
    const { tool, brush, block } = this.tools;
    const edge = tool === "place" || tool === "remove" ? brush.radius * 2 + 1 : 1;
    this.#viewer.point(this.#isPointing ? this.#hit : undefined, edge, tool === "place" ? block : undefined);
  }

  #canvasPoint({ clientX, clientY }: PointerEvent): CanvasPoint {
    const { left, top, width, height } = this.#view.getBoundingClientRect();
    return [((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2];
  }
}

/** Returns a voxel of a flat map as one that a ray hits. */
function hitOnMap(voxel: Position | undefined): Hit | undefined {
  return voxel && { voxel, before: voxel, block: AIR, distance: 0 };
}
