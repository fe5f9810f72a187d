import { getOrAdd } from "@orthant/core/lattice";
import {
  MATERIAL_WORDS,
  MaterialTable,
  MODEL_BIT,
  QUAD_WORDS,
  type QuadList,
  TEMPLATE_NUMBERS,
  TemplateTable,
  type VolumeMesh,
} from "@orthant/mesh/volume";
import type { MeshAnswer } from "./mesh-tasks.ts";

/** The numbers here of a worker's materials and templates, by their numbers there. */
interface WorkerNumbers {
  readonly materials: number[];
  readonly templates: number[];
}

/** What the quads of all workers refer to. Each worker numbers what it meets; here everything gets one number. */
export class QuadTables {
  readonly #materials = new MaterialTable();
  readonly #templates = new TemplateTable();
  readonly #workers = new Map<number, WorkerNumbers>();

  /** The materials of all meshes so far, as `mesher.blocks.materials` has them. */
  get materials(): Uint32Array<ArrayBuffer> {
    return this.#materials.words;
  }

  /** The templates of all meshes so far. */
  get templates(): Float32Array<ArrayBuffer> {
    return this.#templates.numbers;
  }

  /** Renumbers the quads of a worker, in place. */
  take(
    { mesh, materials, templates }: Exclude<MeshAnswer, { missing: unknown }>,
    worker: number,
  ): VolumeMesh {
    const numbers = getOrAdd(this.#workers, worker, () => ({ materials: [], templates: [] }));
    for (let at = 0; at < materials.length; at += MATERIAL_WORDS)
      numbers.materials.push(this.#materials.idOfWords(materials[at] as number, materials[at + 1] as number));
    for (let at = 0; at < templates.length; at += TEMPLATE_NUMBERS)
      numbers.templates.push(this.#templates.idOf(templates.subarray(at, at + TEMPLATE_NUMBERS)));
    for (const list of [mesh.opaque, mesh.cutout, mesh.blended]) renumber(list, numbers);
    return mesh;
  }

  /** Forgets the numbers of a worker that has ended. */
  forget(worker: number): void {
    this.#workers.delete(worker);
  }
}

function renumber(quads: QuadList, { materials, templates }: WorkerNumbers): void {
  for (let at = 0; at < quads.length; at += QUAD_WORDS) {
    const look = quads[at + 2] as number;
    quads[at + 2] = (look & ~0xffff) | (materials[look & 0xffff] as number);
    if (((quads[at] as number) & MODEL_BIT) === 0) continue;
    const shape = quads[at + 1] as number;
    quads[at + 1] = (shape & ~0xffff) | (templates[shape & 0xffff] as number);
  }
}
