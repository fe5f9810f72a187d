import {
  chunkShape,
  GeneratorRegistry,
  isOrthantError,
  OrthantError,
  type WorldGenerator,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS, describedBoxCodec, type GeneratedSpace } from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import { encodeGeneratedRegion, generatorRefCodec } from "@orthant/core/tree";
import type { WorkerAnswer, WorkerRequest } from "./job-messages.ts";

/** Runs in a worker: opens generators and generates boxes, one after the other. */
export class JobRunner {
  readonly #spaces = new Map<number, Promise<GeneratedSpace>>();
  readonly #answer: (answer: WorkerAnswer) => void;

  constructor(answer: (answer: WorkerAnswer) => void) {
    this.#answer = answer;
  }

  /** Handles one message. Always answers a job, with an error if it fails. */
  handle(request: WorkerRequest): void {
    if (request.kind !== "open") {
      void this.#run(request).then(this.#answer);
      return;
    }
    const opening = openSpace(request);
    // The answer to every job reports the error.
    opening.catch(() => undefined);
    this.#spaces.set(request.space, opening);
  }

  async #run({ job, space, ...task }: Exclude<WorkerRequest, { kind: "open" }>): Promise<WorkerAnswer> {
    try {
      const opened = await this.#spaces.get(space);
      if (opened === undefined) throw new OrthantError("ORT_WORKER", "the generator is not open");
      const { volume } = opened.shape;
      if (task.kind === "describe") {
        const tree = await opened.describeAsync(task.box);
        return { job, parts: [encode(describedBoxCodec(volume, task.box), tree)] };
      }
      const { region, pieceBytesMax } = task;
      const generated = await opened.describeAsync(regionBox(region));
      return { job, parts: encodeGeneratedRegion(generated, region, volume, pieceBytesMax) };
    } catch (error) {
      if (isOrthantError(error)) return { job, code: error.code, detail: error.detail };
      const detail = `the generator threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
      return { job, code: "ORT_WORKER", detail };
    }
  }
}

async function openSpace(request: Extract<WorkerRequest, { kind: "open" }>): Promise<GeneratedSpace> {
  const ref = decode(generatorRefCodec, request.ref);
  const shape = chunkShape(request.extents);
  if (request.module === undefined) return DEFAULT_GENERATORS.open(ref, shape);
  return (await loadGenerators(request.module, ref.generatorId)).open(ref, shape);
}

/** Returns all versions of a generator that a module exports. Throws `ORT_PLATFORM` if there is none. */
async function loadGenerators(module: string, id: string): Promise<GeneratorRegistry> {
  let exported: Record<string, unknown>;
  try {
    exported = (await import(/* @vite-ignore */ module)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OrthantError("ORT_PLATFORM", `a worker cannot load ${module}: ${reason}`);
  }
  const found = new Set<WorldGenerator>();
  for (const value of Object.values(exported)) {
    for (const candidate of [
      value,
      (value as Partial<Record<"generator", unknown>> | undefined)?.generator,
    ]) {
      if (isGenerator(candidate) && candidate.id === id) found.add(candidate);
    }
  }
  if (found.size > 0) return new GeneratorRegistry([...found]);
  throw new OrthantError("ORT_PLATFORM", `${module} exports no generator "${id}"`);
}

function isGenerator(value: unknown): value is WorldGenerator {
  const candidate = value as Partial<WorldGenerator> | null | undefined;
  return typeof candidate === "object" && candidate !== null && typeof candidate.open === "function";
}
