import type { Entity } from "@orthant/core";
import {
  checkedOptions,
  matching,
  type OptionTable,
  requireFunction,
  wrongArgument,
} from "@orthant/core/arguments";
import { Group, type Object3D, type ShaderMaterial, type Sprite } from "three";
import { type SkyUniforms, skyUniforms } from "../sky/sky-uniforms.ts";
import { Figure } from "./figure.ts";
import { type FigureUniforms, figureMaterial } from "./figure-material.ts";
import { nameSign } from "./name-sign.ts";
import { bodyOf, NAME_HEIGHTS } from "./shapes.ts";

/** A world with players and entities, such as that of `connect`. */
export interface FiguresWorld {
  /** Where they are to be drawn now. */
  entitiesAt(): readonly Entity<3>[];
  /** Light from 0 to 15, where the world knows it. */
  lightAt?(
    position: readonly [number, number, number],
  ): { readonly sky: number; readonly block: number } | undefined;
}

/** Makes the shape of an entity, looking to -z, with its feet at 0; `undefined` leaves it to Orthant. */
export type MakeFigure = (entity: Entity<3>) => Object3D | undefined;

/** Options of {@link Figures}. */
export interface FiguresOptions {
  readonly make?: MakeFigure;
  /** What lights the figures, and what they fade into. Noon on a clear day by default. */
  readonly sky?: { readonly uniforms: SkyUniforms };
}

const OPTIONS: OptionTable<FiguresOptions> = {
  make: (name, value) => requireFunction(name, value as MakeFigure),
  sky: matching("it is a Sky", (value) => typeof value === "object" && value !== null && "uniforms" in value),
};
/** Levels of light, of the sky and of blocks. */
const LEVELS = 15;
/** Light is read this high above the feet. */
const CHEST = 1;

interface Shown {
  readonly figure: Figure;
  readonly material?: ShaderMaterial & { uniforms: FigureUniforms };
  readonly nameHeight: number;
  sign?: Sprite;
  name: string;
}

/**
 * The other players and the entities of a world, in a scene. Players are figures in two colours of their own with their names
 * above; other entities are animals, in colours by their `kind`. They walk by the distance they move, and look where they look.
 *
 * @example
 * const figures = new Figures(world, { sky, make: ({ kind }) => (kind === CART ? cart.clone() : undefined) });
 * scene.add(figures);
 * figures.update(seconds); // before each frame
 */
export class Figures extends Group {
  readonly #world: FiguresWorld;
  readonly #make: MakeFigure | undefined;
  readonly #sky: SkyUniforms;
  readonly #shown = new Map<bigint, Shown>();

  constructor(world: FiguresWorld, options: FiguresOptions = {}) {
    super();
    if (typeof world?.entitiesAt !== "function")
      throw wrongArgument("world", world, "it is what connect returns, or has entitiesAt()");
    const { make, sky } = checkedOptions("the options", options, OPTIONS);
    this.#world = world;
    this.#make = make;
    this.#sky = sky?.uniforms ?? skyUniforms();
  }

  /** Shows players and entities where they are now, some seconds after the last time. Call it before each frame. */
  update(seconds: number): void {
    const gone = new Set(this.#shown.keys());
    for (const entity of this.#world.entitiesAt()) {
      gone.delete(entity.id);
      const shown = this.#shown.get(entity.id) ?? this.#show(entity);
      shown.figure.move(entity, seconds);
      if (shown.name !== entity.name) this.#rename(shown, entity.name);
      this.#light(shown, entity);
    }
    for (const id of gone) this.#remove(id);
  }

  /** Frees what the figures have on the graphics card. Objects of the game's own stay as they are. */
  override dispose(): void {
    for (const id of [...this.#shown.keys()]) this.#remove(id);
    super.dispose?.(); // three.js before 0.187 has none
  }

  #show(entity: Entity<3>): Shown {
    const made = this.#make?.(entity);
    const kind = entity.isPlayer ? "person" : "animal";
    const material = made === undefined ? figureMaterial(this.#sky, seedOf(entity)) : undefined;
    const object = made ?? bodyOf(kind, material as ShaderMaterial);
    const shown: Shown = {
      figure: new Figure(object),
      ...(material && { material }),
      nameHeight: NAME_HEIGHTS[kind],
      name: "",
    };
    this.#shown.set(entity.id, shown);
    this.add(object);
    return shown;
  }

  #rename(shown: Shown, name: string): void {
    removeSign(shown);
    shown.name = name;
    if (name === "") return;
    shown.sign = nameSign(name);
    shown.sign.position.y = shown.nameHeight;
    shown.figure.object.add(shown.sign);
  }

  #light({ material }: Shown, { position: [x, y, z] }: Entity<3>): void {
    const light = this.#world.lightAt?.([Math.floor(x), Math.floor(y + CHEST), Math.floor(z)]);
    if (light !== undefined) material?.uniforms.lights.value.set(light.sky / LEVELS, light.block / LEVELS);
  }

  #remove(id: bigint): void {
    const shown = this.#shown.get(id);
    if (shown === undefined) return;
    removeSign(shown);
    shown.material?.dispose();
    this.remove(shown.figure.object);
    this.#shown.delete(id);
  }
}

/** Players have colours of their own, and animals of one kind the same. */
function seedOf({ id, isPlayer, kind }: Entity<3>): bigint {
  return isPlayer ? id : BigInt(kind) + 3n;
}

function removeSign(shown: Shown): void {
  const { sign } = shown;
  if (sign === undefined) return;
  sign.removeFromParent();
  sign.material.map?.dispose();
  sign.material.dispose();
  delete shown.sign;
}
