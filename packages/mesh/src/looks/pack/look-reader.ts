import type { BlockProperties } from "@orthant/core";
import type { DrawPass, ModelQuad } from "../block-looks.ts";
import { MODELS, type Model, turnedBy } from "../models/models.ts";
import { boxQuads, type Faces, type ModelPoint } from "../models/quads.ts";
import type { JsonNode } from "./json-node.ts";
import type { LookProblems } from "./look-problems.ts";
import {
  type FaceName,
  facesOf,
  type LookChange,
  type LookSpec,
  type TextureSpec,
  type TypeSpec,
} from "./look-spec.ts";
import { fieldsIn, readColour, readFlag, requireFields, type TextureReader } from "./texture-reader.ts";

const FACE_NAMES: readonly FaceName[] = [
  ...(["texture", "top", "bottom", "side", "end", "front", "back", "left", "right"] as const),
];
const LOOK_FIELDS = ["model", ...FACE_NAMES, "tint", "pass", "glow", "liquid", "joins", "far"];
const BOX_FIELDS = ["from", "to", ...FACE_NAMES, "tint"];
const PASSES: readonly DrawPass[] = ["opaque", "cutout", "blended"];
const BOXES_MAX = 64;
/** A box may reach this far, in sixteenths: one voxel beyond the block's own. */
const REACH = { min: -16, max: 32 } as const;
const NO_MODEL = "none";
const CONDITION = /^([a-z][a-z0-9_-]*)=([^,=]+)$/i;

/** Reads how types of blocks are drawn. */
export class LookReader {
  readonly #textures: TextureReader;
  readonly #problems: LookProblems;
  readonly #models = new Map<string, Model>(Object.entries(MODELS));

  constructor(textures: TextureReader, problems: LookProblems) {
    this.#textures = textures;
    this.#problems = problems;
  }

