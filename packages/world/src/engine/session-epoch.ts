import { OrthantError } from "@orthant/core";
import type { Epoch } from "@orthant/core/tree";
import type { WorldDescription } from "@orthant/save";
import { DESCRIPTION_EPOCHS_MAX } from "@orthant/save/content";
import type { WorldContent } from "../content/world-content.ts";
import type { WorldSaver } from "../saving/world-saver.ts";

/** Opens the epoch of one session of a world and knows the epochs of earlier sessions. */
export class SessionEpoch {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #random: () => bigint;
  readonly #number: number | undefined;
  #opening: Promise<Epoch> | undefined;
  #current: Epoch | undefined;

  /** `number` is the epoch's number, by default the one after the last. */
  constructor(content: WorldContent, saver: WorldSaver, random: () => bigint, number?: number) {
    this.#number = number;
    this.#content = content;
    this.#saver = saver;
    this.#random = random;
  }

  /** The epoch, once it is open. */
  get current(): Epoch | undefined {
    return this.#current;
  }

  /** Makes a new epoch durable before returning it. Later calls return the same epoch. */
  open(): Promise<Epoch> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  /** Whether the epoch belongs to this world, with exactly this id. */
  knowsEpoch({ number, id }: Epoch): boolean {
    const { epochs } = this.#content.global.description;
    return epochs.some((known) => known.number === number && known.id === id);
  }

  async #begin(): Promise<Epoch> {
    const { description } = this.#content.global;
    const epoch = { number: this.#number ?? description.clockEpoch + 1, id: this.#random() };
    if (epoch.number <= description.clockEpoch)
      throw new OrthantError("ORT_CLOCK", `epoch ${epoch.number} behind ${description.clockEpoch}`);
    this.#content.describe({
      ...withId(description, this.#random),
      clockEpoch: epoch.number,
      epochs: [...description.epochs, epoch].slice(-DESCRIPTION_EPOCHS_MAX),
    });
    try {
      await this.#saver.save("what is due");
    } catch (error) {
      // A number from outside is durable there, and no other session uses it.
      if (this.#number === undefined || this.#saver.saveFailure === undefined) throw error;
    }
    this.#current = epoch;
    return epoch;
  }
}

/** Returns an id for a new world. */
export function newWorldId(random: () => bigint): bigint {
  // 0 means "no id".
  return random() || 1n;
}

/** Worlds created before ids existed have none. */
function withId(description: WorldDescription, random: () => bigint): WorldDescription {
  return description.worldId === 0n ? { ...description, worldId: newWorldId(random) } : description;
}
