import type { BlockCatalog, BlockType } from "@orthant/core";
import type { BlockShapePart } from "@orthant/core/chunk";
import { catalogOf } from "../codec/world-description.ts";
import type { Save } from "../read/save.ts";
import { isSameWorld } from "./block-translation.ts";

/** A type of block in two saves, as text. */
interface BlockTypeDifference {
  readonly before: string;
  readonly after: string;
}

const ABSENT = "none";

/**
 * Returns the types of blocks that differ between two saves, in the order of their ids. Types of one world are compared by
 * id, and others by name.
 */
export function compareCatalogs(before: Save, after: Save): readonly BlockTypeDifference[] {
  const [ours, theirs] = [catalogOf(before.global.description), catalogOf(after.global.description)];
  const find = isSameWorld(before, after)
    ? (catalog: BlockCatalog, { id }: BlockType) => catalog.byId(id)
    : (catalog: BlockCatalog, { name }: BlockType) => catalog.byName(name);
  const changed = ours.types.flatMap((type) => compareTypes(type, find(theirs, type)));
  const added = theirs.types.filter((type) => find(ours, type) === undefined);
  return [...changed, ...added.map(({ name }) => ({ before: ABSENT, after: name }))];
}

function compareTypes(before: BlockType, after: BlockType | undefined): readonly BlockTypeDifference[] {
  if (after === undefined) return [{ before: before.name, after: ABSENT }];
  const [ours, theirs] = [fieldsOf(before), fieldsOf(after)];
  const differing = ours.map((text, index) => text !== theirs[index]);
  if (before.name === after.name && !differing.includes(true)) return [];
  const textOf = ({ name }: BlockType, fields: readonly string[]): string => {
    const shown = fields.filter((_, index) => differing[index]);
    return shown.length === 0 ? name : `${name} (${shown.join(", ")})`;
  };
  return [{ before: textOf(before, ours), after: textOf(after, theirs) }];
}

/** Returns everything about a type but its name and ids, as texts in an order that is the same for all types. */
function fieldsOf(type: BlockType): readonly string[] {
  const { colour, solid, transparent, light, opacity, properties, tags, retired, shape } = type;
  const values = properties.map((property) => `${property.name}=${property.values.join("|")}`);
  return [
    `colour 0x${colour.toString(16).padStart(6, "0")}`,
    solid ? "solid" : "not solid",
    transparent ? "transparent" : "not transparent",
    `light ${light}`,
    `opacity ${opacity}`,
    values.length === 0 ? "no properties" : `properties ${values.join(" ")}`,
    tags.length === 0 ? "no tags" : `tags ${tags.join(" ")}`,
    retired ? "retired" : "in use",
    shape.length === 0 ? "no shape" : `shape ${shape.map(partText).join("; ")}`,
  ];
}

/** Returns a part of a shape as text, such as `half=bottom 0,0,0,0 to 1,0.5,1,1`. */
function partText({ when = {}, boxes }: BlockShapePart): string {
  const values = Object.entries(when).map(([name, value]) => `${name}=${value}`);
  const corners = boxes.map(([min, max]) => `${min} to ${max}`);
  return [
    values.length === 0 ? "all" : values.join(" "),
    ...(boxes.length === 0 ? ["nothing"] : corners),
  ].join(" ");
}