  /** Reads the models of a pack. */
  readModels(node: JsonNode): void {
    for (const [name, boxes] of fieldsIn(node, this.#problems) ?? []) {
      const model = this.#boxModel(boxes);
      if (model !== undefined) this.#models.set(name, model);
    }
  }

  /** Reads the look of a type: a texture, or an object that says more. */
  readType(node: JsonNode): TypeSpec | undefined {
    const fields = node.value instanceof Map ? node.value : undefined;
    const base = this.#look(node, fields === undefined ? [] : ["when"]);
    if (base === undefined) return undefined;
    if (base.textures.size === 0 && base.model !== NO_MODEL && this.#problems.found.length === 0)
      this.#problems.add(node, 'it has no texture; add "texture", or "top" and "side"');
    const when = fields?.get("when");
    return { base, changes: when === undefined ? [] : this.#changes(when) };
  }

  #changes(node: JsonNode): LookChange[] {
    const changes: LookChange[] = [];
    for (const [condition, look] of fieldsIn(node, this.#problems) ?? []) {
      const values = this.#condition(condition, look);
      const spec = this.#look(look, []);
      if (values !== undefined && spec !== undefined) changes.push({ values, spec });
    }
    return changes;
  }

  /** Reads `half=upper,open=true|yes`. */
  #condition(condition: string, node: JsonNode): ReadonlyMap<string, ReadonlySet<string>> | undefined {
    const values = new Map<string, ReadonlySet<string>>();
    for (const part of condition.split(",")) {
      const [, name, wanted] = CONDITION.exec(part.trim()) ?? [];
      if (name === undefined || wanted === undefined)
        return this.#problems.add(
          node,
          `the condition "${condition}" is not of the form "half=upper,open=true"`,
        );
      values.set(name, new Set(wanted.split("|")));
    }
    return values;
  }

  #look(node: JsonNode, otherFields: readonly string[]): LookSpec | undefined {
    if (!(node.value instanceof Map)) {
      const texture = this.#textures.read(node);
      return texture && { textures: new Map([["texture", texture]]) };
    }
    const fields = node.value as ReadonlyMap<string, JsonNode>;
    requireFields(fields, [...LOOK_FIELDS, ...otherFields], this.#problems);
    const model = this.#model(fields.get("model"));
    const tint = readColour(fields.get("tint"), this.#problems);
    const pass = this.#pass(fields.get("pass"));
    const [glow, liquid, joins] = (["glow", "liquid", "joins"] as const).map((name) =>
      readFlag(fields.get(name), this.#problems),
    );
    const far = readColour(fields.get("far"), this.#problems);
    return {
      textures: this.#faces(fields),
      ...(model !== undefined && { model }),
      ...(tint !== undefined && { tint }),
      ...(pass !== undefined && { pass }),
      ...(glow !== undefined && { glow }),
      ...(liquid !== undefined && { liquid }),
      ...(joins !== undefined && { joins }),
      ...(far !== undefined && { far }),
    };
  }

  #faces(fields: ReadonlyMap<string, JsonNode>): ReadonlyMap<FaceName, TextureSpec> {
    const textures = new Map<FaceName, TextureSpec>();
    for (const name of FACE_NAMES) {
      const node = fields.get(name);
      const texture = node && this.#textures.read(node);
      if (texture !== undefined) textures.set(name, texture);
    }
    return textures;
  }

  #pass(node: JsonNode | undefined): DrawPass | undefined {
    if (node === undefined) return undefined;
    const { value } = node;
    if (typeof value !== "string") return this.#problems.add(node, `it is one of ${PASSES.join(", ")}`);
    return PASSES.find((known) => known === value) ?? this.#problems.addUnknown(node, "pass", value, PASSES);
  }

  #model(node: JsonNode | undefined): Model | "none" | undefined {
    if (node === undefined) return undefined;
    const { value } = node;
    if (Array.isArray(value)) return this.#boxModel(node);
    if (value === NO_MODEL) return NO_MODEL;
    if (typeof value !== "string")
      return this.#problems.add(node, "it is the name of a model, or a list of boxes");
    const known = [...this.#models.keys(), NO_MODEL];
    return this.#models.get(value) ?? this.#problems.addUnknown(node, "model", value, known);
  }

  #boxModel(node: JsonNode): Model | undefined {
    if (!Array.isArray(node.value) || node.value.length === 0 || node.value.length > BOXES_MAX)
      return this.#problems.add(node, `it is a list of 1 to ${BOXES_MAX} boxes`);
    const boxes = (node.value as readonly JsonNode[]).map((box) => this.#box(box));
    return (faces: Faces, properties: BlockProperties): readonly ModelQuad[] =>
      turnedBy(
        boxes.flatMap((box) => box?.(faces) ?? []),
        properties,
      );
  }

  #box(node: JsonNode): ((faces: Faces) => readonly ModelQuad[]) | undefined {
    const fields = fieldsIn(node, this.#problems);
    if (fields === undefined) return undefined;
    requireFields(fields, BOX_FIELDS, this.#problems);
    const [from, to] = [this.#point(fields.get("from"), node), this.#point(fields.get("to"), node)];
    if (from === undefined || to === undefined) return undefined;
    if (from.some((part, axis) => part > to[axis as 0]))
      return this.#problems.add(node, '"from" is the lowest corner of the box and "to" the highest');
    const textures = this.#faces(fields);
    const tint = readColour(fields.get("tint"), this.#problems);
    const own = facesOf({ textures, ...(tint !== undefined && { tint }) });
    return (faces) =>
      boxQuads(
        faces.map((face, side) => own[side] ?? face),
        from,
        to,
      );
  }

  #point(node: JsonNode | undefined, box: JsonNode): ModelPoint | undefined {
    const parts = Array.isArray(node?.value)
      ? (node.value as readonly JsonNode[]).map(({ value }) => value)
      : [];
    const isPoint = parts.length === 3 && parts.every(isWithinReach);
    if (isPoint) return parts as readonly unknown[] as ModelPoint;
    const rule = `"from" and "to" are [x, y, z] in sixteenths of a block, each from ${REACH.min} to ${REACH.max}`;
    return this.#problems.add(node ?? box, rule);
  }
}

function isWithinReach(part: unknown): boolean {
  return typeof part === "number" && part >= REACH.min && part <= REACH.max;
}
