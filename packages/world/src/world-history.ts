import { type Box, requireInteger } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { EditRequest } from "./edit-request.ts";
import {
  generationAt,
  listKept,
  type Moment,
  restoreRequest,
  type WorldGeneration,
  withName,
  withoutName,
} from "./kept-generations.ts";
import type { WorldContent } from "./world-content.ts";

/** What a history needs of its world. */
interface Writer {
  requireWritable(): void;
  save(): Promise<number>;
  /** Runs `work` while no save runs, so that no generation is let go that it looks at. */
  exclusively<Result>(work: (commit: () => Promise<number>) => Promise<Result>): Promise<Result>;
}

/** The saved states of a world that are kept, and their names. */
export class WorldHistory {
  readonly #disk: Disk;
  readonly #content: WorldContent;
  readonly #writer: Writer;

  /** Others use `World.history`. */
  constructor(disk: Disk, content: WorldContent, writer: Writer) {
    this.#disk = disk;
    this.#content = content;
    this.#writer = writer;
  }

  /** Every saved state that can be opened, oldest first. */
  generations(): Promise<readonly WorldGeneration[]> {
    return listKept(this.#disk, this.#content.global.description);
  }

  /** The generation that a moment means; `ORT_NOT_FOUND` when none that is kept does. */
  generationAt(moment: Moment): Promise<number> {
    return generationAt(this.#disk, moment, this.#content.global.description);
  }

  /**
   * Gives a saved state a name, under which it is kept until the name is taken away: the one that is given, or a new
   * one of now. Gives its number once that is durable. A name that another generation has goes over to this one.
   */
  async tag(name: string, generation?: number): Promise<number> {
    this.#writer.requireWritable();
    withName(this.#content.global.description, 0, name);
    if (generation !== undefined) requireInteger(generation, 0, Number.MAX_SAFE_INTEGER);
    return this.#writer.exclusively(async (commit) => {
      const chosen = generation ?? (await commit());
      await this.generationAt(chosen);
      this.#content.describe(withName(this.#content.global.description, chosen, name));
      await commit();
      return chosen;
    });
  }

  /** Takes a name away; from then on its generation is kept as long as any other. */
  async untag(name: string): Promise<void> {
    this.#writer.requireWritable();
    this.#content.describe(withoutName(this.#content.global.description, name));
    await this.#writer.save();
  }

  /** The edit that makes a box of chunks what it was. */
  async restoreRequest(box: Box, from: Moment): Promise<EditRequest> {
    return restoreRequest(this.#disk, box, await this.generationAt(from));
  }
}
