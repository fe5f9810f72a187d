import { boxAt, type Chunk, OrthantError, type Place, PlaceMap } from "@orthant/core";
import type { JournalEdit, JournalEntry, JournalReader } from "@orthant/formats";
import type { WorldContent } from "../world-content.ts";

/** What is done about a journal that is damaged before its end. */
export type DamagedJournal = "refuse" | "cut";

/** Chunks that are put into the field together: to put them one by one takes many times as long. */
const CHUNKS_AT_ONCE = 4_096;

/** Makes all that a journal says happen again; nothing is written. Rule J14. */
export async function replayJournal(
  journal: JournalReader,
  content: WorldContent,
  { nowMs, damaged }: { readonly nowMs: number; readonly damaged: DamagedJournal },
): Promise<void> {
  const { damage } = journal.found;
  if (damage !== undefined && damaged === "refuse") throw refusalOf(journal, damage);
  const replay = new Replay(content, nowMs);
  for await (const entries of journal.entries(content.field.shape.volume)) {
    for (const entry of entries) await replay.make(entry);
  }
  replay.finish();
}

function refusalOf({ groups }: JournalReader, damage: OrthantError): OrthantError {
  const advice =
    "copy the folder, then open the world with damagedJournal: 'cut', " +
    `which keeps the ${groups} groups of changes before the damage and loses what follows`;
  return new OrthantError(damage.code, `${damage.detail}; ${advice}`, damage.context, { cause: damage });
}

/** Makes entries happen, one after the other. */
export class Replay {
  readonly #content: WorldContent;
  readonly #nowMs: number;
  /** Chunks as they are now that are not in the field yet. */
  #chunks = new PlaceMap<Chunk>();

  constructor(content: WorldContent, nowMs: number) {
    this.#content = content;
    this.#nowMs = nowMs;
  }

  async make(entry: JournalEntry): Promise<void> {
    const content = this.#content;
    switch (entry.kind) {
      case "edit":
        return this.#edit(entry);
      case "entity":
        if (entry.storedAt !== undefined) await content.load(boxAt(entry.storedAt));
        return content.restoreEntity(entry.entity, this.#nowMs);
      case "entityGone":
        if (entry.storedAt !== undefined) await content.load(boxAt(entry.storedAt));
        return content.despawnEntity(entry.entityId);
      case "player":
        content.upsertPlayer(entry.player, entry.player.lastSavedMs);
        return;
      case "description": {
        const { name, spawn } = entry;
        return content.describe({ ...content.global.description, name, spawn });
      }
    }
  }

  /** Puts all chunks into the field. */
  finish(): void {
    const { field } = this.#content.field.setChunks(this.#chunks);
    this.#content.noteEdit(field, { chunks: [...this.#chunks.places()], clocks: [] });
    this.#chunks = new PlaceMap();
  }

  async #edit({ origin, chunks, clocks }: JournalEdit): Promise<void> {
    const content = this.#content;
    for (const change of chunks) {
      const { place } = change;
      const box = boxAt(place);
      if (!content.isLoaded(box)) await content.load(box);
      this.#chunks.set(...place, "chunk" in change ? change.chunk : this.#chunkAt(place).edit(change.edits));
    }
    for (const { region, clock } of clocks) content.issueClock(region, clock);
    if (origin !== undefined) content.noteOrigin({ clientId: origin.clientId, editId: origin.lastEditId });
    if (this.#chunks.size >= CHUNKS_AT_ONCE) this.finish();
  }

  #chunkAt(place: Place): Chunk {
    return this.#chunks.get(...place) ?? this.#content.field.realizeChunk(...place, "simulation");
  }
}
