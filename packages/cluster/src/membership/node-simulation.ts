import type { DataCodec, Dimensions, VoxelBox } from "@orthant/core";
import { callback, checkedOptions, requireObject, unchecked } from "@orthant/core/arguments";
import { PLAIN_DATA, requireDataCodec } from "@orthant/core/world";
import type { Simulation, SimulationOptions, SimulationStatistics } from "@orthant/world";
import { throwUncaught } from "@orthant/world/engine";
import type { ShardOwner } from "../owner/shard-owner.ts";

/** Options of the simulation of a node's shards. */
export interface ClusterSimulationOptions<D extends Dimensions = Dimensions>
  extends Pick<SimulationOptions<D>, "systems" | "stepMs"> {
  /** Encodes the data of voxels, as the world's servers do. Default: `PLAIN_DATA`. */
  readonly dataCodec?: DataCodec;
  /**
   * Called when a system throws: the step has no effect, and the shard is simulated again when it has another owner. Also
   * called, without a system, when a region cannot be read. By default the error is thrown outside of any call, which
   * ends a Node process.
   */
  readonly onError?: (error: unknown, system: string | undefined, shard: string) => void;
}

/** State of the simulation of one shard. */
export interface ShardSimulationReport {
  /** The last step that was made. */
  readonly step: number;
  readonly statistics: SimulationStatistics;
}

interface Running<D extends Dimensions> {
  readonly simulation: Simulation<D>;
  /** What is kept active, with the functions that end it. */
  readonly kept: Map<VoxelBox<D>, () => void>;
}

/**
 * Simulates all shards that a node owns, each in steps of its own. `ClusterNode.simulate` starts one. Rules K64 and K65.
 */
export class ClusterSimulation<D extends Dimensions = Dimensions> {
  readonly #options: ClusterSimulationOptions<D>;
  readonly #running = new Map<ShardOwner, Running<D>>();
  readonly #kept = new Set<VoxelBox<D>>();
  readonly #onStop: () => void;
  #isStopped = false;

  /** @internal */
  constructor(options: ClusterSimulationOptions<D>, onStop: () => void) {
    this.#options = checkedSimulation(options);
    this.#onStop = onStop;
  }

  /** The shards that are simulated here now. */
  get shards(): ReadonlyMap<string, ShardSimulationReport> {
    return new Map(
      Array.from(this.#running, ([{ shard }, { simulation }]) => {
        const { step, statistics } = simulation;
        return [shard, { step, statistics }];
      }),
    );
  }

  /**
   * Keeps a box of voxels active, in all shards of this node that have a part of it, although no player is near. Returns a
   * function that ends it.
   */
  keepActive(voxels: VoxelBox<D>): () => void {
    const box = { ...voxels };
    for (const running of this.#running.values()) keep(running, box);
    this.#kept.add(box);
    return () => {
      this.#kept.delete(box);
      for (const { kept } of this.#running.values()) kept.get(box)?.();
    };
  }

  /** Ends the simulation. The node keeps its shards, and ticks that are scheduled stay with them. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#onStop();
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map(({ simulation }) => simulation.stop()));
  }

  /** @internal Begins to simulate a shard that the node owns now. */
  add(owner: ShardOwner): void {
    if (this.#isStopped || this.#running.has(owner)) return;
    const { dataCodec = PLAIN_DATA, onError = throwUncaught, systems, stepMs } = this.#options;
    const simulation = owner.steps.simulate<D>(
      {
        systems,
        ...(stepMs !== undefined && { stepMs }),
        onError: (error, system) => onError(error, system, owner.shard),
      },
      dataCodec,
    );
    const running = { simulation, kept: new Map<VoxelBox<D>, () => void>() };
    this.#running.set(owner, running);
    for (const box of this.#kept)
      try {
        keep(running, box);
      } catch (error) {
        // A box that was given while the node owned no shard was not checked.
        onError(error, undefined, owner.shard);
      }
  }

  /** @internal Forgets a shard that the node no longer owns, whose steps have ended. */
  remove(owner: ShardOwner): void {
    this.#running.delete(owner);
  }
}

function keep<D extends Dimensions>({ simulation, kept }: Running<D>, box: VoxelBox<D>): void {
  kept.set(box, simulation.keepActive(box));
}

function checkedSimulation<D extends Dimensions>(
  options: ClusterSimulationOptions<D>,
): ClusterSimulationOptions<D> {
  return checkedOptions<ClusterSimulationOptions<D>>("the options", options, {
    systems: (name, value) => {
      requireObject(name, value, "it is an object of functions, such as { sand: fallingSand }");
      return value as ClusterSimulationOptions<D>["systems"];
    },
    stepMs: unchecked,
    dataCodec: requireDataCodec,
    onError: callback,
  });
}
