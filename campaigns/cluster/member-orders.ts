import type { Box } from "@orthant/core";

/** What a member of a staged cluster is started with. */
export interface MemberSettings {
  readonly servers: readonly string[];
  readonly world: string;
  readonly name: string;
  /** The folder that all owners share. */
  readonly folder: string;
  /** Where a gateway listens. */
  readonly address: string;
  readonly port: number;
}

/** What an owner can be told to do. */
export type MemberOrder =
  | { readonly kind: "move"; readonly shard: string; readonly heir: string }
  | { readonly kind: "split"; readonly shard: string; readonly cells: Box; readonly newShard: string }
  | { readonly kind: "stop" };

/** What a member says of its own accord, or in answer to an order. */
export type MemberNews =
  | { readonly kind: "ready" }
  | { readonly kind: "taken" | "lost"; readonly shard: string; readonly detail: string }
  | { readonly kind: "trouble"; readonly detail: string }
  | { readonly kind: "read-only"; readonly isReadOnly: boolean }
  | { readonly kind: "done"; readonly detail: string };
