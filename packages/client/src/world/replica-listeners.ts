import type { BlockCatalog, Box, Chunk, Position } from "@orthant/core";
import { ListenerSet } from "@orthant/core/engine";
import { type EntitiesChange, gameMessageIn, type Placed, type SyncClientEvents } from "@orthant/protocol";
import type { Status, StatusDetail } from "../connection/server-connection.ts";
import { reportLater } from "./callbacks.ts";

/** The events of a sync client that only listeners need. */
type ListenerEvents = "onChange" | "onEdit" | "onEntities" | "onGame";

/** The game's listeners for what happens in a replica. An error in one stops neither the others nor the client. */
export class ReplicaListeners {
  readonly change: ListenerSet<[boxes: readonly Box[]]> = new ListenerSet(reportLater);
  readonly edit: ListenerSet<[chunks: readonly Position[], before: (chunk: Position) => Chunk]> =
    new ListenerSet(reportLater);
  readonly entities: ListenerSet<[change: EntitiesChange]> = new ListenerSet(reportLater);
  readonly message: ListenerSet<[message: unknown]> = new ListenerSet(reportLater);
  readonly blocks: ListenerSet<[blocks: BlockCatalog]> = new ListenerSet(reportLater);
  readonly placed: ListenerSet<[placed: Placed, moveMs: number | undefined]> = new ListenerSet(reportLater);
  readonly status: ListenerSet<[status: Status, detail: StatusDetail]> = new ListenerSet(reportLater);

  /** Returns the events for a sync client: those that only listeners need, and the replica's own. */
  eventsWith(own: Omit<SyncClientEvents, ListenerEvents>): SyncClientEvents {
    const { change, edit, entities, message } = this;
    return {
      ...own,
      onChange: (boxes) => change.emit(boxes),
      // Comparing chunks takes time, so the client does it only for listeners.
      get onEdit() {
        if (edit.isEmpty) return undefined;
        return (chunks: readonly Position[], before: (chunk: Position) => Chunk) => edit.emit(chunks, before);
      },
      onEntities: (changed) => entities.emit(changed),
      onGame: (payload) => {
        const received = gameMessageIn(payload);
        if (received !== undefined) message.emit(received.message);
      },
    };
  }
}
