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

/** What a history needs from its world. */
interface Writer {
  requireWritable(): void;
  save(): Promise<number>;
  /** Runs `work` while no save runs, so that no generation it looks at is removed. */
  exclusively<Result>(work: (commit: () => Promise<number>) => Promise<Result>): Promise<Result>;
}

/** The kept saved states of a world and their names. */
export class WorldHistory {
  readonly #disk: Disk;
  readonly #content: WorldContent;
  readonly #writer: Writer;

  /** Internal; use `World.history`. */
  constructor(disk: Disk, content: WorldContent, writer: Writer) {
    this.#disk = disk;
    this.#content = content;
    this.#writer = writer;
  }

  /** Lists all saved states that can be opened, oldest first. */
  generations(): Promise<readonly WorldGeneration[]> {
    return listKept(this.#disk, this.#content.global.description);
  }

  /** Returns the generation at `moment`. Throws `ORT_NOT_FOUND` when no kept generation matches. */
  generationAt(moment: Moment): Promise<number> {
    return generationAt(this.#disk, moment, this.#content.global.description);
  }

  /**
   * Names a saved state, which is then kept until the name is removed. Without `generation`, saves and names
   * the new state. Returns the generation's number once the name is durable. A name that another generation
   * has moves to this one.
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

  /** Removes a name. Its generation is then subject to normal retention. */
  async untag(name: string): Promise<void> {
    this.#writer.requireWritable();
    this.#content.describe(withoutName(this.#content.global.description, name));
    await this.#writer.save();
  }

  /** Returns an edit that restores a box of chunks to an earlier state. */
  async restoreRequest(box: Box, from: Moment): Promise<EditRequest> {
    return restoreRequest(this.#disk, box, await this.generationAt(from));
  }
}
