import { type Box, type Chunk, isOrthantError, OrthantError, type Position } from "@orthant/core";
import { applyBlockChange } from "@orthant/core/chunk";
import { axisOutside, boxAt, PositionMap, regionBox, WHOLE_LATTICE } from "@orthant/core/lattice";
import type { ClockChange, RegionClocks } from "@orthant/core/tree";
import {
  type ChunkTickChanges,
  chunkAfter,
  type JournalEdit,
  type JournalEntity,
  type JournalEntry,
  type JournalReader,
  type JournalStep,
  type JournalTransaction,
} from "@orthant/save/journal";
import { originOf } from "../content/last-edits.ts";
import type { WorldContent } from "../content/world-content.ts";
import type { DamagedJournal } from "../options/world-options.ts";
import type { LoggedChange, LoggedEntityChange } from "./world-log.ts";

/** Chunks added to the state in one step; adding them one by one is many times slower. */
const CHUNKS_AT_ONCE = 4_096;

/** Replays a journal in memory and writes nothing. Rule J14. */
export async function replayJournal(
  journal: JournalReader,
  content: WorldContent,
  { nowMs, damaged }: { readonly nowMs: number; readonly damaged: DamagedJournal },
): Promise<void> {
  const { damage } = journal.found;
  if (damage !== undefined && damaged === "refuse") throw refusalOf(journal, damage);
  const replay = new Replay(content, nowMs);
  for await (const entries of journal.entries(content.regions.state.shape.volume)) {
    for (const entry of entries) await replay.apply(entry);
  }
  replay.finish();
}

/** The result of replaying a journal as far as it can be read. */
export interface ReplayedJournal {
  /** Readable entries. */
  readonly changes: number;
  /** Entries that were replayed: all readable ones, or none when the world's generator is missing. */
  readonly replayed: number;
  /** Bytes of the journal up to its first damage. */
  readonly bytes: number;
  /** Why the rest is lost; `undefined` when all of it was replayed. */
  readonly loss: OrthantError | undefined;
}

/** Replays a journal up to its first error, and reports the error instead of throwing it. Rule J30. */
export async function replayReadable(
  journal: JournalReader,
  content: WorldContent,
  nowMs: number,
): Promise<ReplayedJournal> {
  const replay = new Replay(content, nowMs, { keepNewerClocks: true });
  const groups = journal.entries(content.regions.state.shape.volume);
  let changes = 0;
  let loss = journal.found.damage;
  for (;;) {
    const entries = await nextGroup(groups);
    if (entries instanceof OrthantError) loss ??= entries;
    if (entries === undefined || entries instanceof OrthantError) break;
    for (const entry of entries) {
      const misfit = await applyIfFits(replay, entry);
      if (misfit === undefined) changes++;
      loss ??= misfit;
    }
  }
  replay.finish();
  return { changes, replayed: changes, bytes: journal.bytes, loss };
}

/**
 * Applies an entry. Returns the error of a change of blocks that does not fit: a repair may have recovered an older
 * catalog than the one that it changed. Edits after it are still good.
 */
async function applyIfFits(replay: Replay, entry: JournalEntry): Promise<OrthantError | undefined> {
  try {
    await replay.apply(entry);
    return undefined;
  } catch (error) {
    if (entry.kind === "blocks" && isOrthantError(error, "ORT_BLOCKS")) return error;
    throw error;
  }
}

/** Returns the entries of the next group, or why they cannot be read; `undefined` after the last group. */
async function nextGroup(
  groups: AsyncGenerator<readonly JournalEntry[]>,
): Promise<readonly JournalEntry[] | OrthantError | undefined> {
  try {
    const next = await groups.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (isOrthantError(error)) return error;
    throw error;
  }
}

function refusalOf({ groups }: JournalReader, damage: OrthantError): OrthantError {
  const advice =
    "copy the folder, then open the world with damagedJournal: 'cut', " +
    `which keeps the ${groups} groups of changes before the damage and loses what follows`;
  return new OrthantError(damage.code, `${damage.detail}; ${advice}`, damage.context, { cause: damage });
}

/** Applies entries one after the other. */
class Replay {
  readonly #content: WorldContent;
  readonly #nowMs: number;
  /** Current chunks that are not in the state yet. */
  #chunks = new PositionMap<Chunk>();
  /** Release generated chunks that the pending ones need. */
  readonly #releases: (() => void)[] = [];
  readonly #keepNewerClocks: boolean;

  /** `keepNewerClocks` keeps the clock of a region when it is later than the entry's: a repair issued it. */
  constructor(
    content: WorldContent,
    nowMs: number,
    { keepNewerClocks = false }: { readonly keepNewerClocks?: boolean } = {},
  ) {
    this.#content = content;
    this.#nowMs = nowMs;
    this.#keepNewerClocks = keepNewerClocks;
  }

  async apply(entry: JournalEntry): Promise<void> {
    const content = this.#content;
    switch (entry.kind) {
      case "edit":
        return this.#edit(entry);
      case "step":
        return this.#step(entry);
      case "transaction":
        return this.#transaction(entry);
      case "entity":
      case "entityGone":
        return this.#entity(entry);
      case "player":
        content.upsertPlayer(entry.player, entry.player.lastSavedMs);
        return;
      case "store":
        return content.store.restore(entry);
      case "blocks":
        return content.changeCatalog(applyBlockChange(content.catalog, entry.change));
      case "description": {
        const { name, spawn } = entry;
        return content.describe({ ...content.global.description, name, spawn });
      }
    }
  }

