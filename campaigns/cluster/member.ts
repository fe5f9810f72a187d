import { setTimeout as delay } from "node:timers/promises";
import type { Backbone } from "@orthant/cluster";
import { connectNats } from "@orthant/cluster/nats";
import { type Box, isOrthantError } from "@orthant/core";
import { TEST_CREDENTIALS } from "@orthant/testkit/nats";

const RETRY_MS = 200;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

/** Returns the settings that the process was started with. */
export function readSettings(): MemberSettings {
  // Exits when the parent process ends.
  process.on("disconnect", () => process.exit());
  return JSON.parse(process.argv[2] ?? "{}") as MemberSettings;
}

/** Connects a member to the backbone, retrying until one is available. */
export async function joinBackbone({ servers, name }: MemberSettings): Promise<Backbone> {
  for (;;) {
    try {
      return await connectNats({
        ...{ servers, name, credentials: TEST_CREDENTIALS, journalBytesMax: JOURNAL_BYTES_MAX },
      });
    } catch (error) {
      if (!isOrthantError(error, "ORT_BACKBONE_AWAY")) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Sends news to the parent process. Calls `onSent` when it has left this one. */
export function say(news: MemberNews, onSent?: () => void): void {
  process.send?.(news, undefined, undefined, () => onSent?.());
}

/** Start settings of a member of a staged cluster. */
export interface MemberSettings {
  readonly servers: readonly string[];
  readonly world: string;
  readonly name: string;
  /** Whether an owner walks the entities of its shards. */
  readonly walks: boolean;
  /** The folder shared by all owners. */
  readonly folder: string;
  /** The address and port of a gateway. */
  readonly address: string;
  readonly port: number;
}

/** An order to an owner. */
export type MemberOrder =
  | ({ readonly kind: "move"; readonly shard: string; readonly successor: string } & Fatal)
  | ({
      readonly kind: "split";
      readonly shard: string;
      readonly sectors: Box;
      readonly newShard: string;
    } & Fatal)
  /** Dies when it claims a shard. */
  | ({ readonly kind: "die"; readonly shard: string } & Fatal)
  | { readonly kind: "stop" };

/** Before which call of an order the owner dies; omitted if it lives. */
interface Fatal {
  readonly diesBefore?: FatalCall;
}

/** The calls of a split that other nodes can see, in order. */
export const SPLIT_CALLS = [
  "making the folder",
  "renaming the folder",
  "looking for the journal",
  "making the journal",
  "recording the term",
  "writing the lease",
  "recording the split",
  "writing the map",
  "answering requests",
] as const;
/** The calls of a node that gives a shard away, and of one that takes it, in order. */
export const GIVING_CALLS = ["reading the lease", "writing the lease"] as const;
export const TAKING_CALLS = [
  ...GIVING_CALLS,
  "renaming the folder",
  "looking for the journal",
  "recording the term",
  "answering requests",
] as const;

/** A call before which a node can be made to die. */
export type FatalCall = (typeof SPLIT_CALLS | typeof TAKING_CALLS)[number];

/** A message from a member, unprompted or in answer to an order. */
export type MemberNews =
  | { readonly kind: "ready" }
  | { readonly kind: "claimed" | "lost"; readonly shard: string; readonly detail: string }
  | { readonly kind: "trouble"; readonly detail: string }
  | { readonly kind: "dying"; readonly call: string }
  | { readonly kind: "backbone-away"; readonly isBackboneAway: boolean }
  /** The number of regions that a gateway follows, and its memory. */
  | { readonly kind: "size"; readonly regions: number; readonly bytes: number }
  | { readonly kind: "done"; readonly detail: string };
