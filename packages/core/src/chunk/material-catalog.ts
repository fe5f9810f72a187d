import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { AIR } from "./chunk.ts";

/** Describes one material of a world. */
export interface Material {
  /** The value stored in voxels. */
  readonly id: number;
  readonly name: string;
  /** 0xRRGGBB. */
  readonly colour: number;
  /** Whether it blocks movement. */
  readonly solid: boolean;
}

/** Maximum length of a material's name in UTF-16 units, each of which takes at most three bytes of UTF-8. */
export const MATERIAL_NAME_LENGTH_MAX = 64;
const COLOUR_MAX = 0xff_ffff;

/** The materials of a world. Immutable. Ids need not be consecutive; 0 is always air. */
export class MaterialCatalog {
  /** All materials, ordered by id. */
  readonly materials: readonly Material[];
  readonly #byId: ReadonlyMap<number, Material>;
  readonly #byName: ReadonlyMap<string, Material>;

  /** Throws `ORT_ARGUMENT` for materials that contradict each other. */
  constructor(materials: readonly Material[]) {
    this.materials = [...materials].sort((a, b) => a.id - b.id);
    for (const { id, colour } of this.materials) {
      requireInteger(id, 0, U16_MAX);
      requireInteger(colour, 0, COLOUR_MAX);
    }
    const problem = findContradiction(this.materials);
    if (problem !== undefined) throw new OrthantError("ORT_ARGUMENT", problem);
    this.#byId = new Map(this.materials.map((material) => [material.id, material]));
    this.#byName = new Map(this.materials.map((material) => [material.name, material]));
  }

  /** Returns the material with an id, or `undefined`. */
  byId(id: number): Material | undefined {
    return this.#byId.get(id);
  }

  /** Returns the material with a name, or `undefined`. */
  byName(name: string): Material | undefined {
    return this.#byName.get(name);
  }
}

/** Returns what is wrong with materials ordered by id, or `undefined`. */
export function findContradiction(materials: readonly Material[]): string | undefined {
  const [air] = materials;
  if (air?.id !== AIR || air.name !== "air" || air.solid) return "material 0 is not air";
  const names = new Set<string>();
  let previousId = -1;
  for (const { id, name } of materials) {
    if (id <= previousId) return `material ${id} after material ${previousId}`;
    if (name.length === 0 || name.length > MATERIAL_NAME_LENGTH_MAX) {
      return `material ${id} has a name of ${name.length} letters, 1 to ${MATERIAL_NAME_LENGTH_MAX} may be`;
    }
    if (names.has(name)) return `two materials are named ${name}`;
    names.add(name);
    previousId = id;
  }
  return undefined;
}
