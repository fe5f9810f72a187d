import { AIR, type Material } from "@orthant/core";
import { BRUSH_RADIUS_MAX, type Brush } from "../edit/brush.ts";
import { element, showText } from "./element.ts";

/** What a click does. */
export type Tool = "look" | "place" | "remove" | "pick";

const TOOLS: readonly Tool[] = ["look", "place", "remove", "pick"];

const BRUSHES: readonly Brush[] = [
  { shape: "box", radius: 0, isThick: false },
  ...(["box", "sphere"] as const).flatMap((shape) =>
    Array.from({ length: BRUSH_RADIUS_MAX }, (_, index) => ({ shape, radius: index + 1, isThick: false })),
  ),
];

/** The visitor's current tool, material and brush. */
export class ToolBar {
  readonly #bar = element("tools", HTMLElement);
  readonly #choice = element("tool-choice", HTMLElement);
  readonly #palette = element("palette", HTMLElement);
  readonly #material = element("material", HTMLButtonElement);
  readonly #brush = element("brush", HTMLButtonElement);
  readonly #onChange: () => void;
  #materials: readonly Material[] = [];
  #tool: Tool = "look";
  #materialId = 1;
  #brushIndex = 0;
  #isThick = false;

  constructor(onChange: () => void, onUndo: () => void) {
    this.#onChange = onChange;
    this.#choice.addEventListener("click", (event) => {
      const name = event.target instanceof HTMLElement ? event.target.dataset["tool"] : undefined;
      const tool = TOOLS.find((known) => known === name);
      if (tool !== undefined) this.tool = tool;
    });
    this.#material.addEventListener("click", () => this.togglePalette());
    this.#brush.addEventListener("click", () => this.nextBrush());
    element("undo", HTMLButtonElement).addEventListener("click", onUndo);
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

  /** The material to place. */
  get material(): number {
    return this.#materialId;
  }

  set material(id: number) {
    this.#materialId = id;
    const known = this.#materials.find((material) => material.id === id);
    showText(element("material-name", HTMLElement), known?.name ?? `material ${id}`);
    const swatch = this.#material.querySelector<HTMLElement>(".swatch");
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

  /** Offers the materials of a world to visitors who may edit it. */
  offer(materials: readonly Material[], canEdit: boolean): void {
    this.#bar.hidden = !canEdit;
    if (!canEdit) this.tool = "look";
    this.#materials = materials.filter(({ id }) => id !== AIR);
    this.#palette.replaceChildren(...this.#materials.map((material) => this.#option(material)));
    const kept = this.#materials.find(({ id }) => id === this.#materialId) ?? this.#materials[0];
    if (kept !== undefined) this.material = kept.id;
  }

  /** Shows or hides the palette. */
  togglePalette(isOpen: boolean = this.#palette.hidden !== false): void {
    if (this.#bar.hidden) return;
    this.#palette.hidden = !isOpen;
    this.#material.setAttribute("aria-expanded", String(isOpen));
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

  #option({ id, name, colour }: Material): HTMLElement {
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
      this.material = id;
      this.togglePalette(false);
      if (this.#tool === "look") this.tool = "place";
    });
    return option;
  }
}

function cssColour(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
