import { OrthantError, type Position } from "@orthant/core";
import { Building } from "./building.ts";
import { formatViewpoint, type Viewpoint } from "./controls/camera.ts";
import { watchChoice, watchDrops } from "./controls/dropped-files.ts";
import { HeldKeys, watchPointers } from "./controls/input.ts";
import type {
  BrowserOpening,
  DroppedFile,
  OpenRequest,
  PageMessage,
  ServerOpening,
  WorldFacts,
  WorldMessage,
  WorldStatus,
} from "./message/messages.ts";
import { showText, ViewerElements } from "./overlay/elements.ts";
import { Help } from "./overlay/help.ts";
import { type AllNumbers, NumbersPanel, StatusLine } from "./overlay/panels.ts";
import { PointerTool } from "./pointer-tool.ts";
import { canSweep } from "./slice/slice.ts";
import { Viewer } from "./viewer.ts";
import type { ViewerAppOptions } from "./viewer-app-options.ts";
import { type CommandTargets, runCommand } from "./viewer-commands.ts";
import { VoxelInspector } from "./voxel-inspector.ts";
import { VoxelQuestions } from "./voxel-questions.ts";
import { WatchedWorker } from "./watched-worker.ts";

/** Radians turned per pixel of dragging. */
const TURN_PER_PIXEL = 0.0042;
/** Voxels moved ahead per notch of the wheel, and per pixel of a pinch. */
const AHEAD_PER_NOTCH = 3;
const AHEAD_PER_PIXEL = 0.12;
const MAP_PIXELS_PER_VOXEL = 14;
/** A resource pack, or the archive of the game. */
const PACK_FILE = /^[^/]*\.(?:zip|jar)$/i;

/** A viewer on a page: passes the visitor's input to the view, the tools or the worker. */
export class ViewerApp {
  readonly #options: ViewerAppOptions;
  readonly #elements: ViewerElements;
  readonly #view: HTMLElement;
  readonly #viewer: Viewer;
  readonly #worker: WatchedWorker;
  readonly #questions: VoxelQuestions;
  readonly #inspector: VoxelInspector;
  readonly #keys = new HeldKeys();
  readonly #status: StatusLine;
  readonly #help: Help;
  readonly #building: Building;
  readonly #pointerTool: PointerTool;
  readonly #commands: CommandTargets;
  readonly #panel: NumbersPanel;
  readonly #resizes: ResizeObserver;
  /** Ends all listeners outside the viewer's own elements. */
  readonly #ending = new AbortController();
  #opening: OpenRequest;
  /** The last world that was not dropped, which is shown again after dropped files. */
  #home: ServerOpening | BrowserOpening;
  #wanted: Viewpoint | undefined;
  /** Resource packs for the world that is shown. */
  #packs: readonly Blob[] = [];
  #triedPacks: readonly Blob[] = [];
  #numbers: AllNumbers | undefined;
  #frameRequest = 0;

