import { OrthantError } from "@orthant/core";
import { type Era, LINEAGE_MAX, type WorldDescription } from "@orthant/save";
import type { WorldContent } from "./world-content.ts";
import type { WorldSaver } from "./world-saver.ts";

/** Opens the era of one session of a world and knows the eras of earlier sessions. */
export class EraKeeper {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #random: () => bigint;
  readonly #epoch: number | undefined;
  #opening: Promise<Era> | undefined;

  /** Issues clocks of `epoch`, by default the one after the last. */
  constructor(content: WorldContent, saver: WorldSaver, random: () => bigint, epoch?: number) {
    this.#epoch = epoch;
    this.#content = content;
    this.#saver = saver;
    this.#random = random;
  }

  /** Makes a new era durable before returning it. Later calls return the same era. */
  open(): Promise<Era> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  /** Whether `era` belongs to this world, with exactly this mark. */
  remembers({ epoch, mark }: Era): boolean {
    const { lineage } = this.#content.global.description;
    return lineage.some((known) => known.epoch === epoch && known.mark === mark);
  }

  async #begin(): Promise<Era> {
    const { description } = this.#content.global;
    const era = { epoch: this.#epoch ?? description.clockEpoch + 1, mark: this.#random() };
    if (era.epoch <= description.clockEpoch)
      throw new OrthantError("ORT_CLOCK", `epoch ${era.epoch} behind ${description.clockEpoch}`);
    this.#content.describe({
      ...withId(description, this.#random),
      clockEpoch: era.epoch,
      lineage: [...description.lineage, era].slice(-LINEAGE_MAX),
    });
    await this.#saver.save("what is due");
    return era;
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
