import type { BlockCatalog } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import type { BlockLooks } from "@orthant/mesh/looks";
import { blockPicture } from "./block-picture.ts";
import { element } from "./elements.ts";

/** Slots of a hotbar. */
const HOTBAR_SLOTS = 9;
/** Sharp on screens with two pixels for each of the page's, in the largest slot. */
const PICTURE_EDGE = 112;
const NAME_MS = 1_200;

/** Nine slots with pictures of blocks, of which the player chooses one. */
export class Hotbar {
  readonly element: HTMLElement = element("div", "hotbar");
  readonly #list = element("ol", "slots");
  readonly #name = element("output", "block-name");
  readonly #onChoose: () => void;
  #slots: readonly HTMLLIElement[] = [];
  #blocks: readonly number[] = [];
  #names: readonly string[] = [];
  #index = 0;
  #hide?: ReturnType<typeof setTimeout>;

  /** `onChoose` is called when the player chooses a slot. */
  constructor(onChoose: () => void = () => undefined) {
    this.#onChoose = onChoose;
    this.#list.role = "listbox";
    this.#list.ariaLabel = "Blocks";
    this.element.append(this.#name, this.#list);
    this.element.hidden = true;
  }

  /** Shows blocks, at most nine. The same slot stays chosen. */
  show(blocks: readonly number[], catalog: BlockCatalog, looks: BlockLooks): void {
    requireAtMost(blocks.length, HOTBAR_SLOTS, "blocks", "a hotbar has nine slots");
    this.#blocks = [...blocks];
    this.#names = blocks.map((block) => catalog.byId(block)?.name ?? `block ${block}`);
    this.#slots = Array.from({ length: HOTBAR_SLOTS }, (_, index) => this.#newSlot(index, looks));
    this.#list.replaceChildren(...this.#slots);
    this.element.hidden = blocks.length === 0;
    this.#mark();
  }

  /** Shows how many of each block the player has, by its id, for games in which blocks run out. */
  setCounts(counts: ReadonlyMap<number, number>): void {
    for (const [index, block] of this.#blocks.entries()) {
      const count = counts.get(block) ?? 0;
      const label = this.#slots[index]?.querySelector(".count");
      if (label) label.textContent = String(count);
      this.#slots[index]?.classList.toggle("empty", count === 0);
    }
  }

  /** The chosen block; `undefined` for a slot without one. */
  get chosen(): number | undefined {
    return this.#blocks[this.#index];
  }

  /** Chooses a slot, counted from 0; beyond the last one it begins at the first again. Shows the block's name for a second. */
  choose(index: number): void {
    this.#index = ((index % HOTBAR_SLOTS) + HOTBAR_SLOTS) % HOTBAR_SLOTS;
    this.#mark();
    const name = this.#names[this.#index];
    this.#name.value = name ?? "";
    this.#name.classList.toggle("shown", name !== undefined);
    clearTimeout(this.#hide);
    this.#hide = setTimeout(() => this.#name.classList.remove("shown"), NAME_MS);
    this.#onChoose();
  }

  /** Chooses the slot some slots further. */
  turn(slots: number): void {
    this.choose(this.#index + slots);
  }

  /** Chooses the slot with a block, if there is one. */
  pick(block: number): void {
    const index = this.#blocks.indexOf(block);
    if (index >= 0) this.choose(index);
  }

  #newSlot(index: number, looks: BlockLooks): HTMLLIElement {
    const slot = element("li", "slot");
    slot.role = "option";
    const block = this.#blocks[index];
    if (block !== undefined) {
      const picture = blockPicture(looks, block, PICTURE_EDGE);
      slot.title = this.#names[index] ?? "";
      slot.append(picture, element("span", "name", `${slot.title} `), element("span", "count"), " ");
    }
    slot.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the page keeps the keyboard
      this.choose(index);
    });
    return slot;
  }

  #mark(): void {
    for (const [index, slot] of this.#slots.entries()) slot.ariaSelected = String(index === this.#index);
  }
}
