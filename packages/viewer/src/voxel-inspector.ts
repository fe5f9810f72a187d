import { BlockCatalog, type Position } from "@orthant/core";
import type { VoxelContent, WorldFacts } from "./message/messages.ts";
import type { ViewerElements } from "./overlay/elements.ts";
import { voxelCard } from "./overlay/voxel-card.ts";
import { axesOf } from "./slice/slice.ts";

/** Shows what the voxel under the pointer holds, and follows its changes. */
export class VoxelInspector {
  readonly #elements: ViewerElements;
  readonly #card: HTMLElement;
  readonly #describe: ReturnType<typeof voxelCard>;
  readonly #ask: (position: Position) => Promise<VoxelContent>;
  #facts: WorldFacts | undefined;
  #blocks: BlockCatalog | undefined;
  #position: Position | undefined;

  constructor(elements: ViewerElements, ask: (position: Position) => Promise<VoxelContent>) {
    this.#elements = elements;
    this.#card = elements.find("voxel", HTMLElement);
    this.#describe = voxelCard(elements);
    this.#ask = ask;
  }

  /** Whether the card is visible. */
  get isOpen(): boolean {
    return !this.#card.hidden;
  }

  /** Shows or hides the card. */
  toggle(): void {
    this.#card.hidden = this.isOpen;
    this.#elements.press("toggle-voxel", this.isOpen);
    this.look(undefined);
  }

  /** Sets the world whose voxels are shown. */
  know(facts: WorldFacts): void {
    this.#facts = facts;
    this.#blocks = new BlockCatalog(facts.blocks);
    this.refresh();
  }

  /** Shows a voxel, or that there is none. */
  look(position: Position | undefined): void {
    this.#position = position;
    if (position === undefined) this.#describe(undefined);
    else this.refresh();
  }

  /** Asks for the shown voxel again, after a change to the world. */
  refresh(): void {
    if (this.isOpen && this.#position !== undefined) void this.#show(this.#position);
  }

  async #show(position: Position): Promise<void> {
    const { block, data } = await this.#ask(position);
    const facts = this.#facts;
    // Another voxel or world may be the current one by now.
    if (position !== this.#position || facts === undefined) return;
    const described = block === undefined ? undefined : this.#blocks?.describe(block);
    this.#describe({
      at: axesOf(facts.shape).map((axis) => position[axis]),
      type: described?.type ?? (block === undefined ? "not loaded" : `block ${block}`),
      properties: described?.properties ?? {},
      data,
    });
  }
}