  /** Throws `ORT_PLATFORM` when the browser cannot draw or start the worker, and leaves nothing behind. */
  constructor(parent: Element, options: ViewerAppOptions) {
    this.#options = options;
    this.#opening = options.opening;
    this.#home = options.opening;
    this.#wanted = options.viewpoint;
    this.#elements = new ViewerElements(parent);
    const elements = this.#elements;
    if (!options.showsControls) elements.host.dataset["controls"] = "none";
    this.#view = elements.find("view", HTMLElement);
    this.#viewer = this.#orRemove(
      "it needs WebGL 2",
      () =>
        new Viewer(elements, {
          onView: (view) => this.#worker.send({ kind: "view", view }),
          worker: options.worker,
          onFailure: (error) => this.#status.notice(`Part of this world is not shown: ${error}`, true),
        }),
    );
    this.#worker = this.#orRemove(
      "it cannot start the viewer's worker",
      () =>
        new WatchedWorker(options.worker, {
          onMessage: (message) => this.#receive(message),
          onStuck: () => this.#end("This world is more than the page can take. It was closed."),
          onFailed: (detail) => this.#end(`The viewer's worker did not start: ${detail}.`),
        }),
    );
    const send = (message: PageMessage): void => this.#worker.send(message);
    this.#questions = new VoxelQuestions(send);
    this.#inspector = new VoxelInspector(elements, (position) => this.#questions.ask(position));
    this.#building = new Building(
      { elements, viewer: this.#viewer, focus: () => this.#view.focus() },
      send,
      (error) => this.#status.notice(`The builder's tools cannot be loaded: ${error}`, true),
    );
    this.#pointerTool = new PointerTool(elements, this.#viewer, this.#inspector, this.#building, send);
    this.#commands = { elements, viewer: this.#viewer, pointerTool: this.#pointerTool, send };
    this.#panel = new NumbersPanel(elements);
    this.#help = new Help(elements, options.page !== undefined, () => this.#view.focus());
    this.#status = new StatusLine(
      elements,
      (token) => {
        options.page?.onToken(token);
        if (this.#home.kind === "server") this.open({ ...this.#home, token });
      },
      () => this.open(this.#home),
    );
    this.#resizes = new ResizeObserver(() => this.#viewer.touch());
    this.#resizes.observe(elements.host);
    this.#listen();
    this.#worker.send({ kind: "open", opening: this.#opening });
    this.#frameRequest = requestAnimationFrame((nowMs) => this.#frame(nowMs, nowMs));
  }

  /** The element that the viewer added to its page. */
  get host(): HTMLElement {
    return this.#elements.host;
  }

  /** The current viewpoint, as in a link; `undefined` before the world is known. */
  get viewpoint(): string | undefined {
    return this.#viewer.facts === undefined ? undefined : formatViewpoint(this.#viewer.link);
  }

  /** The world; `undefined` before it is known. */
  get facts(): WorldFacts | undefined {
    return this.#viewer.facts;
  }

  /** The viewer, for tests and debugging. */
  get viewer(): Viewer {
    return this.#viewer;
  }

  /** Returns the worker's current block of a voxel; `undefined` when it is not loaded. */
  async voxelAt(position: Position): Promise<number | undefined> {
    return (await this.#questions.ask(position)).block;
  }

  /** Sets a voxel, as a click with the one-voxel brush does. */
  setVoxel(center: Position, block: number): void {
    const brush = { shape: "box", radius: 0, isThick: false } as const;
    this.#worker.send({ kind: "brush", brush, center, block, slice: this.#viewer.slice });
  }

  /** The latest counters. */
  get numbers(): AllNumbers | undefined {
    return this.#numbers;
  }

  /** Shows another world, or the same one as another visitor. */
  open(opening: OpenRequest): void {
    if (opening.kind !== this.#opening.kind) this.#wanted = undefined;
    this.#opening = opening;
    if (opening.kind !== "files") this.#home = opening;
    this.#packs = [];
    this.#viewer.leave();
    this.#building.leave();
    this.#worker.send({ kind: "open", opening });
  }

  /** Shows the card with the controls to a first visitor. */
  greet(): void {
    this.#help.greet();
  }

  /** Moves the visitor, as soon as the world is known. */
  goTo(viewpoint: Viewpoint): void {
    if (this.#viewer.facts === undefined) this.#wanted = viewpoint;
    else this.#viewer.goTo(viewpoint);
  }

  /** Ends everything: the connection, the worker, the drawing context, all listeners and elements. */
  async close(): Promise<void> {
    if (!this.#ending.signal.aborted) {
      this.#ending.abort();
      cancelAnimationFrame(this.#frameRequest);
      this.#resizes.disconnect();
      this.#status.close();
      this.#viewer.stage.dispose();
      this.#elements.remove();
      this.#questions.end();
    }
    await this.#worker.close();
  }

  #orRemove<Part>(lacking: string, make: () => Part): Part {
    try {
      return make();
    } catch (cause) {
      this.#elements.remove();
      const detail = `this browser cannot show the world: ${lacking}`;
      throw new OrthantError("ORT_PLATFORM", detail, {}, { cause });
    }
  }

  #receive(message: WorldMessage): void {
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
        this.#questions.receive(message);
        break;
      case "entities":
        this.#viewer.setEntities(message.entities);
        break;
      case "regions":
        this.#viewer.note(message.notes);
        break;
      case "changed":
        this.#viewer.flash(message.boxes);
        this.#pointerTool.refresh();
        break;
      case "numbers":
        this.#numbers = { ...message.numbers, ...this.#viewer.numbers };
        this.#panel.show(this.#numbers);
        break;
      case "built":
      case "buildNews":
        this.#building.receive(message);
        break;
      case "looks":
        this.#packs = this.#triedPacks;
        this.#viewer.wear(message);
        break;
      case "chunks":
      case "forget":
      case "mapTile":
      case "progress":
        this.#viewer.take(message);
    }
  }

  #know(facts: WorldFacts): void {
    const { name, blocks, canEdit, origin } = facts;
    showText(this.#elements.find("world-name", HTMLElement), name || "A world");
    showText(this.#elements.find("world-origin", HTMLElement), origin);
    if (this.#viewer.facts !== undefined && !isSamePlace(this.#viewer.facts, facts)) this.#viewer.leave();
    this.#viewer.know(facts, this.#wanted);
    this.#wanted = undefined;
    this.#pointerTool.tools.offer(blocks, canEdit);
    this.#inspector.know(facts);
    this.#help.suit(facts);
    this.#elements.press("toggle-map", this.#viewer.isMap);
    this.#options.onWorld(facts);
  }

  #showStatus(status: WorldStatus): void {
    this.#status.show(status, this.#viewer.facts?.canEdit === false ? "Here, to look" : "Here");
    this.#options.onStatus(status);
  }

  #end(text: string): void {
    this.#viewer.leave();
    this.#showStatus({ kind: "failed", text });
  }

  #frame(nowMs: number, lastMs: number): void {
    const seconds = Math.max(0, (nowMs - lastMs) / 1000);
    const [right, up, ahead] = this.#keys.advance(Math.min(seconds, 0.1));
    if (this.#viewer.isMap) {
      const scale = MAP_PIXELS_PER_VOXEL;
      if (right !== 0 || ahead !== 0) this.#viewer.pan(-right * scale, ahead * scale);
    } else if (right !== 0 || up !== 0 || ahead !== 0) this.#viewer.camera.move(right, up, ahead);
    this.#viewer.advance(nowMs, seconds);
    this.#frameRequest = requestAnimationFrame((next) => this.#frame(next, nowMs));
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
    const { page } = this.#options;
    const { signal } = this.#ending;
    const { host } = this.#elements;
    const keySource: Pick<HTMLElement, "addEventListener"> = page === undefined ? host : window;
    keySource.addEventListener("keydown", (event) => this.#keyDown(event), { signal });
    keySource.addEventListener("keyup", (event) => this.#keys.up(event), { signal });
    host.addEventListener("focusout", () => this.#keys.release(), { signal });
    addEventListener("blur", () => this.#keys.release(), { signal });
    const buttons = {
      "toggle-orbit": "KeyO",
      "toggle-map": "KeyM",
      "next-time": "KeyN",
      "toggle-regions": "KeyG",
      "toggle-panel": "KeyI",
      "toggle-voxel": "KeyX",
      share: "KeyL",
    };
    for (const [id, code] of Object.entries(buttons)) {
      const button = this.#elements.find(id, HTMLButtonElement);
      button.addEventListener("click", () => this.#command(code, false));
    }
    if (page !== undefined) this.#listenForFiles();
  }

  #listenForFiles(): void {
    const drop = this.#elements.find("drop", HTMLElement);
    watchDrops(
      (isOver) => {
        drop.hidden = !isOver;
      },
      (files) =>
        void files.then(
          (dropped) => this.#openFiles(dropped),
          () => this.#status.notice("What you dropped cannot be read", true),
        ),
      this.#ending.signal,
    );
    for (const id of ["open-folder", "open-file"]) {
      watchChoice(this.#elements.find(id, HTMLInputElement), (files) => {
        this.#help.close();
        this.#openFiles(files);
      });
    }
    this.#elements.find("share", HTMLButtonElement).hidden = false;
  }

  /** Shows a save, or draws the world with resource packs. */
  #openFiles(files: readonly DroppedFile[]): void {
    if (!files.every(({ path }) => PACK_FILE.test(path))) {
      this.open({ kind: "files", files });
      return;
    }
    this.#triedPacks = [...this.#packs, ...files.map(({ file }) => file)];
    this.#status.notice("Reading the resource pack …", false);
    this.#worker.send({ kind: "looks", files: this.#triedPacks });
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
    // Outside of the viewer's own tree, `target` is its host.
    const [target] = event.composedPath();
    if (target instanceof HTMLInputElement && target.type !== "range") return;
    if (event.key === "?") this.#help.toggle();
    if (event.key === "Escape") this.#pointerTool.tools.togglePalette(false);
    if (this.#help.isOpen || event.altKey) return;
    const isOnControl = target instanceof HTMLButtonElement || target instanceof HTMLInputElement;
    if (isOnControl && /^(?:Space|Enter|Arrow)/.test(event.code)) return;
    const turned = turnedBy(event);
    if (turned !== undefined) this.#worker.send({ kind: turned });
    if (turned !== undefined || this.#building.key(event)) {
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (this.#keys.down(event)) event.preventDefault();
    else if (!event.repeat || event.code === "Comma" || event.code === "Period")
      this.#command(event.code, event.shiftKey);
  }

  #command(code: string, isShifted: boolean): void {
    if (code === "KeyL") void this.#share();
    else if (code === "KeyI") this.#togglePanel();
    else runCommand(this.#commands, code, isShifted);
  }

  #togglePanel(): void {
    this.#panel.isOpen = !this.#panel.isOpen;
    this.#elements.press("toggle-panel", this.#panel.isOpen);
    if (this.#numbers !== undefined) this.#panel.show(this.#numbers);
  }

  async #share(): Promise<void> {
    const notice = await this.#options.page?.onShare();
    if (notice !== undefined) this.#status.notice(notice, false);
  }
}

/** Returns what the keys of editors do with the last change. */
function turnedBy({ code, ctrlKey, metaKey, shiftKey }: KeyboardEvent): "undo" | "redo" | undefined {
  if (!ctrlKey && !metaKey) return undefined;
  if (code === "KeyY") return "redo";
  if (code !== "KeyZ") return undefined;
  return shiftKey ? "redo" : "undo";
}

/** Whether a position in one world is valid in the other. */
function isSamePlace(a: WorldFacts, b: WorldFacts): boolean {
  return a.name === b.name && a.shape.extents.join() === b.shape.extents.join();
}
