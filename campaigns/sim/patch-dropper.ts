import { decode, encode } from "@orthant/core/bytes";
import {
  type ClientFrame,
  clientFrameCodec,
  type ServerFrame,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import type { Prng } from "@orthant/testkit";

const DROP_CHANCE = 0.05;

/**
 * Removes patches from the stream of a connection and renumbers the rest to hide the gap. The client must
 * notice by the base clocks that every patch names.
 */
export class PatchDropper {
  readonly #prng: Prng;
  readonly #volume: number;
  /** Numbers of the removed items, ascending. */
  readonly #dropped: number[] = [];
  #newest = 0;
  /** When true, nothing more is removed; earlier gaps remain. */
  isStopped = false;

  constructor(prng: Prng, volume: number) {
    this.#prng = prng;
    this.#volume = volume;
  }

  /** Returns a server frame as the client receives it. */
  toClient(frame: Uint8Array): Uint8Array {
    const codec = serverFrameCodec(this.#volume);
    const { number, messages } = decode(codec, frame);
    const passed: ServerFrame = { number, messages: messages.flatMap((message) => this.#pass(message)) };
    return encode(codec, passed);
  }

  /** Returns a client frame as the server receives it. */
  toServer(frame: Uint8Array): Uint8Array {
    const { acknowledged, applied, messages } = decode(clientFrameCodec, frame);
    const passed: ClientFrame = {
      acknowledged,
      applied: this.#original(applied + 1) - 1,
      messages: messages.map((message) =>
        message.kind === "resync" ? { ...message, expected: this.#original(message.expected) } : message,
      ),
    };
    return encode(clientFrameCodec, passed);
  }

  #pass(message: ServerMessage): readonly ServerMessage[] {
    switch (message.kind) {
      case "patch": {
        const { patch } = message;
        const isChange = patch.changes.every(
          ({ base, next }) => typeof base === "number" && next !== undefined,
        );
        if (this.#drops(patch.patchSeq, isChange)) return [];
        return [{ ...message, patch: { ...patch, patchSeq: this.#counted(patch.patchSeq) } }];
      }
      case "blank":
      case "forget":
      case "reset":
        if (message.kind !== "reset") this.#newest = Math.max(this.#newest, message.streamNumber);
        return [{ ...message, streamNumber: this.#counted(message.streamNumber) }];
      case "heartbeat":
        return [{ ...message, sent: this.#counted(message.sent + 1) - 1 }];
      default:
        return [message];
    }
  }

  #drops(number: number, mayDrop: boolean): boolean {
    if (this.#dropped.includes(number)) return true;
    // An item that passed once may be sent again, and must pass again.
    const isFirst = number > this.#newest;
    this.#newest = Math.max(this.#newest, number);
    if (this.isStopped || !isFirst || !mayDrop || !this.#prng.chance(DROP_CHANCE)) return false;
    this.#dropped.push(number);
    return true;
  }

  /** Returns an item's number as the client counts. */
  #counted(number: number): number {
    return number - this.#dropped.filter((dropped) => dropped < number).length;
  }

  /** Returns an item's number as the server counts. */
  #original(counted: number): number {
    let number = counted;
    for (const dropped of this.#dropped) if (dropped <= number) number++;
    return number;
  }
}
