import type { BlockCatalog } from "@orthant/core";
import {
  checkedOptions,
  matching,
  type OptionTable,
  requireBlock,
  wrongArgument,
} from "@orthant/core/arguments";
import { type BlockLooks, defaultLooks, type LookPack, looksOf } from "@orthant/mesh/looks";
import { Group } from "three";
import { blockQuads } from "../block/block-quads.ts";
import { type SkyUniforms, skyUniforms } from "../sky/sky-uniforms.ts";
import { Crumbs } from "./crumbs.ts";
import { freeGhost, type GhostMesh, ghostOf, lightGhost } from "./ghost.ts";
import { outlineBox, outlineMesh } from "./outline.ts";

type Place = readonly [x: number, y: number, z: number];

/** A world in which something is marked. */
export interface MarkedWorld {
  readonly blocks: BlockCatalog;
  voxelAt(position: Place): number | undefined;
  /** Light from 0 to 15, where the world knows it. */
  lightAt?(position: Place): { readonly sky: number; readonly block: number } | undefined;
}

/** Options of {@link Marks}. */
export interface MarksOptions {
  /** How blocks look; Orthant's own pack by default. */
  readonly looks?: LookPack;
  /** What lights the marks, and what they fade into. Noon on a clear day by default. */
  readonly sky?: { readonly uniforms: SkyUniforms };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const OPTIONS: OptionTable<MarksOptions> = {
  looks: matching("it is what defaultLooks or parseLooks returns", isObject),
  sky: matching("it is a Sky", (value) => isObject(value) && "uniforms" in value),
};
const SIXTEENTHS = 16;
const LEVELS = 15;

/**
 * Marks in a scene: an outline of what a player points at, a ghost of what would be placed, and crumbs of what breaks.
 *
 * @example
 * const marks = new Marks(world, { sky });
 * scene.add(marks);
 * marks.outline(target?.position);
 * marks.ghost(target?.adjacent, page.hotbar.chosen);
 * marks.update(seconds); // before each frame
 */
export class Marks extends Group {
  readonly #world: MarkedWorld;
  readonly #pack: LookPack;
  readonly #sky: SkyUniforms;
  readonly #outline = outlineMesh();
  readonly #crumbs: Crumbs;
  #looks: { readonly catalog: BlockCatalog; readonly looks: BlockLooks } | undefined;
  #ghost:
    | { readonly block: number; readonly looks: BlockLooks; readonly mesh: GhostMesh | undefined }
    | undefined;

  constructor(world: MarkedWorld, options: MarksOptions = {}) {
    super();
    if (typeof world?.voxelAt !== "function")
      throw wrongArgument("world", world, "it is what connect or openWorld returns");
    const { looks = defaultLooks(), sky } = checkedOptions("the options", options, OPTIONS);
    this.#world = world;
    this.#pack = looks;
    this.#sky = sky?.uniforms ?? skyUniforms();
    this.#crumbs = new Crumbs(this.#sky, Math.random);
    this.add(this.#outline, this.#crumbs.mesh);
  }

  /** Outlines the block of a voxel, whatever its model is; nothing with `undefined`. */
  outline(voxel: Place | undefined): void {
    const block = voxel && this.#world.voxelAt(voxel);
    const quads = block === undefined ? [] : blockQuads(this.#currentLooks.lookOf(block));
    this.#outline.visible = quads.length > 0;
    if (voxel === undefined || quads.length === 0) return;
    const bound = (pick: (...parts: number[]) => number, axis: number): number =>
      (voxel[axis] as number) +
      pick(...quads.flatMap(({ corners }) => corners.filter((_part, index) => index % 3 === axis))) /
        SIXTEENTHS;
    outlineBox(
      this.#outline,
      [0, 1, 2].map((axis) => bound(Math.min, axis)),
      [0, 1, 2].map((axis) => bound(Math.max, axis)),
    );
  }

  /** Shows what a block would look like in a voxel, to 40 %; nothing with `undefined`. */
  ghost(voxel: Place | undefined, block: number): void {
    requireBlock("block", block);
    const looks = this.#currentLooks;
    if (voxel !== undefined && (this.#ghost?.block !== block || this.#ghost.looks !== looks)) {
      this.#dropGhost();
      this.#ghost = { block, looks, mesh: ghostOf(looks, block, this.#sky) };
      if (this.#ghost.mesh) this.add(this.#ghost.mesh);
    }
    const mesh = this.#ghost?.mesh;
    if (mesh === undefined) return;
    mesh.visible = voxel !== undefined;
    if (voxel === undefined) return;
    mesh.position.set(...voxel);
    lightGhost(mesh, ...this.#lightAt(voxel));
  }

  /** Lets a block break in a voxel: small cubes of its colours fall, and vanish within a second. */
  crumble(voxel: Place, block: number): void {
    requireBlock("block", block);
    this.#crumbs.add(this.#currentLooks, block, voxel, this.#lightAt(voxel));
  }

  /** Small cubes that are there now. */
  get crumbs(): number {
    return this.#crumbs.count;
  }

  /** Moves on by some seconds. Call it before each frame. */
  update(seconds: number): void {
    const { blocks } = this.#world;
    this.#crumbs.update(seconds, (x, y, z) => {
      const block = this.#world.voxelAt([Math.floor(x), Math.floor(y), Math.floor(z)]);
      return block !== undefined && blocks.isSolid(block);
    });
  }

  /** Frees what the marks have on the graphics card. */
  override dispose(): void {
    this.#outline.geometry.dispose();
    this.#outline.material.dispose();
    this.#crumbs.dispose();
    this.#dropGhost();
    super.dispose?.(); // three.js before 0.187 has none
  }

  #lightAt(voxel: Place): readonly [sky: number, block: number] {
    const { sky, block } = this.#world.lightAt?.(voxel) ?? { sky: LEVELS, block: 0 };
    return [sky / LEVELS, block / LEVELS];
  }

  /** A catalog that grew is another one. */
  get #currentLooks(): BlockLooks {
    const { blocks: catalog } = this.#world;
    if (this.#looks?.catalog !== catalog) this.#looks = { catalog, looks: looksOf(this.#pack, catalog) };
    return this.#looks.looks;
  }

  #dropGhost(): void {
    const mesh = this.#ghost?.mesh;
    this.#ghost = undefined;
    if (mesh === undefined) return;
    this.remove(mesh);
    freeGhost(mesh);
  }
}
