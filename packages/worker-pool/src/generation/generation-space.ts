import { chunkShape, GeneratorRegistry } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS, describedBoxCodec, type GeneratedSpace } from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import { encodeGeneratedRegion, generatorRefCodec } from "@orthant/core/tree";
import { type Posted, wholeBuffers } from "../pool/job-messages.ts";
import type { WorkerSpace } from "../pool/job-runner.ts";
import type { GenerationDescription, GenerationTask } from "./generation-tasks.ts";
import { importGenerators } from "./import-generators.ts";

/** An open generator in a worker. */
class GenerationSpace implements WorkerSpace {
  readonly #space: GeneratedSpace;

  constructor(space: GeneratedSpace) {
    this.#space = space;
  }

  async run(task: GenerationTask): Promise<Posted<readonly Uint8Array[]>> {
    const parts = await this.#partsOf(task);
    return { message: parts, transfer: wholeBuffers(parts) };
  }

  async #partsOf(task: GenerationTask): Promise<readonly Uint8Array[]> {
    const { volume } = this.#space.shape;
    if (task.kind === "describe") {
      const tree = await this.#space.describeAsync(task.box);
      return [encode(describedBoxCodec(volume, task.box), tree)];
    }
    const { region, pieceBytesMax } = task;
    const generated = await this.#space.describeAsync(regionBox(region));
    return encodeGeneratedRegion(generated, region, volume, pieceBytesMax);
  }
}

/** Opens a generator in a worker. */
export function openGeneration(description: unknown): Promise<WorkerSpace> | undefined {
  const { kind } = description as { readonly kind: unknown };
  return kind === "generation" ? openGenerator(description as GenerationDescription) : undefined;
}

async function openGenerator({ ref, extents, module }: GenerationDescription): Promise<WorkerSpace> {
  const decoded = decode(generatorRefCodec, ref);
  const registry =
    module === undefined
      ? DEFAULT_GENERATORS
      : new GeneratorRegistry(await importGenerators(module, decoded.generatorId));
  return new GenerationSpace(registry.open(decoded, chunkShape(extents)));
}
