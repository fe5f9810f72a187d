import type { Engine, JournalRecord } from "@orthant/cluster";

/** What a test of an engine is given. */
export interface EngineUnderTest {
  /** Connects one more node to the same engine. */
  connect(options?: { readonly journalBytesMax?: number }): Promise<Engine>;
  dispose(): Promise<void>;
}

/** Runs a test with an engine, and a name that no other test uses. */
export type OnEngine = (title: string, body: (under: EngineUnderTest, name: string) => Promise<void>) => void;

/** A record about a region of a cell, or a control record when no cell is given. */
export function recordOf(text: string, cell?: string, region = "0_0_0"): JournalRecord {
  const bytes = new TextEncoder().encode(text);
  return { bytes, subject: cell === undefined ? { kind: "control" } : { kind: "region", cell, region } };
}
