import type { Position } from "@orthant/core";
import type { ClockChange, EditOrigin, WorldState } from "@orthant/core/tree";
import type { EngineTransaction } from "./engine-transaction.ts";

/** Options for editing voxels. */
export interface EditOptions {
  /** Identifies the edit, so that it is applied once however often it is requested, even after a crash. */
  readonly origin?: EditOrigin;
  /**
   * What the promise waits for in a world with a journal: until the edit is `durable` (default) or only until
   * it is `applied`; `whenDurable` waits for the rest. Without a journal, the promise never waits for the
   * disk.
   */
  readonly wait?: "applied" | "durable";
  /** Called with the world to which the edit is applied, just before; not for a duplicate. It must not throw. */
  readonly onApply?: (before: WorldState) => void;
  /**
   * What is changed in one transaction with the edit, and only with it. Gets the world before the edit, and runs again if
   * something in the chunks of the edit, or that it read, has changed before the edit is applied. What it throws rejects the edit.
   */
  readonly with?: (transaction: EngineTransaction, before: WorldState) => void | Promise<void>;
}

/** What an edit changed. */
export interface EngineEdit {
  /** The changed chunks, in lexicographic order. */
  readonly chunks: readonly Position[];
  /** The regions of these chunks, with their clocks before and after. */
  readonly clocks: readonly ClockChange[];
  /** `duplicate`: this edit, or a later one by the same client, was applied before; nothing changed now. */
  readonly status: "applied" | "unchanged" | "duplicate";
}

/** Gets an edit that changed something, the world before and after it, and the player whose edit it was, if any. */
export type EditListener = (
  edit: EngineEdit,
  before: WorldState,
  after: WorldState,
  author: bigint | undefined,
) => void;
