import { AIR, type BlockType } from "@orthant/core";
import { BRUSH_RADIUS_MAX, type Brush } from "../edit/edit.ts";
import { showText, type ViewerElements } from "./elements.ts";

/** What a click does. */
export type Tool = "look" | "place" | "remove" | "pick" | "select";

const TOOLS: readonly Tool[] = ["look", "place", "remove", "pick", "select"];

const BRUSHES: readonly Brush[] = [
  { shape: "box", radius: 0, isThick: false },
  ...(["box", "sphere"] as const).flatMap((shape) =>
    Array.from({ length: BRUSH_RADIUS_MAX }, (_, index) => ({ shape, radius: index + 1, isThick: false })),
  ),
];

/** The visitor's current tool, block and brush. */
export class ToolBar {
  readonly #bar: HTMLElement;
  readonly #choice: HTMLElement;
  readonly #palette: HTMLElement;
  readonly #block: HTMLButtonElement;
  readonly #blockName: HTMLElement;
  readonly #brush: HTMLButtonElement;
  readonly #onChange: () => void;
  #blocks: readonly BlockType[] = [];
  #tool: Tool = "look";
  #blockId = 1;
  #brushIndex = 0;
  #isThick = false;

  constructor(elements: ViewerElements, onChange: () => void, onUndo: () => void) {
    this.#bar = elements.find("tools", HTMLElement);
    this.#choice = elements.find("tool-choice", HTMLElement);
    this.#palette = elements.find("palette", HTMLElement);
    this.#block = elements.find("block", HTMLButtonElement);
    this.#blockName = elements.find("block-name", HTMLElement);
    this.#brush = elements.find("brush", HTMLButtonElement);
    this.#onChange = onChange;
    this.#choice.addEventListener("click", (event) => {
      const name = event.target instanceof HTMLElement ? event.target.dataset["tool"] : undefined;
      const tool = TOOLS.find((known) => known === name);
      if (tool !== undefined) this.tool = tool;
    });
    this.#block.addEventListener("click", () => this.togglePalette());
    this.#brush.addEventListener("click", () => this.nextBrush());
    elements.find("undo", HTMLButtonElement).addEventListener("click", onUndo);
  }

  get tool(): Tool {
    return this.#tool;
  }

  set tool(tool: Tool) {
    this.#tool = tool;
    for (const button of this.#choice.children) {
      button.setAttribute(
        "aria-pressed",
        String(button instanceof HTMLElement && button.dataset["tool"] === tool),
      );
    }
    this.#onChange();
  }

  /** The block to place. */
  get block(): number {
    return this.#blockId;
  }

  set block(id: number) {
    this.#blockId = id;
    const known = this.#blocks.find((block) => block.id === id);
    showText(this.#blockName, known?.name ?? `block ${id}`);
    const swatch = this.#block.querySelector<HTMLElement>(".swatch");
    if (swatch !== null) swatch.style.background = cssColour(known?.colour ?? 0);
    for (const option of this.#palette.children) {
      option.setAttribute(
        "aria-selected",
        String(option instanceof HTMLElement && option.dataset["id"] === String(id)),
      );
    }
  }

  /** The shape that a click changes. */
  get brush(): Brush {
    return { ...(BRUSHES[this.#brushIndex] as Brush), isThick: this.#isThick };
  }

  /** Offers the blocks of a world that are in use to visitors who may edit it. */
  offer(blocks: readonly BlockType[], canEdit: boolean): void {
    this.#bar.hidden = !canEdit;
    if (!canEdit) this.tool = "look";
    this.#blocks = blocks.filter(({ id, retired }) => id !== AIR && !retired);
    this.#palette.replaceChildren(...this.#blocks.map((block) => this.#option(block)));
    const kept = this.#blocks.find(({ id }) => id === this.#blockId) ?? this.#blocks[0];
    if (kept !== undefined) this.block = kept.id;
  }

  /** Shows or hides the palette. */
  togglePalette(isOpen: boolean = this.#palette.hidden !== false): void {
    if (this.#bar.hidden) return;
    this.#palette.hidden = !isOpen;
    this.#block.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#palette.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  /** Switches to the next brush. */
  nextBrush(): void {
    this.#brushIndex = (this.#brushIndex + 1) % BRUSHES.length;
    this.#showBrush();
  }

  /** Switches between a brush in all axes and one in the visible slice only. */
  toggleThick(): void {
    this.#isThick = !this.#isThick;
    this.#showBrush();
  }

  #showBrush(): void {
    const { shape, radius, isThick } = this.brush;
    const edge = radius * 2 + 1;
    const name = radius === 0 ? "One voxel" : `${shape === "box" ? "Box" : "Sphere"} ${edge}`;
    this.#brush.textContent = isThick && radius > 0 ? `${name}, all axes` : name;
    this.#onChange();
  }

  #option({ id, name, colour }: BlockType): HTMLElement {
    const option = document.createElement("button");
    option.type = "button";
    option.role = "option";
    option.dataset["id"] = String(id);
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = cssColour(colour);
    const label = document.createElement("bdi");
    showText(label, name);
    option.append(swatch, label);
    option.addEventListener("click", () => {
      this.block = id;
      this.togglePalette(false);
      if (this.#tool === "look") this.tool = "place";
    });
    return option;
  }
}

function cssColour(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
