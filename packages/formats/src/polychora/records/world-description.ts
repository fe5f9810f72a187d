import {
  AXES,
  type ByteReader,
  CHUNK_VOXELS_MAX,
  type ChunkShape,
  type Codec,
  chunkShape,
  HYPERCUBE_CHUNKS,
  list,
  OrthantError,
} from "@orthant/core";
import type { Vector } from "./vector.ts";

/** What a world says about itself, so that it can be opened without asking anybody. Rule S17. */
export interface WorldDescription {
  readonly chunkShape: ChunkShape;
  readonly name: string;
  /** Where new players begin, in voxels. */
  readonly spawn: Vector;
  /** Rises each time the world is opened for writing; region clocks begin with it. */
  readonly clockEpoch: number;
  /** The material catalog as its own codec writes it; empty when there is none. */
  readonly materials: Uint8Array;
  /** Generations that are kept although they are old, in the order of their numbers. */
  readonly namedGenerations: readonly NamedGeneration[];
  /** What a program keeps here for itself, in the order of the keys. */
  readonly attachments: readonly Attachment[];
}

/** A generation that somebody gave a name. */
export interface NamedGeneration {
  readonly generation: number;
  readonly name: string;
}

/** Bytes under a key. */
export interface Attachment {
  readonly key: string;
  readonly value: Uint8Array;
}

const DESCRIPTION_VERSION = 1;
const NAME_BYTES_MAX = 4_096;
const NAMED_GENERATIONS_MAX = 65_536;
const ATTACHMENTS_MAX = 65_536;

/** A description that says nothing but the shape of the chunks. */
export function plainDescription(shape: ChunkShape = HYPERCUBE_CHUNKS): WorldDescription {
  return {
    chunkShape: shape,
    name: "",
    spawn: [0, 0, 0, 0],
    clockEpoch: 0,
    materials: new Uint8Array(0),
    namedGenerations: [],
    attachments: [],
  };
}

const namedGenerationCodec: Codec<NamedGeneration> = {
  write(out, { generation, name }) {
    out.varUint(generation);
    out.string(name, NAME_BYTES_MAX);
  },
  read: (input) => ({ generation: input.varUint(), name: input.string(NAME_BYTES_MAX) }),
};

const attachmentCodec: Codec<Attachment> = {
  write(out, { key, value }) {
    out.string(key, NAME_BYTES_MAX);
    out.bytes(value);
  },
  read: (input) => ({ key: input.string(NAME_BYTES_MAX), value: input.bytes() }),
};

const namedGenerationsCodec = list(namedGenerationCodec, NAMED_GENERATIONS_MAX);
const attachmentsCodec = list(attachmentCodec, ATTACHMENTS_MAX);

/** What `custom_global_payload` holds. */
export const worldDescriptionCodec: Codec<WorldDescription> = {
  write(out, description) {
    const disorder = findDisorder(description);
    if (disorder !== undefined) throw new OrthantError("ORT_ARGUMENT", disorder);
    out.varUint(DESCRIPTION_VERSION);
    for (const axis of AXES) out.varU32(description.chunkShape.extents[axis]);
    out.string(description.name, NAME_BYTES_MAX);
    for (const axis of AXES) out.f64(description.spawn[axis]);
    out.varUint(description.clockEpoch);
    out.bytes(description.materials);
    namedGenerationsCodec.write(out, description.namedGenerations);
    attachmentsCodec.write(out, description.attachments);
  },

  read(input) {
    const version = input.varUint();
    if (version !== DESCRIPTION_VERSION) {
      throw input.fail("ORT_VERSION", `description version ${version}, known is ${DESCRIPTION_VERSION}`);
    }
    const description: WorldDescription = {
      chunkShape: readChunkShape(input),
      name: input.string(NAME_BYTES_MAX),
      spawn: [input.f64(), input.f64(), input.f64(), input.f64()],
      clockEpoch: input.varUint(),
      materials: input.bytes(),
      namedGenerations: namedGenerationsCodec.read(input),
      attachments: attachmentsCodec.read(input),
    };
    const disorder = findDisorder(description);
    if (disorder !== undefined) throw input.fail("ORT_BLOB", disorder);
    return description;
  },
};

function readChunkShape(input: ByteReader): ChunkShape {
  const extents = [input.varU32(), input.varU32(), input.varU32(), input.varU32()] as const;
  const volume = extents.reduce((product, extent) => product * extent, 1);
  if (volume < 1 || volume > CHUNK_VOXELS_MAX) {
    throw input.fail("ORT_CHUNK_VOLUME", `chunks of [${extents}] have ${volume} voxels`);
  }
  return chunkShape(extents);
}

function findDisorder({ namedGenerations, attachments }: WorldDescription): string | undefined {
  if (!ascends(namedGenerations.map(({ generation }) => generation))) return "named generations out of order";
  return ascends(attachments.map(({ key }) => key)) ? undefined : "attachments out of order";
}

function ascends(values: readonly (number | string)[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] as number | string) < value);
}
