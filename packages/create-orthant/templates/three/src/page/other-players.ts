import type { ClientWorld } from "orthant/client";
import { BoxGeometry, Mesh, MeshLambertMaterial, type Scene } from "three";

const BODY = new BoxGeometry(0.6, 1.8, 0.6).translate(0, 0.9, 0);

/** Keeps a figure in the scene for each other player. */
export class OtherPlayers {
  readonly #world: ClientWorld<3>;
  readonly #scene: Scene;
  readonly #figures = new Map<bigint, Mesh>();

  constructor(world: ClientWorld<3>, scene: Scene) {
    this.#world = world;
    this.#scene = scene;
  }

  /** Puts the figures where the players are now. */
  update(): void {
    const gone = new Set(this.#figures.keys());
    for (const { id, position } of this.#world.entitiesAt()) {
      gone.delete(id);
      this.#figureOf(id).position.set(...position);
    }
    for (const id of gone) {
      this.#scene.remove(this.#figureOf(id));
      this.#figures.delete(id);
    }
  }

  #figureOf(id: bigint): Mesh {
    const known = this.#figures.get(id);
    if (known !== undefined) return known;
    const color = `hsl(${Number(id % 360n)}, 70%, 60%)`;
    const figure = new Mesh(BODY, new MeshLambertMaterial({ color }));
    this.#figures.set(id, figure);
    this.#scene.add(figure);
    return figure;
  }
}
