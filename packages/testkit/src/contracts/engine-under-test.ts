import type { Engine, JournalRecord } from "@orthant/cluster";

/** The engine of a test. */
export interface EngineUnderTest {
  /** Connects another node to the same engine. */
  connect(options?: { readonly journalBytesMax?: number }): Promise<Engine>;
  dispose(): Promise<void>;
}

/** Runs a test with an engine and a name that no other test uses. */
export type OnEngine = (title: string, body: (under: EngineUnderTest, name: string) => Promise<void>) => void;

/** Returns a record about a region of a sector, or a control record if no sector is given. */
export function recordOf(text: string, sector?: string, region = "0_0_0"): JournalRecord {
  const bytes = new TextEncoder().encode(text);
  return { bytes, subject: sector === undefined ? { kind: "control" } : { kind: "region", sector, region } };
}
