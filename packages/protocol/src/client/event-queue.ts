import type { OrthantError } from "@orthant/core";
import type { Goodbye, NumberedEditResult, Welcome } from "../message/server-message.ts";
import type { ReplicaNews } from "./change-notes.ts";
import type { EntitiesChange, SyncClientEvents } from "./sync-client-options.ts";

/** Holds events back until the end of a step, so that listeners see a consistent state. */
export class EventQueue {
  readonly #events: SyncClientEvents;
  #pending: (() => void)[] = [];

  constructor(events: SyncClientEvents) {
    this.#events = events;
  }

  welcome(welcome: Welcome): void {
    this.#pending.push(() => this.#events.onWelcome?.(welcome));
  }

  goodbye(goodbye: Goodbye): void {
    this.#pending.push(() => this.#events.onGoodbye?.(goodbye));
  }

  fault(error: OrthantError): void {
    this.#pending.push(() => this.#events.onFault?.(error));
  }

  complete(interestId: number): void {
    this.#pending.push(() => this.#events.onComplete?.(interestId));
  }

  result(result: NumberedEditResult): void {
    this.#pending.push(() => this.#events.onEditResult?.(result));
  }

  game(payload: Uint8Array): void {
    this.#pending.push(() => this.#events.onGame?.(payload));
  }

  /** Fires all events, changes first, so that a verdict's listener finds the world that it is about. */
  tell(news: ReplicaNews | undefined, entities: EntitiesChange | undefined): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { region, state } of news?.regions ?? []) this.#events.onRegion?.(region, state);
    if (news !== undefined && news.chunks.length > 0) this.#events.onChange?.(news.chunks);
    if (entities !== undefined) this.#events.onEntities?.(entities);
    for (const tell of pending) tell();
  }
}
