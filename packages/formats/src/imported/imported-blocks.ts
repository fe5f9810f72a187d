import { AIR, BlockCatalog, OrthantError } from "@orthant/core";
import { nameFault } from "@orthant/core/arguments";
import { encode, U16_MAX } from "@orthant/core/bytes";
import { BLOCK_NAME_LENGTH_MAX, blockCatalogCodec, idCountOf, type NewBlockType } from "@orthant/core/chunk";
import { getOrAdd } from "@orthant/core/lattice";
import { flattenBlock } from "../blocks/old-blocks.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { importedName } from "../format/text.ts";
import { looksOfBlock } from "./block-looks.ts";
import type { ImportSource } from "./import-source.ts";

const AIRS: ReadonlySet<string> = new Set([
  "air",
  "minecraft:air",
  "minecraft:cave_air",
  "minecraft:void_air",
]);
/** Maximum number of different states in a world; the game itself has some 30,000. */
const STATES_MAX = 262_144;
/** As many properties and values as a type of a catalog can have. */
const PROPERTIES_MAX = 16;
const VALUES_MAX = 256;
const PROPERTY_NAME = /^[a-z][a-z0-9_-]*$/i;

const ONLY_AIR = new BlockCatalog([{ id: AIR, name: "air", colour: 0, solid: false }]);

/** Returns whether a state, old or new, is one of air. */
export function isAir(state: string): boolean {
  return AIRS.has(state) || state.startsWith("0:");
}

interface ParsedState {
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
}

/** Blocks for the states of a world: one type for each name, with the values of its properties that occur. */
interface ImportedBlocks {
  /** The catalog, encoded for a save. */
  readonly encoded: Uint8Array;
  /** Our number of each state. */
  readonly ids: ReadonlyMap<string, number>;
}

/** Collects the states of a world. */
export class StateCollector {
  readonly #states = new Map<string, ParsedState>();
  readonly #looksOf: ImportSource["looksOf"];
  readonly #defaults: ReadonlyMap<string, string>;
  readonly #generated: BlockCatalog;

  /** With the blocks of a generator, those keep their numbers, and the states of the world get others. */
  constructor(
    {
      looksOf = looksOfBlock,
      defaults = new Map(),
    }: Partial<Pick<ImportSource, "looksOf" | "defaults">> = {},
    generated: BlockCatalog = ONLY_AIR,
  ) {
    this.#looksOf = looksOf;
    this.#defaults = defaults;
    this.#generated = generated;
  }

  /** Notes a state that occurs. */
  add(state: string, losses: ConversionLosses): void {
    if (this.#states.has(state)) return;
    if (this.#states.size >= STATES_MAX)
      throw new OrthantError("ORT_LIMIT", `more than ${STATES_MAX} states of blocks`);
    const flattened = /^\d/.test(state) ? flattenBlock(state) : { state, isExact: true };
    if (flattened === undefined)
      losses.add("numbers of blocks without a name", `they keep the number, as in ${state}`);
    else if (!flattened.isExact)
      losses.add("data of old blocks", `no table lists ${state}, which becomes ${flattened.state}`);
    this.#states.set(
      state,
      this.#untakenName(
        parseState(flattened?.state ?? `minecraft:unknown_${state.replace(":", "_")}`, losses),
      ),
    );
  }

  /** A name of a generator's block is taken. */
  #untakenName(state: ParsedState): ParsedState {
    const isTaken = !AIRS.has(state.name) && this.#generated.types.some(({ name }) => name === state.name);
    return isTaken ? { ...state, name: `imported:${state.name}` } : state;
  }

  /** Returns the blocks of all states that were added. */
  define(losses: ConversionLosses): ImportedBlocks {
    const types: NewBlockType[] = [...this.#generated.types];
    const valuesByName = this.#valuesByName();
    let id = this.#generated.endId;
    for (const [name, values] of [...valuesByName].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const properties = [...values].map(([property, found]) => ({
        name: property,
        values: [...found].sort(),
      }));
      if (
        properties.length > PROPERTIES_MAX ||
        properties.some((property) => property.values.length > VALUES_MAX)
      ) {
        const limits = `${PROPERTIES_MAX} properties, or ${VALUES_MAX} values of one`;
        throw new OrthantError("ORT_LIMIT", `the block ${name} has more than ${limits}`);
      }
      types.push({ id, name, properties, ...this.#looksOf(name) });
      id += idCountOf({ properties });
      if (id > U16_MAX)
        throw new OrthantError("ORT_LIMIT", `more than ${U16_MAX} combinations of block properties`);
    }
    const catalog = new BlockCatalog(types);
    const ids = new Map<string, number>();
    for (const [state, { name, properties }] of this.#states) {
      const own = new Map(properties);
      for (const property of valuesByName.get(name)?.keys() ?? []) {
        const value = this.#defaults.get(property);
        if (value !== undefined && !own.has(property)) own.set(property, value);
      }
      if (own.size < (valuesByName.get(name)?.size ?? 0))
        losses.add(
          "states without some properties",
          `other blocks of the name have more; the missing ones get their first value, as in ${state}`,
        );
      ids.set(state, AIRS.has(name) ? AIR : catalog.id(name, Object.fromEntries(own)));
    }
    return { encoded: encode(blockCatalogCodec, catalog), ids };
  }

  #valuesByName(): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
    const byName = new Map<string, Map<string, Set<string>>>();
    for (const { name, properties } of this.#states.values()) {
      if (AIRS.has(name)) continue;
      const values = getOrAdd(byName, name, () => new Map<string, Set<string>>());
      for (const [property, value] of properties) {
        const standard = this.#defaults.get(property);
        const found = values.get(property) ?? new Set(standard === undefined ? [] : [standard]);
        values.set(property, found.add(value));
      }
    }
    return byName;
  }
}

/** Splits `name[property=value,...]`. Properties that no type can have are lost. */
function parseState(state: string, losses: ConversionLosses): ParsedState {
  const [stated = "", inside = ""] = state.replace(/\]$/, "").split("[", 2);
  const name = importedName(stated, BLOCK_NAME_LENGTH_MAX) || "unknown";
  if (stated.length > BLOCK_NAME_LENGTH_MAX)
    losses.add(
      "ends of block names",
      `names have at most ${BLOCK_NAME_LENGTH_MAX} characters, as in ${name}`,
    );
  if (nameFault(state) !== undefined)
    losses.add("names with hidden characters", `they are written as escapes, as in ${name}`);
  const properties = new Map<string, string>();
  for (const pair of inside === "" ? [] : inside.split(",")) {
    const [property = "", value = ""] = pair.split("=", 2);
    const isUsable =
      PROPERTY_NAME.test(property) &&
      value !== "" &&
      Math.max(property.length, value.length) <= BLOCK_NAME_LENGTH_MAX;
    if (isUsable && properties.size < PROPERTIES_MAX)
      properties.set(property, importedName(value, BLOCK_NAME_LENGTH_MAX));
    else
      losses.add(
        "properties of blocks",
        `a type cannot have ${pair.slice(0, BLOCK_NAME_LENGTH_MAX)} of ${name}`,
      );
  }
  return { name, properties };
}
