import type { BlockCatalog, Box, Chunk, Position } from "@orthant/core";
import { ListenerSet } from "@orthant/core/world";
import { gameMessageIn, type Placed } from "@orthant/protocol";
import type { EntitiesChange, SyncClientEvents } from "@orthant/protocol/client";
import type { Status, StatusDetail } from "../connection/server-connection.ts";
import { reportUnhandled } from "./callbacks.ts";

/** Messages kept for the first listener. */
const EARLY_MESSAGES_MAX = 64;

/** The events of a sync client that only listeners need. */
type ListenerEvents = "onEdit" | "onEntities" | "onGame";

/** The game's listeners for what happens in a replica. An error in one stops neither the others nor the client. */
export class ReplicaListeners {
  readonly change: ListenerSet<[boxes: readonly Box[], isOwn: boolean]> = new ListenerSet(reportUnhandled);
  readonly edit: ListenerSet<[chunks: readonly Position[], before: (chunk: Position) => Chunk]> =
    new ListenerSet(reportUnhandled);
  readonly entities: ListenerSet<[change: EntitiesChange]> = new ListenerSet(reportUnhandled);
  readonly message: ListenerSet<[message: unknown]> = new ListenerSet(reportUnhandled);
  readonly blocks: ListenerSet<[blocks: BlockCatalog]> = new ListenerSet(reportUnhandled);
  readonly placed: ListenerSet<[placed: Placed, moveMs: number | undefined]> = new ListenerSet(
    reportUnhandled,
  );
  readonly status: ListenerSet<[status: Status, detail: StatusDetail]> = new ListenerSet(reportUnhandled);
  /** Messages that no listener has got yet; `undefined` after the first listener was added. */
  #early: unknown[] | undefined = [];

  /** Adds a listener for messages. The first one also gets what the server sent while the client joined. */
  addForMessages(listener: (message: unknown) => void): () => void {
    const remove = this.message.add(listener);
    const early = this.#early ?? [];
    this.#early = undefined;
    // Later, because a listener may need what the call returns.
    if (early.length > 0)
      void Promise.resolve().then(() => {
        for (const message of early) this.message.emit(message);
      });
    return remove;
  }

  /** Returns the events for a sync client: those that only listeners need, and the replica's own. */
  eventsWith(own: Omit<SyncClientEvents, ListenerEvents>): SyncClientEvents {
    const { edit, entities } = this;
    return {
      ...own,
      // Comparing chunks takes time, so the client does it only for listeners.
      get onEdit() {
        if (edit.isEmpty) return undefined;
        return (chunks: readonly Position[], before: (chunk: Position) => Chunk) => edit.emit(chunks, before);
      },
      onEntities: (changed) => entities.emit(changed),
      onGame: (payload) => {
        const received = gameMessageIn(payload);
        if (received !== undefined) this.#receive(received.message);
      },
    };
  }

  #receive(message: unknown): void {
    if (this.#early === undefined) this.message.emit(message);
    else if (this.#early.length < EARLY_MESSAGES_MAX) this.#early.push(message);
  }
}
