import { OrthantError } from "@orthant/core";
import type { JournalSubject } from "../backbone/backbone.ts";

/** The stream of the table. It has the layout of a NATS key-value bucket, so `nats kv` can show it. */
export const TABLE_STREAM = "KV_orthant";
/** Prefix of the subjects of the table's keys. */
export const TABLE_PREFIX = "$KV.orthant.";
/** Prefix under which writes to the table are republished. */
export const TABLE_FEED_PREFIX = "k.";
/** Prefix of the names of journal streams. */
export const JOURNAL_STREAM_PREFIX = "J_";
/** Prefix of requests to JetStream. */
export const JETSTREAM_API = "$JS.API";
/** Prefix under which the account of gateways imports the few requests to JetStream that only read the table. */
export const GATEWAY_API = "orthant.api";
/** Subject at which servers report their settings, exported from the system account by their configuration. */
export const SERVER_SETTINGS_SUBJECT = "orthant.jsz";
/** Prefix of the subjects on which NATS announces the new leader of a stream. */
export const LEADER_ELECTED = "$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.";
/** Prefix of the subjects at which processes receive answers; the name of their user follows. */
const INBOX_PREFIX = "_INBOX";
/** Prefix of the subjects to which NATS directs the answers for requests from another account. */
const FOREIGN_INBOX_PREFIX = "_R_";

const CONTROL_TOKEN = "_ctl";
const SUBJECT_UNSAFE = /[^A-Za-z0-9_-]/gu;
/** Underscores separate the parts of a stream name, so no part may contain one. */
const STREAM_UNSAFE = /[^A-Za-z0-9-]/gu;
const ESCAPE = /=(?<code>[0-9A-F]{2})/g;

/** Returns the name of the stream that holds a shard's journal. */
export function journalStream(world: string, shard: string): string {
  return `${JOURNAL_STREAM_PREFIX}${encodeToken(world, STREAM_UNSAFE)}_${encodeToken(shard, STREAM_UNSAFE)}`;
}

/** Returns the subject of a record in a shard's journal. */
export function journalSubject(world: string, shard: string, subject: JournalSubject): string {
  if (subject.kind === "control") return `${journalPrefix(world, shard)}${CONTROL_TOKEN}`;
  return `${journalPrefix(world, shard)}${token(subject.sector)}.${token(subject.region)}`;
}

/** Returns the common prefix of the subjects of a journal's records. */
export function journalPrefix(world: string, shard: string): string {
  return `j.${token(world)}.${token(shard)}.`;
}

/** Parses the subject of a record. Returns `undefined` if no journal has such subjects. */
export function readJournalSubject(subject: string): JournalSubject | undefined {
  const [kind, , , sector, region, ...rest] = subject.split(".");
  if (kind !== "j" || sector === undefined || rest.length > 0) return undefined;
  if (region === undefined) return sector === CONTROL_TOKEN ? { kind: "control" } : undefined;
  return { kind: "region", sector: decodeToken(sector), region: decodeToken(region) };
}

/** Returns the prefix under which region records are republished; it replaces the journal's prefix. */
export function feedPrefix(world: string, shard: string): string {
  return `f.${token(world)}.${token(shard)}.`;
}

/** Returns the subject filter for all republished records about a sector, of any shard. */
export function sectorFeed(world: string, sector: string): string {
  return `f.${token(world)}.*.${token(sector)}.*`;
}

/**
 * Returns the prefix of the subjects at which a user receives answers. Each user has its own, so that no user can read
 * the answers to another.
 */
export function inboxPrefix(user: string | undefined): string {
  return user === undefined ? INBOX_PREFIX : `${INBOX_PREFIX}.${token(user)}`;
}

/**
 * Returns true if an answer may go to this subject. The sender of a request chooses it, and might choose the subject of
 * a journal or a key, which only the responder may write.
 */
export function isInbox(subject: string | undefined): boolean {
  return [INBOX_PREFIX, FOREIGN_INBOX_PREFIX].some((prefix) => subject?.startsWith(`${prefix}.`));
}

/** Returns the subject of a table key. */
export function tableSubject(key: string): string {
  return TABLE_PREFIX + dotted(key);
}

/** Returns the table key for a subject without its prefix. */
export function readTableKey(rest: string): string {
  return rest.split(".").map(decodeToken).join(".");
}

/** Returns the subject for requests to an address. */
export function addressSubject(address: string): string {
  return `a.${dotted(address)}`;
}

/** Returns the subject of a topic. */
export function topicSubject(topic: string): string {
  return `t.${dotted(topic)}`;
}

function dotted(name: string): string {
  return name.split(".").map(token).join(".");
}

function token(name: string): string {
  return encodeToken(name, SUBJECT_UNSAFE);
}

/** Escapes each byte of an unsafe character as `=` and two hexadecimal digits. */
function encodeToken(name: string, unsafe: RegExp): string {
  if (name === "") throw new OrthantError("ORT_ARGUMENT", "a part of a name is empty");
  return name.replace(unsafe, (character) =>
    [...new TextEncoder().encode(character)]
      .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}

function decodeToken(written: string): string {
  if (!written.includes("=")) return written;
  const parts = written.replace(ESCAPE, "%$<code>");
  try {
    return decodeURIComponent(parts);
  } catch {
    // Not written by us, so it stands for itself.
    return written;
  }
}
