import type { Box } from "@orthant/core";

/** Start settings of a member of a staged cluster. */
export interface MemberSettings {
  readonly servers: readonly string[];
  readonly world: string;
  readonly name: string;
  /** The folder shared by all owners. */
  readonly folder: string;
  /** The address and port of a gateway. */
  readonly address: string;
  readonly port: number;
}

/** An order to an owner. */
export type MemberOrder =
  | { readonly kind: "move"; readonly shard: string; readonly successor: string }
  | { readonly kind: "split"; readonly shard: string; readonly sectors: Box; readonly newShard: string }
  | { readonly kind: "stop" };

/** A message from a member, unprompted or in answer to an order. */
export type MemberNews =
  | { readonly kind: "ready" }
  | { readonly kind: "taken" | "lost"; readonly shard: string; readonly detail: string }
  | { readonly kind: "trouble"; readonly detail: string }
  | { readonly kind: "read-only"; readonly isReadOnly: boolean }
  | { readonly kind: "done"; readonly detail: string };
