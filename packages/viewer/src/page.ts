import { type Position, printable } from "@orthant/core";
import { formatViewpoint, parseViewpoint, type Viewpoint } from "./controls/camera.ts";
import { watchChoice, watchDrops } from "./controls/dropped-files.ts";
import { HeldKeys, watchPointers } from "./controls/input.ts";
import { keepToken, type Visitor, visitorOf } from "./controls/visitor.ts";
import type { Numbers, OpenRequest, WorkerMessage, WorldFacts, WorldStatus } from "./message/messages.ts";
import { element, showText } from "./overlay/element.ts";
import { Help } from "./overlay/help.ts";
import { NumbersPanel, StatusLine } from "./overlay/panels.ts";
import { PointerTool } from "./pointer-tool.ts";
import { canSweep } from "./slice/slice.ts";
import { Viewer } from "./viewer.ts";
import { WatchedWorker } from "./watched-worker.ts";

/** Radians turned per pixel of dragging. */
const TURN_PER_PIXEL = 0.0042;
/** Voxels moved ahead per notch of the wheel, and per pixel of a pinch. */
const AHEAD_PER_NOTCH = 3;
const AHEAD_PER_PIXEL = 0.12;
const MAP_PIXELS_PER_VOXEL = 14;
/** Minimum interval between updates of the address. */
const LINK_MS = 500;
const ORBIT_VOXELS = 24;

/** The page: receives all of the visitor's input and passes it to the viewer, the tools or the worker. */
export class Page {
  readonly #view = element("view", HTMLElement);
  readonly #viewer: Viewer;
  readonly #worker: WatchedWorker;
  readonly #keys = new HeldKeys();
  readonly #status: StatusLine;
  readonly #help = new Help(() => this.#view.focus());
  readonly #pointerTool: PointerTool;
  readonly #panel = new NumbersPanel();
  #visitor: Visitor;
  #opening: OpenRequest;
  #wanted: Viewpoint | undefined;
  #numbers: Numbers | undefined;
  readonly #questions = new Map<number, (block: number | undefined) => void>();
  #questionId = 0;
  #linkedMs = 0;

