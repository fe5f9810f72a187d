import type { BlockCatalog } from "@orthant/core";
import { type BlockLooks, type LookPack, looksOf } from "@orthant/mesh/looks";
import type { MeshPool, MeshScene, SceneSource } from "@orthant/worker-pool/browser";
import type { Color, IUniform, Material, Texture } from "three";
import { TableTextures } from "../material/table-textures.ts";
import { textureArray } from "../material/texture-array.ts";
import { type MakeMaterial, type MaterialKind, voxelMaterials } from "../material/voxel-materials.ts";
import type { SkyUniforms } from "../sky/sky-uniforms.ts";

/** What all drawings of a view share. */
export interface DrawingOptions {
  readonly pool: MeshPool;
  readonly source: SceneSource;
  readonly pack: LookPack;
  readonly make: MakeMaterial | undefined;
  readonly isLit: boolean;
  readonly light: { readonly lampLight: IUniform<Color>; readonly darkest: IUniform<number> } & SkyUniforms;
}

/** How the blocks of one catalog are drawn: their scene in the workers, tables, textures and materials. */
export class Drawing {
  readonly looks: BlockLooks;
  readonly scene: MeshScene;
  readonly materials: Readonly<Record<MaterialKind, Material>>;
  readonly #tables = new TableTextures();
  readonly #textures: Texture;
  /** Sections that are drawn with it. */
  #users = 0;
  #isClosed = false;

  constructor({ pool, source, pack, make, isLit, light }: DrawingOptions, blocks: BlockCatalog) {
    this.looks = looksOf(pack, blocks);
    this.scene = pool.openScene({ source, blocks, looks: this.looks, isLit });
    this.#textures = textureArray(this.looks.textures);
    const uniforms = { ...light, ...this.#tables.uniforms, textures: { value: this.#textures } };
    this.materials = voxelMaterials(uniforms, make);
  }

  /** Begins to draw a section, with what its quads refer to. */
  use(): void {
    this.#users++;
    this.#tables.follow(this.scene);
  }

  /** Ends to draw a section. */
  release(): void {
    this.#users--;
    this.#disposeIfDone();
  }

  /** Ends the work of workers. What is drawn stays until the last section is released. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.scene.close();
    this.#disposeIfDone();
  }

  #disposeIfDone(): void {
    if (!this.#isClosed || this.#users > 0) return;
    this.#tables.dispose();
    this.#textures.dispose();
    for (const material of Object.values(this.materials)) material.dispose();
  }
}
