import type { BlockProperties } from "@orthant/core";
import { dataText } from "@orthant/core/world";
import { showText, termRows, type ViewerElements } from "./elements.ts";

/** The longest text of a voxel's data that the card shows, in characters. */
const DATA_CHARS_MAX = 2_000;

/** What the card says about a voxel. */
interface DescribedVoxel {
  /** The coordinates on the axes of the world. */
  readonly at: readonly number[];
  readonly type: string;
  readonly properties: BlockProperties;
  readonly data: Uint8Array | undefined;
}

/** Returns a function that shows the type, the properties and the data of a voxel in its card, or how to choose one. */
export function voxelCard(elements: ViewerElements): (voxel: DescribedVoxel | undefined) => void {
  const type = elements.find("voxel-type", HTMLElement);
  const facts = elements.find("voxel-facts", HTMLElement);
  const data = elements.find("voxel-data", HTMLElement);
  return (voxel) => {
    showText(type, voxel?.type ?? "Point at a voxel");
    facts.replaceChildren(...(voxel === undefined ? [] : factsOf(voxel)));
    data.hidden = voxel?.data === undefined;
    showText(data, voxel?.data === undefined ? "" : dataText(voxel.data, DATA_CHARS_MAX));
  };
}

function factsOf({ at, properties, data }: DescribedVoxel): readonly HTMLElement[] {
  return termRows([
    ["at", at.join(", ")],
    ...Object.entries(properties),
    ["data", data === undefined ? "none" : `${data.length.toLocaleString("en")} B`],
  ]);
}
