import { setTimeout as delay } from "node:timers/promises";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { engineFailure, isNobody, REFUSAL } from "./failure.ts";
import type { NatsLink } from "./nats-link.ts";

/** A stream's answer to a message, or to the last one of a batch. */
export type PublishAnswer =
  | { readonly kind: "stored"; readonly sequence: number; readonly count: number }
  | { readonly kind: "stale" }
  | { readonly kind: "full" };

/** A message and its subject. */
export interface OutgoingMessage {
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

const STALE: readonly number[] = [REFUSAL.wrongLastSequence, REFUSAL.wrongLastSequenceUnknown];
const FULL: readonly number[] = [REFUSAL.accountLimit, REFUSAL.noResources, REFUSAL.storageLimit];
const FULL_STREAM = "maximum bytes exceeded";
const ATTEMPTS = 5;
const RETRY_MS = 20;

/**
 * Stores messages in a stream, all or none. The NATS client supports batches too, but it waits for an answer
 * to the first message, and does not distinguish a rejected batch from one whose outcome is unknown.
 */
export async function publishWhole(
  link: NatsLink,
  stream: string,
  messages: readonly OutgoingMessage[],
  expected: Expectation,
): Promise<PublishAnswer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await publishOnce(link, stream, messages, expected);
    } catch (error) {
      // No server received it, so nothing was stored: the stream was just created or moved, and our server
      // does not know it yet.
      if (attempt === ATTEMPTS || !isNobody(error))
        throw engineFailure(error, `writing to the stream ${stream}`);
    }
    await delay(RETRY_MS * 2 ** attempt);
  }
}

async function publishOnce(
  link: NatsLink,
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
  for (const { subject, bytes, headers: fields } of outgoing) link.publish(subject, bytes, fields);
  const answer = await link.request(last.subject, last.bytes, { headers: last.headers });
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
