import { BlockCatalog, DEFAULT_BLOCKS } from "../chunk/block-catalog.ts";
import { BlockIds } from "../chunk/block-ids.ts";
import { AIR } from "../chunk/chunk.ts";
import {
  type BlockDefinitions,
  type BlockHandle,
  type BlockHandles,
  blockHandles,
  defineBlocks,
  type PropertiesOf,
} from "../chunk/define-blocks.ts";
import type { GeneratorRef } from "../tree/content.ts";
import type { PlainParameter } from "./plain-parameters.ts";
import { generatorRef, parametersOf, type WorldGenerator } from "./world-generator.ts";

/** The blocks of a generator in one world, by name: ids, and handles of types with properties. */
export type GeneratorBlocks<Definitions extends BlockDefinitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends { readonly properties: object }
    ? BlockHandle<PropertiesOf<Definitions[Name]>>
    : number;
};

type Parameters = Readonly<Record<string, PlainParameter>>;

const AIR_ALONE: BlockCatalog = new BlockCatalog(DEFAULT_BLOCKS.types.filter(({ id }) => id === AIR));

/** The blocks of a new world that says nothing about them: those of its generator, if it brings any. */
export function firstBlocks(generator: WorldGenerator | undefined): BlockCatalog {
  return generator?.blocks === undefined ? DEFAULT_BLOCKS : defineBlocks(AIR_ALONE, generator.blocks);
}

/**
 * Returns the parameters in which a world stores the first ids of its generator's blocks, so that all who open the generator
 * have the same. Their defaults are the ids in a world that has no other types.
 */
export function blockParameters(blocks: BlockDefinitions): Readonly<Record<string, number>> {
  return firstIds(blocks, defineBlocks(AIR_ALONE, blocks));
}

/** Returns a reference with the ids that the blocks of its generator have in a catalog, which has them all. */
export function withBlockIds(
  ref: GeneratorRef,
  generator: WorldGenerator | undefined,
  catalog: BlockCatalog,
): GeneratorRef {
  if (generator?.blocks === undefined) return ref;
  const parameters = {
    ...(parametersOf(generator, ref) as Parameters),
    ...firstIds(generator.blocks, catalog),
  };
  return generatorRef(generator, parameters, ref.seed);
}

/** Returns the blocks of a generator that is opened with these parameters. */
export function generatorBlocks<Definitions extends BlockDefinitions>(
  definitions: Definitions,
  parameters: Parameters,
): GeneratorBlocks<Definitions> {
  const { types } = defineBlocks(AIR_ALONE, definitions);
  const placed = types.map((type) => {
    const id = parameters[parameterOf(type.name)];
    return new BlockIds(typeof id === "number" ? { ...type, id } : type);
  });
  const own = placed.filter(({ type }) => Object.hasOwn(definitions, type.name));
  return Object.fromEntries(
    own.map((ids) => {
      const { name, id, properties } = ids.type;
      const handle: BlockHandle = { name, id: (values) => ids.idOf(values) };
      return [name, properties.length === 0 ? id : handle];
    }),
  ) as GeneratorBlocks<Definitions>;
}

function firstIds(blocks: BlockDefinitions, catalog: BlockCatalog): Readonly<Record<string, number>> {
  const handles: BlockHandles<BlockDefinitions> = blockHandles(catalog, blocks);
  return Object.fromEntries(Object.values(handles).map((handle) => [parameterOf(handle.name), handle.id()]));
}

/** No parameter of a game has a dot in its name. */
function parameterOf(block: string): string {
  return `blocks.${block}`;
}
