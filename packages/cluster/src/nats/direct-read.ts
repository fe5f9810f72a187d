import { createInbox, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { OrthantError } from "@orthant/core";
import type { NatsLink } from "./nats-link.ts";

/** A message held by a stream. */
export interface HeldMessage {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly headers: MsgHdrs;
}

const END_OF_BATCH = 204;
const NOTHING_FOUND = 404;
/**
 * Size limit of one answer. Any replica may answer, and the client must be able to take the answer at once.
 */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads up to `count` messages of a stream from a sequence on, in order. May return fewer than exist, or none
 * if the answering replica lags. A missing sequence was removed, or its message was lost on the way.
 */
export function readHeld(
  link: NatsLink,
  stream: string,
  from: number,
  count: number,
): Promise<readonly HeldMessage[]> {
  return link.manage(`reading the stream ${stream}`, async () => {
    const inbox = createInbox();
    const reading = new HeldReading(link.timeoutMilliseconds);
    const subscription = link.connection.subscribe(inbox, {
      callback: (error, message) => (error === null ? reading.take(message) : reading.fail(error)),
    });
    try {
      const request = JSON.stringify({ seq: from, batch: count, max_bytes: BATCH_BYTES_MAX });
      link.connection.publish(`$JS.API.DIRECT.GET.${stream}`, request, { reply: inbox });
      return await reading.done;
    } finally {
      subscription.unsubscribe();
      reading.stop();
    }
  });
}

/** Collects messages until the end marker arrives or the messages stop. */
class HeldReading {
  readonly done: Promise<readonly HeldMessage[]>;
  readonly #held: HeldMessage[] = [];
  readonly #timer: NodeJS.Timeout;
  #resolve: (held: readonly HeldMessage[]) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(timeoutMilliseconds: number) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#endInSilence(), timeoutMilliseconds);
  }

  take({ headers, data }: Msg): void {
    const code = headers?.code ?? 0;
    if (code === END_OF_BATCH || code === NOTHING_FOUND) this.#resolve(this.#held);
    else if (headers === undefined || code !== 0)
      this.fail(new Error(`NATS answers ${code} ${headers?.description}`));
    else {
      this.#timer.refresh();
      const sequence = Number(headers.get("Nats-Sequence"));
      this.#held.push({ subject: headers.get("Nats-Subject"), sequence, bytes: data, headers });
    }
  }

  fail(error: Error): void {
    this.#reject(error);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #endInSilence(): void {
    if (this.#held.length > 0) this.#resolve(this.#held);
    else this.fail(new OrthantError("ORT_ENGINE_AWAY", "no replica of a stream answers"));
  }
}
