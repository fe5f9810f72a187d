import { BlockCatalog, type Box, type Position } from "@orthant/core";
import { AXIS_NAMES, positionFrom } from "@orthant/core/lattice";
import type { AxisName, TurnStep } from "@orthant/core/operations";
import type {
  BlockPicture,
  BuildAnswer,
  BuildFault,
  BuildNews,
  BuildRequest,
  BuildStep,
} from "../edit/build-messages.ts";
import type { Hit } from "../message/messages.ts";
import { showText, type ViewerElements } from "../overlay/elements.ts";
import { BuildMarks } from "../scene/build-marks.ts";
import {
  type BoxSide,
  boxFrom,
  boxOfCorners,
  boxText,
  copiesOf,
  moved,
  planeOf,
  positionText,
  sizeText,
  stretched,
} from "../slice/boxes.ts";
import { isFlat, mapPlane } from "../slice/slice.ts";
import style from "./build.css?inline";
import markup from "./build.html?raw";
import type { BuildView } from "./build-view.ts";
import { FlatMarks } from "./flat-marks.ts";
import { BoxHandles } from "./handles.ts";
import { OperationLine } from "./operation-line.ts";

/** What the builder's tools need of the page. */
export interface BuilderTargets {
  readonly elements: ViewerElements;
  readonly viewer: BuildView;
  /** Asks the worker. */
  ask(request: BuildRequest): Promise<BuildAnswer>;
  undo(): void;
  redo(): void;
  focus(): void;
}

/** What is selected. */
interface Selected {
  readonly text: string;
  readonly box: Box;
  /** The voxels, if they are not all of the box. */
  readonly picture: BlockPicture | undefined;
  readonly count: number;
}

/** A clipboard that is about to be placed. */
interface Ghost {
  readonly picture: BlockPicture;
  readonly at: Position;
  /** Whether it stays where it is when the pointer moves. */
  readonly isPinned: boolean;
}

const STEPS_SHOWN = 40;

/** The builder's tools of a page: a selection, a clipboard with its ghost, a line for operations, and what can be undone. */
export class Builder {
  readonly #targets: BuilderTargets;
  readonly #marks = new BuildMarks();
  readonly #flat: FlatMarks;
  readonly #handles: BoxHandles;
  readonly #line: OperationLine;
  readonly #panels: readonly HTMLElement[];
  #isOn = false;
  #isWand = false;
  #isStacking = false;
  #first: Position | undefined;
  /** The voxel that is pointed at, and the one before it. */
  #hit: Hit | undefined;
  #selected: Selected | undefined;
  #clipboard: BlockPicture | undefined;
  #ghost: Ghost | undefined;
  /** What a handle is dragged to. */
  #dragged: Box | undefined;
  #copies: readonly Box[] = [];

