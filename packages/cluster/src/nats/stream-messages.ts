import { setTimeout as delay } from "node:timers/promises";
import { headers, type Msg, type MsgHdrs } from "@nats-io/transport-node";
import { OrthantError } from "@orthant/core";
import { backboneFailure, isNoResponder, type NatsClient, REFUSAL } from "./nats-client.ts";

/** A stream's answer to a message, or to the last one of a batch. */
export type PublishAnswer =
  | { readonly kind: "stored"; readonly sequence: number; readonly count: number }
  | { readonly kind: "stale" }
  | { readonly kind: "full" };

/** A message and its subject. */
interface OutgoingMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
}

/** Condition under which a message is stored. */
export interface Expectation {
  /** Required sequence of the last message of the whole stream. */
  readonly last?: number;
  /** Required sequence of the last message with the same subject. */
  readonly lastOfSubject?: number;
}

interface Acknowledgement {
  readonly seq?: number;
  readonly count?: number;
  readonly error?: { readonly err_code?: number; readonly description?: string };
}

/** A message held by a stream. */
export interface HeldMessage {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly headers: MsgHdrs;
}

const STALE: readonly number[] = [REFUSAL.wrongLastSequence, REFUSAL.wrongLastSequenceUnknown];
const FULL: readonly number[] = [REFUSAL.accountLimit, REFUSAL.noResources, REFUSAL.storageLimit];
const FULL_STREAM = "maximum bytes exceeded";
const ATTEMPTS = 5;
const RETRY_MS = 20;
const END_OF_BATCH = 204;
const NOTHING_FOUND = 404;
/**
 * Size limit of one answer. Any replica may answer, and the client must be able to receive it at once.
 */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Stores messages in a stream, all or none. The NATS client supports batches too, but it waits for an answer
 * to the first message, and does not distinguish a rejected batch from one whose outcome is unknown.
 */
export async function publishWhole(
  client: NatsClient,
  stream: string,
  messages: readonly OutgoingMessage[],
  expected: Expectation,
): Promise<PublishAnswer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await publishOnce(client, stream, messages, expected);
    } catch (error) {
      // No server received it, so nothing was stored: the stream was just created or moved, and our server
      // does not know it yet.
      if (attempt === ATTEMPTS || !isNoResponder(error))
        throw backboneFailure(error, `writing to the stream ${stream}`);
    }
    await delay(RETRY_MS * 2 ** attempt);
  }
}

async function publishOnce(
  client: NatsClient,
  stream: string,
  messages: readonly OutgoingMessage[],
  expected: Expectation,
): Promise<PublishAnswer> {
  const batch = crypto.randomUUID();
  const outgoing = messages.map((message, index) => {
    const fields = index === 0 ? expectationHeaders(stream, expected) : headers();
    if (messages.length > 1) addBatchHeaders(fields, batch, index + 1, index === messages.length - 1);
    return { ...message, headers: fields };
  });
  const last = outgoing.pop();
  if (last === undefined) throw new Error("there is nothing to write");
  for (const { subject, bytes, headers: fields } of outgoing) client.publish(subject, bytes, fields);
  const answer = await client.fromLeader(
    stream,
    client.request(last.subject, last.bytes, { headers: last.headers }),
  );
  return readAnswer(answer.json<Acknowledgement>());
}

function expectationHeaders(stream: string, { last, lastOfSubject }: Expectation): MsgHdrs {
  const fields = headers();
  fields.set("Nats-Expected-Stream", stream);
  if (last !== undefined) fields.set("Nats-Expected-Last-Sequence", `${last}`);
  if (lastOfSubject !== undefined) fields.set("Nats-Expected-Last-Subject-Sequence", `${lastOfSubject}`);
  return fields;
}

function addBatchHeaders(fields: MsgHdrs, batch: string, position: number, isLast: boolean): void {
  fields.set("Nats-Batch-Id", batch);
  fields.set("Nats-Batch-Sequence", `${position}`);
  if (isLast) fields.set("Nats-Batch-Commit", "1");
}

/** An unknown error leaves the outcome open, so it is thrown. */
function readAnswer({ seq = 0, count = 1, error }: Acknowledgement): PublishAnswer {
  if (error === undefined) return { kind: "stored", sequence: seq, count };
  const { err_code: code = 0, description = "" } = error;
  if (STALE.includes(code)) return { kind: "stale" };
  if (FULL.includes(code) || (code === REFUSAL.storeFailed && description === FULL_STREAM))
    return { kind: "full" };
  throw new Error(`NATS refuses with ${code}, ${description}`);
}

/**
 * Reads up to `count` messages of a stream from a sequence on, in order. May return fewer than exist, or none
 * if the answering replica lags. A missing sequence was removed, or its message was lost on the way.
 */
export function readHeld(
  client: NatsClient,
  stream: string,
  from: number,
  count: number,
): Promise<readonly HeldMessage[]> {
  return client.manage(`reading the stream ${stream}`, async () => {
    const inbox = client.newInbox();
    const reading = new HeldReading(client.timeoutMilliseconds);
    const subscription = client.connection.subscribe(inbox, {
      callback: (error, message) => (error === null ? reading.add(message) : reading.fail(error)),
    });
    try {
      const request = JSON.stringify({ seq: from, batch: count, max_bytes: BATCH_BYTES_MAX });
      client.connection.publish(`${client.api}.DIRECT.GET.${stream}`, request, { reply: inbox });
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

  add({ headers, data }: Msg): void {
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
    else this.fail(new OrthantError("ORT_BACKBONE_AWAY", "no replica of a stream answers"));
  }
}
