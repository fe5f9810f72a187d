import type { OrthantError } from "@orthant/core";
import type { Goodbye, Verdict, Welcome } from "../message/server-message.ts";
import type { ReplicaNews } from "./change-notes.ts";
import type { BeingsChange, GuestEvents } from "./guest-options.ts";

/** Holds events back until the end of a step, so that listeners see a consistent state. */
export class Notices {
  readonly #events: GuestEvents;
  #pending: (() => void)[] = [];

  constructor(events: GuestEvents) {
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

  verdict(verdict: Verdict): void {
    this.#pending.push(() => this.#events.onVerdict?.(verdict));
  }

  game(payload: Uint8Array): void {
    this.#pending.push(() => this.#events.onGame?.(payload));
  }

  /** Fires all events, changes first, so that a verdict's listener finds the world that it is about. */
  tell(news: ReplicaNews | undefined, beings: BeingsChange | undefined): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { region, state } of news?.regions ?? []) this.#events.onRegion?.(region, state);
    if (news !== undefined && news.chunks.length > 0) this.#events.onChange?.(news.chunks);
    if (beings !== undefined) this.#events.onBeings?.(beings);
    for (const tell of pending) tell();
  }
}
