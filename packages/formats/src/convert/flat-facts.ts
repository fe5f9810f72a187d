import {
  bytesEqual,
  DEFAULT_MATERIALS,
  encode,
  FLAT_DEFAULTS,
  type FlatParameters,
  flatGenerator,
  GeneratorRef,
  isOrthantError,
  materialCatalogCodec,
  parametersOf,
  U8_MAX,
} from "@orthant/core";
import type { BaseWorld, GlobalState, Save, StoredPlayer } from "@orthant/save";
import type { ConversionLosses } from "./losses.ts";

/** Notes the parts of a description and an index that foreign formats cannot hold. */
export function noteLostFacts(
  { global, index }: Pick<Save, "global" | "index">,
  losses: ConversionLosses,
): void {
  const { name, spawn, materials, namedGenerations, attachments, edits } = global.description;
  if (name !== "") losses.add("the name of the world", JSON.stringify(name));
  if (spawn.some((coordinate) => coordinate !== 0)) losses.add("the spawn point", `[${spawn.join(", ")}]`);
  if (materials.length > 0 && !isDefaultCatalog(materials)) {
    losses.add("the material catalog", "materials keep their numbers, and lose names and colours");
  }
  losses.add("named generations", "one generation is converted", namedGenerations.length);
  losses.add("attachments", "what programs kept with the world", attachments.length);
  losses.add("last edits of clients", "a client may make its last edit twice", edits.length);
  losses.add(
    "clocks of regions",
    "whoever holds parts of the world has to fetch them again",
    index.totals.clocks,
  );
}

/** Returns the base of a flat save: nothing, or the original's floor. */
export function flatBase(global: GlobalState, losses: ConversionLosses): BaseWorld {
  const { base, generators } = global;
  if (base.kind === "empty") return base;
  const floor = base.kind === "flatFloor" ? { ...FLAT_DEFAULTS, material: base.material } : floorOf(global);
  if (floor?.thickness === 0) return { kind: "empty" };
  const isKnown = floor?.top === FLAT_DEFAULTS.top && floor.thickness === FLAT_DEFAULTS.thickness;
  if (isKnown && floor.material <= U8_MAX) return { kind: "flatFloor", material: floor.material };
  const names = generators.map(({ generatorId }) => generatorId).join(", ");
  losses.add("the generator", `untouched space becomes air; it was made by ${names || "a floor"}`);
  return { kind: "empty" };
}

/** Returns the players without the fields that the original lacks. */
export function flatPlayers(
  players: readonly StoredPlayer[],
  losses: ConversionLosses,
): readonly StoredPlayer[] {
  const count = (isLost: (player: StoredPlayer) => boolean): number => players.filter(isLost).length;
  losses.add(
    "names of players",
    "players keep their ids",
    count(({ name }) => name !== undefined),
  );
  losses.add(
    "keys of players",
    "nobody can prove who they are",
    count(({ authKey }) => authKey.length > 0),
  );
  losses.add(
    "metadata of players",
    "keys and values",
    count(({ metadata }) => metadata.length > 0),
  );
  return players.map((player) => ({ ...player, name: undefined, authKey: new Uint8Array(0), metadata: [] }));
}

/** Returns the parameters of a flat floor world; `undefined` for any other. */
function floorOf({ generators }: GlobalState): FlatParameters | undefined {
  const [first] = generators;
  if (first?.generatorId !== flatGenerator.id || generators.length !== 1) return undefined;
  const { generatorId, params, seed, versionHash } = first;
  try {
    return parametersOf(flatGenerator, new GeneratorRef(generatorId, params, seed, versionHash));
  } catch (error) {
    // A floor of an unknown version may be anything.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

function isDefaultCatalog(materials: Uint8Array): boolean {
  return bytesEqual(materials, encode(materialCatalogCodec, DEFAULT_MATERIALS));
}
