import type { FindingLog } from "../part/finding-log.ts";
import type { Triple } from "../part/voxel-part.ts";
import type { VoxNode } from "./vox-node.ts";

/** Rows of a rotation: each has one 1 or -1, so that axes change places and signs; mirrored ones exist. */
export type VoxRotation = readonly [Triple, Triple, Triple];

/** A model at a place in a scene. */
export interface VoxInstance {
  /** Place in the file's list of models. */
  readonly model: number;
  readonly rotation: VoxRotation;
  readonly translation: Triple;
  /** Number of its layer; `undefined` in a file without a scene. */
  readonly layer: number | undefined;
  readonly name: string | undefined;
  /** Whether it, or a group around it, is hidden; its layer may be hidden, too. */
  readonly isHidden: boolean;
}

/** Maximum number of nodes that a walk over a scene visits: groups may share nodes, and so grow without bound. */
export const VOX_VISITS_MAX = 262_144;
const DEPTH_MAX = 256;
const IDENTITY: VoxRotation = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
/** Far from every scene; sums of a deep one stay exact. */
const TRANSLATION_MAX = 2 ** 31;

/** Thrown to end a walk; the finding is in the log. */
class SceneRefused extends Error {}

/** Lists the models of a scene at a frame. `undefined`, with a finding, if the scene has cycles or no end. */
export function walkVoxScene(
  nodes: ReadonlyMap<number, VoxNode>,
  modelCount: number,
  frame: number,
  findings: FindingLog,
): readonly VoxInstance[] | undefined {
  const walk = new SceneWalk(nodes, modelCount, frame, findings);
  try {
    walk.visit(rootOf(nodes), { rotation: IDENTITY, translation: [0, 0, 0], isHidden: false });
    return walk.instances;
  } catch (error) {
    if (error instanceof SceneRefused) return undefined;
    throw error;
  }
}

/** The root is number 0 in files of MagicaVoxel; else it is the first node that is not a child. */
function rootOf(nodes: ReadonlyMap<number, VoxNode>): number {
  if (nodes.has(0)) return 0;
  const children = new Set<number>();
  for (const node of nodes.values()) {
    if (node.kind === "transform") children.add(node.child);
    if (node.kind === "group") for (const child of node.children) children.add(child);
  }
  for (const id of nodes.keys()) if (!children.has(id)) return id;
  return [...nodes.keys()][0] ?? 0;
}

interface Placed {
  readonly rotation: VoxRotation;
  readonly translation: Triple;
  readonly isHidden: boolean;
  readonly layer?: number;
  readonly name?: string | undefined;
}

type LocalPlace = Pick<Placed, "rotation" | "translation">;

class SceneWalk {
  readonly #nodes: ReadonlyMap<number, VoxNode>;
  readonly #modelCount: number;
  readonly #frame: number;
  readonly #findings: FindingLog;
  readonly #path = new Set<number>();
  readonly #localPlaces = new Map<number, LocalPlace>();
  readonly #modelByShape = new Map<number, number>();
  #visits = 0;
  readonly instances: VoxInstance[] = [];

  constructor(nodes: ReadonlyMap<number, VoxNode>, modelCount: number, frame: number, findings: FindingLog) {
    this.#nodes = nodes;
    this.#modelCount = modelCount;
    this.#frame = frame;
    this.#findings = findings;
  }

