import { OrthantError } from "@orthant/core";
import type { JournalSubject } from "../engine/engine.ts";

/** The stream of the table. It is a bucket as other programs for NATS know them, so `nats kv` can show it. */
export const TABLE_STREAM = "KV_orthant";
/** The subject of a key of the table begins with this. */
export const TABLE_PREFIX = "$KV.orthant.";
/** What is written to the table is told again under this. */
export const TABLE_FEED_PREFIX = "k.";
/** Names of journals' streams begin with this. */
export const JOURNAL_STREAM_PREFIX = "J_";

const CONTROL_TOKEN = "_ctl";
const SUBJECT_UNSAFE = /[^A-Za-z0-9_-]/gu;
/** In the name of a stream the underscore separates the parts, so it may not occur within one. */
const STREAM_UNSAFE = /[^A-Za-z0-9-]/gu;
const ESCAPE = /=(?<code>[0-9A-F]{2})/g;

/** The stream that holds the journal of a shard. */
export function journalStream(world: string, shard: string): string {
  return `${JOURNAL_STREAM_PREFIX}${encodeToken(world, STREAM_UNSAFE)}_${encodeToken(shard, STREAM_UNSAFE)}`;
}

/** The subject of a record in the journal of a shard. */
export function journalSubject(world: string, shard: string, subject: JournalSubject): string {
  if (subject.kind === "control") return `${journalPrefix(world, shard)}${CONTROL_TOKEN}`;
  return `${journalPrefix(world, shard)}${token(subject.cell)}.${token(subject.region)}`;
}

/** What the subjects of all records of a journal begin with. */
export function journalPrefix(world: string, shard: string): string {
  return `j.${token(world)}.${token(shard)}.`;
}

/** What a record is about, from its subject; `undefined` when no journal has such subjects. */
export function readJournalSubject(subject: string): JournalSubject | undefined {
  const [kind, , , cell, region, ...rest] = subject.split(".");
  if (kind !== "j" || cell === undefined || rest.length > 0) return undefined;
  if (region === undefined) return cell === CONTROL_TOKEN ? { kind: "control" } : undefined;
  return { kind: "region", cell: decodeToken(cell), region: decodeToken(region) };
}

/** What stored records about regions are told again under: the subject of the journal with another beginning. */
export function feedPrefix(world: string, shard: string): string {
  return `f.${token(world)}.${token(shard)}.`;
}

/** The subjects of all that is told about a cell, of whatever shard. */
export function cellFeed(world: string, cell: string): string {
  return `f.${token(world)}.*.${token(cell)}.*`;
}

/** What a told record is about; `undefined` when nothing is told under such a subject. */
export function readFeedSubject(
  subject: string,
): { readonly shard: string; readonly cell: string; readonly region: string } | undefined {
  const [kind, , shard, cell, region, ...rest] = subject.split(".");
  if (kind !== "f" || shard === undefined || cell === undefined || region === undefined || rest.length > 0) {
    return undefined;
  }
  return { shard: decodeToken(shard), cell: decodeToken(cell), region: decodeToken(region) };
}

/** The subject of a key of the table. */
export function tableSubject(key: string): string {
  return TABLE_PREFIX + dotted(key);
}

/** The key of the table from a subject without the prefix. */
export function readTableKey(rest: string): string {
  return rest.split(".").map(decodeToken).join(".");
}

/** Where questions for an address are sent. */
export function addressSubject(address: string): string {
  return `a.${dotted(address)}`;
}

/** Where a topic is told. */
export function topicSubject(topic: string): string {
  return `t.${dotted(topic)}`;
}

function dotted(name: string): string {
  return name.split(".").map(token).join(".");
}

function token(name: string): string {
  return encodeToken(name, SUBJECT_UNSAFE);
}

/** Writes what may not stand in a subject as `=` and the two digits of each byte of it. */
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
    // Not written by us: it names itself.
    return written;
  }
}
