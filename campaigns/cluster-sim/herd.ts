import type { ClusterNode } from "@orthant/cluster";
import { type Box, isOrthantError, type Vector } from "@orthant/core";
import { voxelsOfChunks } from "@orthant/core/engine";
import type { Prng } from "@orthant/testkit";
import type { WorldEngine } from "@orthant/world/engine";
import { SHAPE } from "./cluster-workload.ts";
import type { HerdOracle } from "./herd-oracle.ts";
import type { SimNode } from "./sim-node.ts";

const ENTITIES_MAX = 12;

/** Has the owners of shards move entities at random, mostly across the border of shards. */
export class Herd {
  readonly #prng: Prng;
  readonly #voxels: Box;
  readonly #oracle: HerdOracle;
  readonly #fail: (error: unknown) => void;

  constructor(prng: Prng, arena: Box, oracle: HerdOracle, fail: (error: unknown) => void) {
    this.#prng = prng;
    this.#voxels = voxelsOfChunks(SHAPE, arena);
    this.#oracle = oracle;
    this.#fail = fail;
  }

  /** Puts the first entities into a world. */
  populate(world: WorldEngine): void {
    const count = this.#prng.between(0, 5);
    for (let index = 0; index < count; index++)
      this.#oracle.add(world.spawnEntity({ kind: 1, position: this.#place() }));
  }

  /** Has a node do something with the entities of one of its shards. */
  act(nodes: readonly SimNode[]): void {
    this.#prng.pick(nodes).act((node) => {
      const shards = [...node.shards.keys()];
      if (shards.length === 0) return;
      this.#actIn(node, this.#prng.pick(shards)).catch((error: unknown) => {
        // The node may lose the shard meanwhile, and an entity may walk away.
        if (!isOrthantError(error)) this.#fail(error);
      });
    });
  }

  async #actIn(node: ClusterNode, shard: string): Promise<void> {
    const prng = this.#prng;
    const entities = node.entities(shard);
    const found = (await entities?.in(this.#voxels)) ?? [];
    if (entities === undefined) return;
    const draw = prng.fraction();
    if (found.length === 0 || (draw < 0.1 && this.#oracle.size < ENTITIES_MAX)) {
      if (this.#oracle.size < ENTITIES_MAX) await entities.spawn({ kind: 2, position: this.#place() });
      return;
    }
    const { entityId } = prng.pick(found);
    if (draw < 0.15) await entities.remove(entityId);
    else if (draw < 0.25) await entities.change(entityId, { payload: prng.bytes(prng.between(0, 200)) });
    else await entities.change(entityId, { position: this.#place() });
  }

  #place(): Vector {
    const { min, max } = this.#voxels;
    return [this.#prng.between(min[0], max[0] - 1) + 0.5, this.#prng.between(min[1], max[1] - 1), 0, 0];
  }
}
