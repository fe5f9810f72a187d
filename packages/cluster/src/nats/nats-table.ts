import { OrthantError } from "@orthant/core";
import type { Entry, Subscription, Table } from "../engine/engine.ts";
import { REFUSAL, refusalOf } from "./failure.ts";
import { TABLE_STREAM, tableSubject } from "./names.ts";
import type { NatsLink } from "./nats-link.ts";
import { type Expectation, publishWhole } from "./publish.ts";
import { TableFeed } from "./table-feed.ts";

/** The table in a NATS key-value bucket. A revision is a sequence of the underlying stream. */
export class NatsTable implements Table {
  readonly #link: NatsLink;
  #feed: Promise<TableFeed> | undefined;

  constructor(link: NatsLink) {
    this.#link = link;
  }

  /** Asks the leader, because a replica may lag. */
  get(key: string): Promise<Entry | undefined> {
    const subject = tableSubject(key);
    return this.#link.manage(`reading ${key}`, async ({ streams }) => {
      try {
        const found = await streams.getMessage(TABLE_STREAM, { last_by_subj: subject });
        if (found === null || (found.header.get("KV-Operation") ?? "") !== "") return undefined;
        return { key, value: found.data, revision: found.seq };
      } catch (error) {
        if (refusalOf(error) === REFUSAL.noMessage) return undefined;
        throw error;
      }
    });
  }

  async put(key: string, value: Uint8Array): Promise<number> {
    const revision = await this.#write(key, value, {});
    if (revision !== undefined) return revision;
    throw new OrthantError(
      "ORT_ENGINE_AWAY",
      `writing ${key}: NATS calls it stale, and nothing was expected`,
    );
  }

  swap(key: string, value: Uint8Array, expected: number): Promise<number | undefined> {
    return this.#write(key, value, { lastOfSubject: expected });
  }

  async watch(prefix: string, listener: (entry: Entry) => void): Promise<Subscription> {
    this.#feed ??= TableFeed.open(this.#link);
    try {
      return (await this.#feed).watch(prefix, listener);
    } catch (error) {
      this.#feed = undefined;
      throw error;
    }
  }

  async end(): Promise<void> {
    // A feed that failed to open has nothing to end; `watch` has reported the failure.
    (await this.#feed?.catch(() => undefined))?.end();
  }

  async #write(key: string, value: Uint8Array, expected: Expectation): Promise<number | undefined> {
    const message = { subject: tableSubject(key), bytes: value };
    const answer = await publishWhole(this.#link, TABLE_STREAM, [message], expected);
    if (answer.kind === "full") throw new OrthantError("ORT_ENGINE_UNFIT", `NATS has no room for the table`);
    return answer.kind === "stored" ? answer.sequence : undefined;
  }
}