  visit(id: number, placed: Placed): void {
    const node = this.#nodes.get(id);
    if (node === undefined) {
      this.#findings.damage("ORT_FOREIGN", `node ${id} of the scene is not there`);
      return;
    }
    if (this.#path.has(id)) throw this.#refused(`node ${id} of the scene contains itself`);
    if (this.#path.size >= DEPTH_MAX) throw this.#refused(`the scene is nested deeper than ${DEPTH_MAX}`);
    if (++this.#visits > VOX_VISITS_MAX)
      throw this.#refused(`the scene has more than ${VOX_VISITS_MAX} nodes`);
    this.#path.add(id);
    if (node.kind === "transform") this.#transform(id, node, placed);
    else if (node.kind === "group") for (const child of node.children) this.visit(child, placed);
    else this.#shape(id, node.models, placed);
    this.#path.delete(id);
  }

  #transform(id: number, node: VoxNode & { kind: "transform" }, outer: Placed): void {
    const { rotation, translation } = this.#localPlace(id, node);
    const moved = rotate(outer.rotation, translation);
    this.visit(node.child, {
      rotation: compose(outer.rotation, rotation),
      translation: [
        moved[0] + outer.translation[0],
        moved[1] + outer.translation[1],
        moved[2] + outer.translation[2],
      ],
      isHidden: outer.isHidden || node.isHidden,
      layer: node.layer,
      name: node.name,
    });
  }

  /** Groups may share a node with many key frames or long texts: it is read once. */
  #localPlace(id: number, node: VoxNode & { kind: "transform" }): LocalPlace {
    const known = this.#localPlaces.get(id);
    if (known !== undefined) return known;
    const key = keyAt(node.frames, this.#frame);
    const rotation = key?.rotation === undefined ? IDENTITY : parseRotation(key.rotation);
    const translation =
      key?.translation === undefined ? ([0, 0, 0] as const) : parseTranslation(key.translation);
    if (rotation === undefined) this.#unreadable(id, "rotation", key?.rotation);
    if (translation === undefined) this.#unreadable(id, "translation", key?.translation);
    const place = { rotation: rotation ?? IDENTITY, translation: translation ?? ([0, 0, 0] as const) };
    this.#localPlaces.set(id, place);
    return place;
  }

  #shape(
    id: number,
    models: (VoxNode & { kind: "shape" })["models"],
    { rotation, translation, isHidden, layer, name }: Placed,
  ): void {
    let model = this.#modelByShape.get(id);
    if (model === undefined) model = keyAt(models, this.#frame)?.model;
    if (model === undefined) return;
    this.#modelByShape.set(id, model);
    if (model < 0 || model >= this.#modelCount) {
      this.#findings.damage("ORT_FOREIGN", `shape ${id} shows model ${model} of ${this.#modelCount}`);
      return;
    }
    this.instances.push({ model, rotation, translation, layer, name, isHidden });
  }

  #unreadable(id: number, what: string, text: string | undefined): void {
    const shown = JSON.stringify(text?.slice(0, 40));
    this.#findings.damage(
      "ORT_FOREIGN",
      `node ${id} of the scene has the ${what} ${shown}; it is left as it is`,
    );
  }

  #refused(detail: string): SceneRefused {
    this.#findings.damage("ORT_FOREIGN", `${detail}: every model stays at its own place`);
    return new SceneRefused(detail);
  }
}

/** Returns the last key frame at or before a frame; before all of them, the first. Nothing is interpolated. */
function keyAt<Key extends { readonly frame: number }>(keys: readonly Key[], frame: number): Key | undefined {
  let best: Key | undefined;
  let first: Key | undefined;
  for (const key of keys) {
    if (first === undefined || key.frame < first.frame) first = key;
    if (key.frame <= frame && (best === undefined || key.frame >= best.frame)) best = key;
  }
  return best ?? first;
}

function parseTranslation(text: string): Triple | undefined {
  const numbers = text.trim().split(/\s+/).map(Number);
  const isUsable = numbers.every((number) => Number.isInteger(number) && Math.abs(number) < TRANSLATION_MAX);
  return numbers.length === 3 && isUsable ? (numbers as unknown as Triple) : undefined;
}

/** Bits 0 to 1 and 2 to 3 are the columns of the first two rows, bits 4 to 6 the signs of all three. */
function parseRotation(text: string): VoxRotation | undefined {
  const bits = Number(text);
  if (!Number.isInteger(bits) || bits < 0 || bits > 127) return undefined;
  const first = bits & 3;
  const second = (bits >>> 2) & 3;
  if (first === second || first === 3 || second === 3) return undefined;
  const row = (column: number, sign: number): Triple => {
    const value = ((bits >>> sign) & 1) === 1 ? -1 : 1;
    return [column === 0 ? value : 0, column === 1 ? value : 0, column === 2 ? value : 0];
  };
  return [row(first, 4), row(second, 5), row(3 - first - second, 6)];
}

/** Applies a rotation to a vector. */
export function rotate(rotation: VoxRotation, [x, y, z]: Triple): Triple {
  const [a, b, c] = rotation;
  return [a[0] * x + a[1] * y + a[2] * z, b[0] * x + b[1] * y + b[2] * z, c[0] * x + c[1] * y + c[2] * z];
}

function compose(outer: VoxRotation, inner: VoxRotation): VoxRotation {
  const column = (axis: number): Triple =>
    rotate(outer, [inner[0][axis] as number, inner[1][axis] as number, inner[2][axis] as number]);
  const [x, y, z] = [column(0), column(1), column(2)];
  return [
    [x[0], y[0], z[0]],
    [x[1], y[1], z[1]],
    [x[2], y[2], z[2]],
  ];
}
