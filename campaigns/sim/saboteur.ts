import { decode, encode } from "@orthant/core";
import {
  type ClientFrame,
  clientFrameCodec,
  type ServerFrame,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol";
import type { Prng } from "@orthant/testkit";

const THEFT_CHANCE = 0.05;

/**
 * Sits on a connection, takes patches out of the stream and counts the rest anew, so that nobody misses them. What
 * then saves the client is that every patch names the clocks that it builds on.
 */
export class Saboteur {
  readonly #prng: Prng;
  readonly #volume: number;
  /** Numbers of the items that were taken out, ascending. */
  readonly #stolen: number[] = [];
  #newest = 0;
  /** From now on everything passes; what is missing stays missing. */
  isHonest = false;

  constructor(prng: Prng, volume: number) {
    this.#prng = prng;
    this.#volume = volume;
  }

  /** A frame of the server as the client gets it. */
  toClient(frame: Uint8Array): Uint8Array {
    const codec = serverFrameCodec(this.#volume);
    const { number, messages } = decode(codec, frame);
    const passed: ServerFrame = { number, messages: messages.flatMap((message) => this.#pass(message)) };
    return encode(codec, passed);
  }

  /** A frame of the client as the server gets it. */
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
        if (this.#steals(patch.patchSeq, isChange)) return [];
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

  #steals(number: number, mayBeStolen: boolean): boolean {
    if (this.#stolen.includes(number)) return true;
    // What was let through once may come again, and has to be let through again.
    const isFirst = number > this.#newest;
    this.#newest = Math.max(this.#newest, number);
    if (this.isHonest || !isFirst || !mayBeStolen || !this.#prng.chance(THEFT_CHANCE)) return false;
    this.#stolen.push(number);
    return true;
  }

  /** The number of an item as the client counts. */
  #counted(number: number): number {
    return number - this.#stolen.filter((stolen) => stolen < number).length;
  }

  /** The number of an item as the server counts. */
  #original(counted: number): number {
    let number = counted;
    for (const stolen of this.#stolen) if (stolen <= number) number++;
    return number;
  }
}
