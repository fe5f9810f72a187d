import { encode, list } from "@orthant/core";
import { generatorsCodec } from "../codec/generator-descriptor.ts";
import type { Save } from "../read/save.ts";

/** A fact of a world that differs between two saves, as text. */
export interface FactDifference {
  readonly fact: "chunk shape" | "base" | "seed" | "generators" | "name" | "spawn" | "blocks" | "attachments";
  readonly before: string;
  readonly after: string;
}

/** Returns the facts in which two saves differ. */
export function compareFacts(before: Save, after: Save): readonly FactDifference[] {
  const theirs = factsOf(after);
  return factsOf(before).flatMap(({ fact, text, exact }, index) => {
    const other = theirs[index];
    if (other === undefined || exact === other.exact) return [];
    return [{ fact, before: text, after: other.text }];
  });
}

interface Fact {
  readonly fact: FactDifference["fact"];
  /** Text for people. */
  readonly text: string;
  /** Equal if and only if the fact is equal. */
  readonly exact: string;
}

function factsOf({ global }: Save): readonly Fact[] {
  const { base, worldSeed, generators, description } = global;
  const baseText = base.kind === "flatFloor" ? `flatFloor of block ${base.block}` : base.kind;
  const generatorText = generators.map(({ generatorId, seed }) => `${generatorId}, seed ${seed}`).join("; ");
  return [
    plain("chunk shape", description.chunkShape.extents.join(" x ")),
    plain("base", baseText),
    plain("seed", String(worldSeed)),
    bytes("generators", generatorText, encode(generatorsCodec, generators)),
    plain("name", JSON.stringify(description.name)),
    plain("spawn", `[${description.spawn.join(", ")}]`),
    bytes("blocks", `${description.blocks.length} bytes`, description.blocks),
    bytes(
      "attachments",
      `${description.attachments.length}`,
      encode(attachmentsCodec, description.attachments),
    ),
  ];
}

const attachmentsCodec = list<Save["global"]["description"]["attachments"][number]>(
  {
    write(out, { key, value }) {
      out.string(key);
      out.bytes(value);
    },
    read: (input) => ({ key: input.string(), value: input.bytes() }),
  },
  Number.MAX_SAFE_INTEGER,
);

function plain(fact: Fact["fact"], text: string): Fact {
  return { fact, text, exact: text };
}

function bytes(fact: Fact["fact"], text: string, content: Uint8Array): Fact {
  return { fact, text, exact: content.join() };
}
