import { OrthantError } from "@orthant/core";
import { type Era, LINEAGE_MAX, type WorldDescription } from "@orthant/formats";
import type { WorldContent } from "./world-content.ts";
import type { WorldSaver } from "./world-saver.ts";

/** Begins the era of one opening of a world, and knows those of earlier ones. */
export class EraKeeper {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #random: () => bigint;
  readonly #epoch: number | undefined;
  #opening: Promise<Era> | undefined;

  /** Issues clocks of a given epoch, or else of the one after the last. */
  constructor(content: WorldContent, saver: WorldSaver, random: () => bigint, epoch?: number) {
    this.#epoch = epoch;
    this.#content = content;
    this.#saver = saver;
    this.#random = random;
  }

  /** Makes a new era durable before anybody hears of it; gives the same one from then on. */
  open(): Promise<Era> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  /** Whether an era is one of this world's, with exactly this mark. */
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

/** An id for a new world. */
export function newWorldId(random: () => bigint): bigint {
  // 0 stands for none.
  return random() || 1n;
}

/** Worlds that were made before there were ids have none. */
function withId(description: WorldDescription, random: () => bigint): WorldDescription {
  return description.worldId === 0n ? { ...description, worldId: newWorldId(random) } : description;
}
