import { type ClusterNode, FIRST_SHARD } from "@orthant/cluster";
import { shardsOf } from "@orthant/cluster/internal";
import { type Box, isOrthantError, type Position, type Vector } from "@orthant/core";
import { boxBetween, chunkOfVoxel, positionFrom, regionOf, voxelsOfChunks } from "@orthant/core/lattice";
import type { StoredEntity } from "@orthant/save";
import type { Prng } from "@orthant/testkit";
import type { WorldEngine } from "@orthant/world/engine";
import type { ClusterFaults } from "./cluster-faults.ts";
import { SHAPE } from "./cluster-workload.ts";
import type { HerdOracle } from "./herd-oracle.ts";
import type { SimClient } from "./sim-client.ts";
import type { SimNode } from "./sim-node.ts";

const ENTITIES_MAX = 12;
/** More than where entities can be. */
const EVERYWHERE: Box = boxBetween([-1_000, -1_000, 0, 0], [1_000, 1_000, 1, 1]);

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
      this.#oracle.add(world.entities.spawn({ kind: 1, position: this.#place() }));
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

  /** Describes an entity that is lost, there twice or not where it was last; `undefined` if there is none. */
  async fault(
    faults: Pick<ClusterFaults, "map" | "shardOf">,
    openSaved: (shard: string) => Promise<WorldEngine>,
    clients: readonly SimClient[],
  ): Promise<string | undefined> {
    const map = faults.map();
    const saved = new Map<string, readonly StoredEntity[]>();
    for (const shard of map === undefined ? [FIRST_SHARD] : shardsOf(map)) {
      const world = await openSaved(shard);
      try {
        saved.set(shard, await world.entities.in(EVERYWHERE));
      } finally {
        await world.close();
      }
    }
    const owns = (shard: string, position: Vector): boolean => faults.shardOf(regionAt(position)) === shard;
    const shown = clients.map(({ sync }) => sync.entities.filter(({ isPlayer }) => !isPlayer));
    return this.#oracle.fault(saved, owns, shown);
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

/** Returns the region of a position. */
function regionAt(position: Vector): Position {
  return regionOf(
    chunkOfVoxel(
      SHAPE,
      positionFrom((axis) => Math.floor(position[axis])),
    ),
  );
}
