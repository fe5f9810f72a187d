import type { Position } from "@orthant/core";
import { WHOLE_LATTICE } from "@orthant/core/lattice";
import type { StoredEntity } from "@orthant/save";
import type { WorldContent } from "../content/world-content.ts";
import type { WorldEditor } from "../edit/world-editor.ts";
import type { NewStoredEntity } from "./entity-store.ts";
import { dropEntities } from "./place-entities.ts";

/** The entities of a world that is one part of a larger one, whose parts give each other entities. */
export class SharedEntities {
  readonly #content: WorldContent;
  readonly #editor: WorldEditor;
  readonly #requireWritable: () => void;

  constructor(content: WorldContent, editor: WorldEditor, requireWritable: () => void) {
    this.#content = content;
    this.#editor = editor;
    this.#requireWritable = requireWritable;
  }

  /** Adds an entity under an id that another part of the world gave it, in place of one that has it here. */
  place(entityId: bigint, entity: NewStoredEntity): StoredEntity {
    this.#requireWritable();
    return this.#editor.placeEntity(entityId, entity);
  }

  /** Reads all entities of this part into memory. */
  loadAll(): Promise<void> {
    return this.#content.loadEntities(WHOLE_LATTICE);
  }

  /** Removes loaded entities without an entry in the log, which implies their removal. */
  drop(isDropped: (entity: StoredEntity) => boolean): void {
    this.#requireWritable();
    for (const { entityId } of dropEntities(this.#content, isDropped))
      this.#content.entityListeners.emit({ kind: "gone", entityId });
  }

  /** Returns a chunk of the leaf that stores an entity, which a log needs to replay its change. */
  storedAtOf(entityId: bigint): Position | undefined {
    return this.#content.entities.storedAtOf(entityId);
  }

  /** Has the next save write the description, even if nothing else changed: a log may add to it. */
  touch(): void {
    this.#requireWritable();
    this.#content.unsaved.global = true;
  }
}
