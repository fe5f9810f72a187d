import type { BlockCatalog } from "../chunk/block-catalog.ts";
import type { BlockProperties } from "../chunk/block-ids.ts";

/** Returns the id of a type with those of the properties that it has, with values that it has. */
export function blockWith(catalog: BlockCatalog, name: string, properties: BlockProperties): number {
  const type = catalog.byName(name);
  const shared = type?.properties.flatMap(({ name, values }) => {
    const value = properties[name];
    return value !== undefined && values.includes(value) ? [[name, value] as const] : [];
  });
  return catalog.id(name, Object.fromEntries(shared ?? []));
}
