import type { BlockCatalog } from "../chunk/block-catalog.ts";
import type { BlockProperties } from "../chunk/block-ids.ts";
import { OrthantError } from "../error/orthant-error.ts";

/** Returns the id of a type with those of the properties that it has, with values that it has. */
export function blockWith(catalog: BlockCatalog, name: string, properties: BlockProperties): number {
  const type = catalog.byName(name);
  const shared = type?.properties.flatMap(({ name, values }) => {
    const value = properties[name];
    return value !== undefined && values.includes(value) ? [[name, value] as const] : [];
  });
  return catalog.id(name, Object.fromEntries(shared ?? []));
}

/** Returns the id of a block that an operation names. Throws `ORT_ARGUMENT` for one that the world does not have. */
export function blockNamed(
  where: "mask" | "pattern",
  name: string,
  properties: BlockProperties | undefined,
  catalog: BlockCatalog,
): number {
  try {
    return catalog.id(name, properties);
  } catch (error) {
    if (!(error instanceof OrthantError)) throw error;
    const detail = `a block in the ${where} of the operation: ${error.detail}`;
    throw new OrthantError(error.code, detail, error.context, { cause: error });
  }
}
