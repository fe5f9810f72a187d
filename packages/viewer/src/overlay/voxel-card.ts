import type { BlockProperties } from "@orthant/core";
import { dataText } from "@orthant/core/world";
import { showText, type ViewerElements } from "./elements.ts";

/** The longest text of a voxel's data that the card shows, in characters. */
const DATA_CHARS_MAX = 2_000;

/** What the card says about a voxel. */
export interface DescribedVoxel {
  /** The coordinates on the axes of the world. */
  readonly at: readonly number[];
  readonly type: string;
  readonly properties: BlockProperties;
  readonly data: Uint8Array | undefined;
}

/** A card with the type, the properties and the data of one voxel. */
export class VoxelCard {
  readonly #card: HTMLElement;
  readonly #type: HTMLElement;
  readonly #facts: HTMLElement;
  readonly #data: HTMLElement;

  constructor(elements: ViewerElements) {
    this.#card = elements.find("voxel", HTMLElement);
    this.#type = elements.find("voxel-type", HTMLElement);
    this.#facts = elements.find("voxel-facts", HTMLElement);
    this.#data = elements.find("voxel-data", HTMLElement);
  }

  /** Whether the card is visible. */
  get isOpen(): boolean {
    return !this.#card.hidden;
  }

  set isOpen(isOpen: boolean) {
    this.#card.hidden = !isOpen;
  }

  /** Shows a voxel, or how to choose one. */
  show(voxel: DescribedVoxel | undefined): void {
    showText(this.#type, voxel?.type ?? "Point at a voxel");
    this.#facts.replaceChildren(...(voxel === undefined ? [] : rowsOf(voxel)));
    this.#data.hidden = voxel?.data === undefined;
    showText(this.#data, voxel?.data === undefined ? "" : dataText(voxel.data, DATA_CHARS_MAX));
  }
}

function rowsOf({ at, properties, data }: DescribedVoxel): readonly HTMLElement[] {
  const rows: readonly (readonly [string, string])[] = [
    ["at", at.join(", ")],
    ...Object.entries(properties),
    ["data", data === undefined ? "none" : `${data.length.toLocaleString("en")} B`],
  ];
  return rows.flatMap(([name, value]) => {
    const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
    showText(term, name);
    showText(detail, value);
    return [term, detail];
  });
}