  constructor() {
    this.#visitor = visitorOf(location);
    this.#wanted = parseViewpoint(location.hash);
    this.#opening = this.#serverOpening();
    this.#viewer = new Viewer({ onView: (view) => this.#worker.send({ kind: "view", view }) });
    this.#pointerTool = new PointerTool(this.#viewer, (message) => this.#worker.send(message));
    this.#status = new StatusLine(
      (token) => {
        keepToken(token);
        this.#visitor = { ...this.#visitor, token };
        this.#open(this.#serverOpening());
      },
      () => this.#open(this.#serverOpening()),
    );
    this.#worker = new WatchedWorker(
      (message) => this.#hear(message),
      () => this.#stuck(),
    );
    this.#listen();
    this.#worker.send({ kind: "open", opening: this.#opening });
    this.#help.greet();
    requestAnimationFrame((nowMs) => this.#frame(nowMs, nowMs));
  }

  /** The viewer, for tests and debugging. */
  get viewer(): Viewer {
    return this.#viewer;
  }

  /** Returns the worker's current block of a voxel; `undefined` when it is not loaded. */
  voxelAt(position: Position): Promise<number | undefined> {
    return new Promise((resolve) => {
      const id = this.#questionId++;
      this.#questions.set(id, resolve);
      this.#worker.send({ kind: "voxel", id, position });
    });
  }

  /** Sets a voxel, as a click with the one-voxel brush does. */
  setVoxel(center: Position, block: number): void {
    const brush = { shape: "box", radius: 0, isThick: false } as const;
    this.#worker.send({ kind: "brush", brush, center, block, slice: this.#viewer.slice });
  }

  /** The latest counters. */
  get numbers(): Numbers | undefined {
    return this.#numbers;
  }

  #serverOpening(): OpenRequest {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return { kind: "server", url: `${scheme}://${location.host}/`, ...this.#visitor };
  }

  #open(opening: OpenRequest): void {
    if (opening.kind !== this.#opening.kind) this.#wanted = undefined;
    this.#opening = opening;
    this.#viewer.leave();
    this.#worker.send({ kind: "open", opening });
  }

  #hear(message: WorkerMessage): void {
    switch (message.kind) {
      case "facts":
        this.#know(message.facts);
        break;
      case "status":
        this.#showStatus(message.status);
        break;
      case "notice":
        this.#status.notice(message.text, message.isBad);
        break;
      case "picked":
        this.#pointerTool.receivePick(message);
        break;
      case "voxel":
        this.#questions.get(message.id)?.(message.block);
        this.#questions.delete(message.id);
        break;
      case "entities":
        this.#viewer.setEntities(message.entities);
        break;
      case "regions":
        this.#viewer.note(message.notes);
        break;
      case "changed":
        this.#viewer.flash(message.boxes);
        break;
      case "numbers":
        this.#numbers = message.numbers;
        this.#showNumbers(message.numbers);
        break;
      case "meshBlock":
      case "drop":
      case "mapTile":
      case "progress":
        this.#viewer.take(message);
    }
  }

  #know(facts: WorldFacts): void {
    const { name, blocks, canEdit, origin } = facts;
    document.title = `${printable(name) || "A world"} · Orthant`;
    showText(element("world-name", HTMLElement), name || "A world");
    showText(element("world-origin", HTMLElement), origin);
    if (this.#viewer.facts !== undefined && !isSamePlace(this.#viewer.facts, facts)) this.#viewer.leave();
    this.#viewer.know(facts, this.#wanted);
    this.#wanted = undefined;
    this.#pointerTool.tools.offer(blocks, canEdit);
    this.#help.suit(facts);
    element("toggle-map", HTMLElement).setAttribute("aria-pressed", String(this.#viewer.isMap));
  }

  #showStatus(status: WorldStatus): void {
    this.#status.show(status, this.#viewer.facts?.canEdit === false ? "Here, to look" : "Here");
  }

  #stuck(): void {
    this.#viewer.leave();
    this.#showStatus({ kind: "failed", text: "This world is more than the page can take. It was closed." });
  }

  #showNumbers(numbers: Numbers): void {
    const { calls, triangles } = this.#viewer.stage.drawn;
    const meshBlocks = this.#viewer.stage.layers.meshBlockCount;
    this.#panel.show(numbers, { meshBlocks, calls, triangles, pictures: this.#viewer.frames });
  }

  #frame(nowMs: number, lastMs: number): void {
    const seconds = Math.max(0, (nowMs - lastMs) / 1000);
    const [right, up, ahead] = this.#keys.advance(Math.min(seconds, 0.1));
    if (this.#viewer.isMap) {
      const scale = MAP_PIXELS_PER_VOXEL;
      if (right !== 0 || ahead !== 0) this.#viewer.pan(-right * scale, ahead * scale);
    } else if (right !== 0 || up !== 0 || ahead !== 0) this.#viewer.camera.move(right, up, ahead);
    this.#viewer.advance(nowMs, seconds);
    this.#keepLink(nowMs);
    requestAnimationFrame((next) => this.#frame(next, nowMs));
  }

  /** Keeps the visitor's position in the address, so that it can be copied and survives a reload. */
  #keepLink(nowMs: number): void {
    if (nowMs - this.#linkedMs < LINK_MS) return;
    this.#linkedMs = nowMs;
    this.#writeLink();
  }

  #writeLink(): void {
    if (this.#viewer.facts === undefined) return;
    const hash = `#${formatViewpoint(this.#viewer.link)}`;
    if (hash !== location.hash) history.replaceState(null, "", hash);
  }

  #listen(): void {
    watchPointers(this.#view, {
      onDrag: (right, down) => this.#drag(right, down),
      onPinch: (right, down, apart) => this.#pinch(right, down, apart),
      onClick: (event) => {
        this.#view.focus();
        this.#pointerTool.click(event);
      },
      onHover: (event) => this.#pointerTool.hover(event),
      onWheel: (notches, event) => this.#wheel(notches, event),
    });
    addEventListener("keydown", (event) => this.#keyDown(event));
    addEventListener("keyup", (event) => this.#keys.up(event));
    addEventListener("blur", () => this.#keys.release());
    addEventListener("hashchange", () => {
      const place = parseViewpoint(location.hash);
      if (place !== undefined) this.#viewer.goTo(place);
    });
    watchDrops(
      (isOver) => {
        element("drop", HTMLElement).hidden = !isOver;
      },
      (files) =>
        void files.then(
          (dropped) => this.#open({ kind: "files", files: dropped }),
          () => this.#status.notice("What you dropped cannot be read", true),
        ),
    );
    for (const id of ["open-folder", "open-file"]) {
      watchChoice(element(id, HTMLInputElement), (files) => {
        this.#help.close();
        this.#open({ kind: "files", files });
      });
    }
    const buttons = {
      "toggle-orbit": "KeyO",
      "toggle-map": "KeyM",
      "toggle-regions": "KeyG",
      "toggle-panel": "KeyI",
      share: "KeyL",
    };
    for (const [id, code] of Object.entries(buttons)) {
      element(id, HTMLButtonElement).addEventListener("click", () => this.#command(code, false));
    }
  }

  #drag(right: number, down: number): void {
    if (this.#viewer.isMap) this.#viewer.pan(right, down);
    else {
      const { camera } = this.#viewer;
      camera.turn(
        right * TURN_PER_PIXEL * (camera.isOrbiting ? -1 : 1),
        down * TURN_PER_PIXEL * (camera.isOrbiting ? -1 : 1),
      );
      this.#viewer.touch();
    }
  }

  #pinch(right: number, down: number, apart: number): void {
    if (this.#viewer.isMap) this.#viewer.pan(right, down);
    else this.#viewer.camera.move(-right * AHEAD_PER_PIXEL, down * AHEAD_PER_PIXEL, apart * AHEAD_PER_PIXEL);
    this.#viewer.touch();
  }

  #wheel(notches: number, event: WheelEvent): void {
    const { facts, slice } = this.#viewer;
    if (facts === undefined) return;
    if (this.#viewer.isMap) this.#viewer.map.zoomBy(-Math.sign(notches));
    else if (canSweep(facts.shape) && !event.ctrlKey && !event.shiftKey)
      this.#viewer.sliceAt(slice.at - notches);
    else this.#viewer.camera.move(0, 0, -notches * AHEAD_PER_NOTCH);
    this.#viewer.touch();
  }

  #keyDown(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement && event.target.type !== "range") return;
    if (event.key === "?") this.#help.toggle();
    if (event.key === "Escape") this.#pointerTool.tools.togglePalette(false);
    if (this.#help.isOpen || event.altKey) return;
    if ((event.ctrlKey || event.metaKey) && event.code === "KeyZ") {
      event.preventDefault();
      this.#worker.send({ kind: "undo" });
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    const isOnControl = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
    if (isOnControl && /^(?:Space|Enter|Arrow)/.test(event.code)) return;
    if (this.#keys.down(event)) event.preventDefault();
    else if (!event.repeat || event.code === "Comma" || event.code === "Period")
      this.#command(event.code, event.shiftKey);
  }

  #command(code: string, isShifted: boolean): void {
    const viewer = this.#viewer;
    const toggle = (id: string, isOn: boolean): void =>
      element(id, HTMLElement).setAttribute("aria-pressed", String(isOn));
    const tools = { Digit1: "look", Digit2: "place", Digit3: "remove", Digit4: "pick" } as const;
    if (code in tools && viewer.facts?.canEdit === true)
      this.#pointerTool.tools.tool = tools[code as keyof typeof tools];
    switch (code) {
      case "KeyT":
        viewer.turn();
        break;
      case "Comma":
        viewer.sliceAt(viewer.slice.at - 1);
        break;
      case "Period":
        viewer.sliceAt(viewer.slice.at + 1);
        break;
      case "KeyM":
        viewer.showMap(!viewer.isMap);
        toggle("toggle-map", viewer.isMap);
        break;
      case "KeyO":
        this.#toggleOrbit();
        break;
      case "KeyG":
        viewer.showRegions(!viewer.hasRegions);
        this.#worker.send({ kind: "inspect", isOn: viewer.hasRegions });
        toggle("toggle-regions", viewer.hasRegions);
        break;
      case "KeyI":
        this.#panel.isOpen = !this.#panel.isOpen;
        toggle("toggle-panel", this.#panel.isOpen);
        if (this.#numbers !== undefined) this.#showNumbers(this.#numbers);
        break;
      case "KeyL":
        void this.#share();
        break;
      case "KeyH":
        viewer.toggleGhosts();
        break;
      case "KeyB":
        this.#pointerTool.tools.togglePalette();
        break;
      case "KeyV":
        if (isShifted) this.#pointerTool.tools.toggleThick();
        else this.#pointerTool.tools.nextBrush();
        break;
      case "KeyF":
        this.#pointerTool.actAhead();
        break;
      case "Equal":
      case "NumpadAdd":
        viewer.seeFurther(1);
        break;
      case "Minus":
      case "NumpadSubtract":
        viewer.seeFurther(-1);
    }
  }

  #toggleOrbit(): void {
    const { camera } = this.#viewer;
    this.#viewer.touch();
    if (camera.isOrbiting) camera.fly();
    else {
      this.#pointerTool.pickAt([0, 0], (hit) => {
        camera.orbitAround(hit?.distance ?? ORBIT_VOXELS);
        this.#viewer.touch();
      });
    }
  }

  async #share(): Promise<void> {
    this.#writeLink();
    try {
      await navigator.clipboard.writeText(location.href);
      this.#status.notice("A link to this place is copied", false);
    } catch {
      // Insecure pages may not use the clipboard.
      this.#status.notice("Copy the address: it leads to this place", false);
    }
  }
}

/** Whether a position in one world is valid in the other. */
function isSamePlace(a: WorldFacts, b: WorldFacts): boolean {
  return a.name === b.name && a.shape.extents.join() === b.shape.extents.join();
}
