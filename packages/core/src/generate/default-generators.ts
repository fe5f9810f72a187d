import { flatGenerator } from "./flat.ts";
import { GeneratorRegistry } from "./generator-registry.ts";
import { mazeGenerator } from "./maze/maze.ts";
import { platformsGenerator } from "./platforms/platforms.ts";
import { terrainGenerator } from "./terrain/terrain.ts";

/** The generators that come with Orthant. */
export const DEFAULT_GENERATORS: GeneratorRegistry = new GeneratorRegistry([
  flatGenerator,
  platformsGenerator,
  terrainGenerator,
  mazeGenerator,
]);
