import type { Box } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  DEFAULT_GENERATORS,
  describedBoxCodec,
  type GenerationJob,
  type GenerationPool,
  type PooledGenerator,
  type PooledSpace,
} from "@orthant/core/generate";
import { generatorRefCodec, type RegionTree } from "@orthant/core/tree";
import type { WorkerPool } from "../pool/worker-pool.ts";
import type { GenerationDescription, GenerationTask } from "./generation-tasks.ts";

/** Generates chunks in the workers of a pool. */
export class WorkerGenerators implements GenerationPool {
  readonly #workers: WorkerPool;

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  open(source: PooledGenerator): PooledSpace | undefined {
    if (!canOpen(this.#workers, source)) return undefined;
    const { ref, shape, module } = source;
    const description: GenerationDescription = {
      kind: "generation",
      ref: encode(generatorRefCodec, ref),
      extents: shape.extents,
      module,
    };
    const space = this.#workers.openSpace({ description });
    const decodeTree = (box: Box, [bytes = new Uint8Array(0)]: readonly Uint8Array[]): RegionTree =>
      decode(describedBoxCodec(shape.volume, box), bytes);
    return {
      describe: (box) => this.#run(space, { kind: "describe", box }, (parts) => decodeTree(box, parts)),
      encodeRegion: (region, pieceBytesMax) =>
        this.#run(space, { kind: "encode", region, pieceBytesMax }, (parts) => parts),
    };
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  #run<Result>(
    space: number,
    task: GenerationTask,
    resultOf: (parts: readonly Uint8Array[]) => Result,
  ): GenerationJob<Result> {
    const { result, cancel } = this.#workers.run<readonly Uint8Array[]>(space, {
      shown: `generating ${task.kind === "encode" ? `region [${task.region}]` : `chunks [${task.box.min}] to [${task.box.max}]`}`,
      post: () => ({ message: task, transfer: [] }),
      take: (parts) => parts as readonly Uint8Array[],
    });
    return { result: result.then((parts = []) => resultOf(parts)), cancel };
  }
}

/** Whether workers can load a generator: it is one of `DEFAULT_GENERATORS`, or has a module that they may import. */
export function canOpen(
  workers: WorkerPool,
  { ref, module }: Pick<PooledGenerator, "ref" | "module">,
): boolean {
  return module === undefined ? DEFAULT_GENERATORS.knows(ref) : workers.mayImport(module);
}