  /** Moves all pending chunks into the state. */
  finish(): void {
    const { state } = this.#content.regions.state.setChunks(this.#chunks);
    this.#content.replayChunks(state, [...this.#chunks.positions()]);
    this.#chunks = new PositionMap();
    for (const release of this.#releases.splice(0)) release();
  }

  async #edit(edit: JournalEdit): Promise<void> {
    const boxes = edit.chunks.map(({ position }) => boxAt(position));
    // Regions that are read now must stay until their new clocks mark them as unsaved.
    if (boxes.every((box) => this.#content.regions.isLoaded(box))) await this.#applyEdit(edit);
    else await this.#content.whenLoaded(boxes, () => this.#applyEdit(edit));
    if (this.#chunks.size >= CHUNKS_AT_ONCE) this.finish();
  }

  async #step({ step, chunks, clocks, ticks, entities }: JournalStep): Promise<void> {
    await this.#edit({ kind: "edit", origin: undefined, chunks, clocks });
    await replayTicks(this.#content, ticks);
    for (const entity of entities) await this.#entity(entity);
    this.#content.steps.restore(step);
  }

  async #transaction({ origin, chunks, clocks, players, store }: JournalTransaction): Promise<void> {
    await this.#edit({ kind: "edit", origin, chunks, clocks });
    for (const player of players) this.#content.upsertPlayer(player, player.lastSavedMs);
    for (const change of store) await this.#content.store.restore(change);
  }

  async #entity(entry: JournalEntity): Promise<void> {
    const content = this.#content;
    if (entry.storedAt !== undefined) await content.load(boxAt(entry.storedAt));
    if (entry.kind === "entity") content.entities.restore(entry.entity, this.#nowMs);
    else content.entities.despawn(entry.entityId);
  }

  async #applyEdit({ origin, chunks, clocks }: JournalEdit): Promise<void> {
    const content = this.#content;
    for (const change of chunks) {
      const { position } = change;
      await this.#keep(boxAt(position));
      const isVisible = axisOutside(content.regions.state.shape, position) === undefined;
      const hidden = isVisible || "chunk" in change ? undefined : await content.hiddenChunk(position);
      const chunk = chunkAfter(change, () => hidden ?? this.#chunkAt(position));
      if (isVisible) this.#chunks.set(...position, chunk);
      else content.replayHidden(position, chunk);
    }
    for (const { region, clock } of clocks) {
      const later = this.#keepNewerClocks ? Math.max(clock, content.regions.clocks.get(region)) : clock;
      content.replayClock(region, later);
    }
    if (origin !== undefined) content.rememberOrigin(originOf(origin));
  }

  /** An asynchronous generator must have the chunk before the edit is applied. */
  async #keep(box: Box): Promise<void> {
    const { state } = this.#content.regions;
    if (state.isAsynchronous && !this.#chunks.has(...box.min)) {
      this.#releases.push(await state.keepGenerated([box]));
    }
  }

  #chunkAt(position: Position): Chunk {
    return this.#chunks.get(...position) ?? this.#content.regions.state.realizeChunk(...position);
  }
}

/**
 * Replays a log. A change is applied where its regions have the clocks they had before it, and skipped where
 * they have later ones, since then the generation includes it. Any other clock means that the log belongs to
 * a different world. Rule K11.
 */
export async function replayLog(content: WorldContent, changes: AsyncIterable<LoggedChange>): Promise<void> {
  const replay = new Replay(content, 0);
  for await (const { clocks, chunks, origins, entities = [], ticks = [], step, keepsEntity } of changes) {
    await content.whenLoaded(
      clocks.map(({ region }) => regionBox(region)),
      async () => {
        const isIncluded = clocks.every(({ region, after }) => content.regions.clocks.get(region) >= after);
        if (isIncluded && clocks.length > 0) return;
        for (const change of clocks) requireClockBefore(content.regions.clocks, change);
        const after = clocks.map((change) => ({ region: change.region, clock: change.after }));
        await replay.apply({ kind: "edit", origin: undefined, chunks, clocks: after });
        for (const origin of origins) content.rememberOrigin(originOf(origin));
      },
    );
    for (const entry of entities) await replayEntity(content, entry);
    await replayTicks(content, ticks);
    if (step !== undefined) content.steps.restore(step);
    if (keepsEntity === undefined) continue;
    await content.loadEntities(WHOLE_LATTICE);
    content.entities.drop((entity) => !keepsEntity(entity));
  }
  replay.finish();
}

async function replayTicks(content: WorldContent, ticks: readonly ChunkTickChanges[]): Promise<void> {
  await content.whenLoaded(
    ticks.map(({ position }) => boxAt(position)),
    () => {
      for (const change of ticks) content.replayTicks(change);
    },
  );
}

/** A log without clocks of entities is replayed from exactly where the generation ends. */
async function replayEntity(content: WorldContent, entry: LoggedEntityChange): Promise<void> {
  if (entry.storedAt !== undefined) await content.loadEntities(boxAt(entry.storedAt));
  if (entry.kind === "entity") content.entities.restore(entry.entity, 0);
  else if (content.entities.get(entry.entityId) !== undefined) content.entities.despawn(entry.entityId);
}

function requireClockBefore(clocks: RegionClocks, { region, before, after }: ClockChange): void {
  const clock = clocks.get(region);
  if (clock === before) return;
  throw new OrthantError(
    "ORT_JOURNAL",
    `region [${region}] at clock ${clock}, and a record from ${before} to ${after}`,
  );
}