  constructor(targets: BuilderTargets) {
    this.#targets = targets;
    const { elements, viewer } = targets;
    elements.add(markup, style);
    this.#panels = ["build", "build-form"].map((id) => elements.find(id, HTMLElement));
    this.#flat = new FlatMarks(elements, viewer);
    this.#handles = new BoxHandles(elements.find("build-handles", HTMLElement), viewer, {
      onDrag: (side, by) => this.#drag(side, by),
      onDrop: (side, by) => this.#drop(side, by),
    });
    this.#line = new OperationLine(elements, {
      ask: (request) => targets.ask(request),
      run: (text) => this.#run(text),
      leave: () => targets.focus(),
    });
    viewer.stage.marks.add(this.#marks.group);
    viewer.onSlice = () => this.#show();
    viewer.onFrame = () => {
      this.#handles.follow();
      this.#flat.follow();
    };
    const buttons: readonly (readonly [id: string, act: () => void])[] = [
      ["wand", () => this.#toggleWand()],
      ["copy", () => void this.#copy(false)],
      ["cut", () => void this.#copy(true)],
      ["paste", () => this.#paste()],
      ["stack", () => this.#toggleStack()],
      ["rotate", () => void this.#rotate(1)],
      ["mirror", () => void this.#mirror()],
      ["place", () => void this.#place()],
      ["leave", () => this.#leave()],
      ["list", () => this.#toggleList()],
      ["undo", targets.undo],
      ["redo", targets.redo],
      ["cancel", () => void targets.ask({ kind: "cancel" })],
    ];
    for (const [id, act] of buttons) this.#button(id).addEventListener("click", act);
    this.#show();
  }

  /** Shows or hides the tools. What is selected stays. */
  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    if (!isOn) this.#ghost = undefined;
    this.#show();
  }

  /** Forgets everything, for another world. */
  forget(): void {
    this.#first = undefined;
    this.#selected = undefined;
    this.#clipboard = undefined;
    this.#ghost = undefined;
    this.#showSteps([]);
    this.#show();
  }

  /** Takes the voxel that is pointed at. */
  hover(hit: Hit | undefined): void {
    this.#hit = hit;
    if (this.#ghost?.isPinned === false && hit !== undefined)
      this.#ghost = { ...this.#ghost, at: this.#placeOf(this.#ghost.picture, hit.before) };
    if (this.#first !== undefined || this.#ghost !== undefined) this.#show();
  }

  /** Selects a corner, or places the ghost; or puts it there to be moved by its handles, as a finger does. */
  click(hit: Hit | undefined, isPutting: boolean): void {
    this.hover(hit);
    if (hit === undefined) return;
    if (this.#ghost !== undefined) {
      if (!isPutting) void this.#place();
      else
        this.#ghost = { ...this.#ghost, at: this.#placeOf(this.#ghost.picture, hit.before), isPinned: true };
    } else if (this.#isWand) void this.#wave(hit.voxel);
    else if (this.#first === undefined) {
      this.#first = hit.voxel;
      this.#select(boxOfCorners(hit.voxel, hit.voxel));
    } else {
      this.#select(boxOfCorners(this.#first, hit.voxel));
      this.#first = undefined;
    }
    this.#show();
  }

  /** Does what a key says. Returns whether it does anything here. */
  key({ code, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    const act = ctrlKey || metaKey ? this.#keyWithControl(code) : this.#plainKey(code, shiftKey);
    act?.();
    return act !== undefined;
  }

  /** Takes what the worker tells without being asked. */
  receive(news: BuildNews): void {
    if (news.kind === "steps") this.#showSteps(news.steps);
    else {
      const progress = this.#targets.elements.find("build-progress", HTMLProgressElement);
      progress.value = news.total === 0 ? 0 : news.done / news.total;
    }
  }

  #keyWithControl(code: string): (() => void) | undefined {
    if (code === "KeyV" && this.#clipboard !== undefined) return () => this.#paste();
    if (this.#selected === undefined) return undefined;
    if (code === "KeyC") return () => void this.#copy(false);
    return code === "KeyX" ? () => void this.#copy(true) : undefined;
  }

  #plainKey(code: string, isShifted: boolean): (() => void) | undefined {
    if (!this.#isOn) return undefined;
    if (code === "Slash") return () => this.#line.focus();
    if (code === "KeyU") return () => this.#toggleList();
    if (code === "Escape") return () => this.#leave();
    if (this.#ghost === undefined) return undefined;
    if (code === "KeyR") return () => void this.#rotate(isShifted ? 3 : 1);
    if (code === "KeyF") return () => void this.#mirror();
    return code === "Enter" ? () => void this.#place() : undefined;
  }

  #select(box: Box): void {
    const { shape } = this.#facts;
    const count = box.min.reduce((product, low, axis) => product * ((box.max[axis] as number) - low), 1);
    this.#selected = { text: boxText(box, shape), box, picture: undefined, count };
  }

  async #wave(at: Position): Promise<void> {
    const answer = await this.#ask({ kind: "wand", at });
    if (answer?.kind !== "selected") return;
    const { selection, box, picture, count } = answer;
    this.#selected = { text: selection, box, picture, count };
    this.#show();
  }

  async #copy(isCut: boolean): Promise<void> {
    const selected = this.#selected;
    if (selected === undefined) return;
    const answer = await this.#work({ kind: "copy", selection: selected.text, isCut });
    if (answer?.kind !== "clipboard") return;
    this.#clipboard = answer.picture;
    this.#show();
    this.#say(`${isCut ? "Cut" : "Copied"} ${sizeText(selected.box, this.#facts.shape)}`);
  }

  #paste(): void {
    const picture = this.#clipboard;
    if (picture === undefined) return;
    const { slice, position } = this.#targets.viewer;
    const ahead = this.#selected?.box.min ?? positionFrom((axis) => Math.floor(position[axis]));
    const at = this.#hit === undefined ? ahead : this.#placeOf(picture, this.#hit.before);
    const isIn = slice.at >= at[slice.hidden] && slice.at < at[slice.hidden] + picture.extents[slice.hidden];
    const there = positionFrom((axis) => (axis === slice.hidden && !isIn ? slice.at : at[axis]));
    this.#ghost = { picture, at: there, isPinned: false };
    this.#first = undefined;
    this.#show();
  }

  async #place(): Promise<void> {
    const ghost = this.#ghost;
    if (ghost === undefined) return;
    this.#ghost = undefined;
    this.#show();
    await this.#report(this.#work({ kind: "paste", at: ghost.at }), "Pasted");
  }

  #rotate(turns: 1 | 3): Promise<void> {
    return this.#turn({ rotate: planeOf(this.#targets.viewer.slice, this.#facts.shape), turns });
  }

  /** Mirrors what is left and right for the visitor. */
  #mirror(): Promise<void> {
    const { slice, camera } = this.#targets.viewer;
    const isSideways = Math.abs(Math.sin(camera.yaw)) > Math.SQRT1_2 && !isFlat(this.#facts.shape);
    const axis = isFlat(this.#facts.shape)
      ? mapPlane(this.#facts.shape, slice).across
      : isSideways
        ? slice.back
        : slice.right;
    return this.#turn({ mirror: AXIS_NAMES[axis] as AxisName });
  }

  async #turn(turn: TurnStep): Promise<void> {
    const answer = await this.#ask({ kind: "turn", turn });
    if (answer?.kind !== "clipboard") return;
    const { picture } = answer;
    this.#clipboard = picture;
    const ghost = this.#ghost;
    if (ghost !== undefined) {
      // Around its middle, so that it stays under the pointer.
      const { extents } = ghost.picture;
      const at = positionFrom(
        (axis) => ghost.at[axis] + Math.trunc((extents[axis] - picture.extents[axis]) / 2),
      );
      this.#ghost = { ...ghost, picture, at };
    }
    this.#show();
  }

  async #run(text: string): Promise<BuildFault | undefined> {
    const answer = await this.#running(
      this.#targets.ask({ kind: "run", text, selection: this.#selected?.text }),
    );
    if (answer.kind === "failed") return answer.fault;
    if (answer.kind === "done") this.#say(`Changed ${formatCount(answer.count)}`);
    return undefined;
  }

  #drag(side: BoxSide, by: number): void {
    const ghost = this.#ghost;
    if (ghost !== undefined) {
      this.#dragged = moved(boxFrom(ghost.at, ghost.picture.extents), side.axis, by);
    } else if (this.#selected !== undefined) {
      const { box } = this.#selected;
      if (this.#isStacking) {
        const { count, step } = copiesOf(box, side, by);
        this.#copies = Array.from({ length: count }, (_, index) =>
          moved(box, side.axis, step[side.axis] * (index + 1)),
        );
      } else this.#dragged = stretched(box, side, by);
    }
    this.#show();
  }

  #drop(side: BoxSide, by: number): void {
    const [dragged, ghost, selected] = [this.#dragged, this.#ghost, this.#selected];
    this.#dragged = undefined;
    this.#copies = [];
    if (ghost !== undefined) {
      if (dragged !== undefined) this.#ghost = { ...ghost, at: dragged.min, isPinned: true };
    } else if (this.#isStacking && selected !== undefined) void this.#stack(selected, side, by);
    else if (dragged !== undefined && by !== 0) this.#select(dragged);
    this.#show();
  }

  async #stack({ box, text }: Selected, side: BoxSide, by: number): Promise<void> {
    const { count, step } = copiesOf(box, side, by);
    if (count === 0) return;
    const operation = `stack ${count} ${positionText(step, this.#facts.shape)}`;
    await this.#report(this.#work({ kind: "run", text: operation, selection: text }), "Repeated");
  }

  #toggleWand(): void {
    this.#isWand = !this.#isWand;
    this.#first = undefined;
    this.#show();
  }

  #toggleStack(): void {
    this.#isStacking = !this.#isStacking;
    this.#show();
  }

  #toggleList(): void {
    const list = this.#targets.elements.find("build-steps", HTMLElement);
    list.hidden = !list.hidden;
    this.#press("list", !list.hidden);
  }

  /** Gives up the ghost, then the first corner, then the selection. */
  #leave(): void {
    if (this.#ghost !== undefined) this.#ghost = undefined;
    else this.#selected = undefined;
    this.#first = undefined;
    this.#isStacking = false;
    this.#show();
  }

  /** Asks, and says what went wrong. */
  async #ask(request: BuildRequest): Promise<BuildAnswer | undefined> {
    const answer = await this.#targets.ask(request);
    if (answer.kind !== "failed") return answer;
    this.#say(answer.fault.text);
    return undefined;
  }

  #work(request: BuildRequest): Promise<BuildAnswer | undefined> {
    return this.#running(this.#ask(request));
  }

  async #report(work: Promise<BuildAnswer | undefined>, verb: string): Promise<void> {
    const answer = await work;
    if (answer?.kind === "done") this.#say(`${verb}: ${formatCount(answer.count)}`);
  }

  /** Shows that something is being done, until it is. */
  async #running<Result>(work: Promise<Result>): Promise<Result> {
    const shown = this.#targets.elements.find("build-running", HTMLElement);
    this.#targets.elements.find("build-progress", HTMLProgressElement).value = 0;
    shown.hidden = false;
    try {
      return await work;
    } finally {
      shown.hidden = true;
    }
  }

  /** Returns where a clipboard stands whose foot is at a voxel. */
  #placeOf({ extents }: BlockPicture, foot: Position): Position {
    const { slice } = this.#targets.viewer;
    const isMap = isFlat(this.#facts.shape);
    return positionFrom((axis) => {
      if (axis === slice.up && !isMap) return foot[axis];
      return foot[axis] - Math.floor((extents[axis] - 1) / 2);
    });
  }

  get #facts() {
    const { facts } = this.#targets.viewer;
    if (facts === undefined) throw new TypeError("there is no world");
    return facts;
  }

  #show(): void {
    const { viewer } = this.#targets;
    const { facts, slice } = viewer;
    const isShown = this.#isOn && facts !== undefined;
    for (const panel of this.#panels) panel.hidden = !isShown;
    const ghost = this.#ghost && { ...this.#ghost, at: this.#dragged?.min ?? this.#ghost.at };
    const box = ghost === undefined ? this.#selectedBox() : boxFrom(ghost.at, ghost.picture.extents);
    const isInSpace = isShown && !viewer.isMap;
    const boxes = box === undefined ? [] : [box, ...this.#copies];
    this.#marks.showBoxes(isInSpace ? boxes : [], slice);
    const blocks = facts && new BlockCatalog(facts.blocks);
    const shown = ghost ?? this.#wandPicture();
    this.#marks.showBlocks(isInSpace && shown && blocks ? { ...shown, blocks } : undefined, slice);
    const isOnMap = isShown && viewer.isMap && isFlat(facts.shape);
    this.#flat.show(isOnMap ? box : undefined, ghost?.picture, blocks);
    // They would be under the pointer that moves the ghost.
    const hasHandles = (isInSpace || isOnMap) && this.#first === undefined && ghost?.isPinned !== false;
    if (facts !== undefined) this.#handles.show(hasHandles ? box : undefined, facts.shape);
    this.#showButtons();
    if (isShown) this.#say(this.#hint(box));
    viewer.touch();
  }

  #selectedBox(): Box | undefined {
    if (this.#dragged !== undefined) return this.#dragged;
    if (this.#first !== undefined && this.#hit !== undefined)
      return boxOfCorners(this.#first, this.#hit.voxel);
    return this.#selected?.box;
  }

  #wandPicture(): { readonly picture: BlockPicture; readonly at: Position } | undefined {
    const { picture, box } = this.#selected ?? {};
    return picture && box && { picture, at: box.min };
  }

  #hint(box: Box | undefined): string {
    const size = box === undefined ? "" : sizeText(box, this.#facts.shape);
    if (this.#ghost !== undefined)
      return this.#ghost.isPinned
        ? `${size} · Place, or pull it`
        : `${size} · click to place · R turns, F mirrors`;
    if (this.#first !== undefined) return `${size} · click the other corner`;
    if (this.#selected === undefined) return this.#isWand ? "Click a block" : "Click two corners";
    const { count } = this.#selected;
    const more = this.#copies.length;
    const stack = this.#isStacking ? ` · ${more === 0 ? "pull a handle to repeat" : `${more} more`}` : "";
    return `${size}, ${formatCount(count)}${stack}`;
  }

  #showButtons(): void {
    const [isSelected, isGhost] = [this.#selected !== undefined, this.#ghost !== undefined];
    const enabled: readonly (readonly [id: string, isEnabled: boolean])[] = [
      ["copy", isSelected],
      ["cut", isSelected],
      ["stack", isSelected && !isGhost],
      ["paste", this.#clipboard !== undefined],
      ["rotate", isGhost],
      ["mirror", isGhost],
      ["place", isGhost],
      ["leave", isSelected || isGhost],
    ];
    for (const [id, isEnabled] of enabled) this.#button(id).disabled = !isEnabled;
    this.#press("wand", this.#isWand);
    this.#press("stack", this.#isStacking);
  }

  #showSteps(steps: readonly BuildStep[]): void {
    const list = this.#targets.elements.find("build-list-items", HTMLElement);
    const last = steps.findLastIndex(({ isUndone }) => !isUndone);
    const items = steps.map(({ text, count, isUndone }, index) => {
      const item = document.createElement("li");
      item.className = isUndone ? "undone" : index === last ? "last" : "";
      const [name, voxels] = [document.createElement("bdi"), document.createElement("span")];
      showText(name, text);
      showText(voxels, ` ${formatCount(count)}`);
      item.append(name, voxels);
      return item;
    });
    list.replaceChildren(...items.reverse().slice(0, STEPS_SHOWN));
  }

  #say(text: string): void {
    showText(this.#targets.elements.find("build-says", HTMLElement), text);
  }

  #button(name: string): HTMLButtonElement {
    return this.#targets.elements.find(`build-${name}`, HTMLButtonElement);
  }

  #press(name: string, isPressed: boolean): void {
    this.#targets.elements.press(`build-${name}`, isPressed);
  }
}

function formatCount(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "voxel" : "voxels"}`;
}
