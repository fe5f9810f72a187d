import { ByteReader, type Codec, decode } from "@orthant/core/bytes";
import type { ServerFrame, ServerMessage } from "@orthant/protocol/internal";

/** First byte of a patch, which is followed by the number that it has for this client. */
const PATCH_TAG = 3;
/** Frames of some ticks, in which most members of a group get the same bytes. */
const KEPT_MAX = 1_024;

/**
 * Reads frames for many clients of one server, and decodes those that differ only in the numbers at their beginning once for
 * all of them. A client checks those numbers itself, so it still notices a frame or a patch that is missing.
 */
export class SharedFrames {
  readonly #plain = new Map<string, readonly ServerMessage[]>();
  readonly #behindPatch = new Map<string, readonly ServerMessage[]>();

  read(codec: Codec<ServerFrame>, frame: Buffer): ServerFrame {
    const input = new ByteReader(frame);
    const number = input.varUint();
    const beginsWithPatch = frame[input.offset] === PATCH_TAG;
    if (beginsWithPatch) input.skip(1);
    const patchSeq = beginsWithPatch ? input.varUint() : 0;
    const kept = beginsWithPatch ? this.#behindPatch : this.#plain;
    const key = frame.toString("latin1", input.offset);
    const known = kept.get(key);
    if (known !== undefined) return { number, messages: beginsWithPatch ? numbered(known, patchSeq) : known };
    const decoded = decode(codec, frame);
    if (kept.size === KEPT_MAX) kept.clear();
    kept.set(key, decoded.messages);
    return decoded;
  }
}

/** Returns messages with another number of the patch that they begin with. */
function numbered([first, ...rest]: readonly ServerMessage[], patchSeq: number): readonly ServerMessage[] {
  if (first?.kind !== "patch") throw new Error(`a frame begins with ${first?.kind} instead of a patch`);
  return [{ kind: "patch", patch: { ...first.patch, patchSeq } }, ...rest];
}
