import { type Codec, decode, encode } from "@orthant/core/bytes";
import type { WorldDescription } from "@orthant/save";

/** Key of the attachment that holds the number of the last step. */
const KEY = "orthant.step";

const stepCodec: Codec<number> = {
  write: (out, step) => out.varUint(step),
  read: (input) => input.varUint(),
};

/** Returns the last step of a world's simulation; 0 if it never had one. */
export function lastStepOf({ attachments }: WorldDescription): number {
  const value = attachments.find(({ key }) => key === KEY)?.value;
  return value === undefined ? 0 : decode(stepCodec, value);
}

/** Returns the description with the number of the last step. */
export function withStep(description: WorldDescription, step: number): WorldDescription {
  const others = description.attachments.filter(({ key }) => key !== KEY);
  const attachments = [...others, { key: KEY, value: encode(stepCodec, step) }];
  return { ...description, attachments: attachments.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}
