import type { Backbone, JournalRecord } from "@orthant/cluster";

/** The backbone of a test. */
export interface BackboneUnderTest {
  /** Connects another node to the same backbone. */
  connect(options?: { readonly journalBytesMax?: number }): Promise<Backbone>;
  dispose(): Promise<void>;
}

/** Runs a test with a backbone and a name that no other test uses. */
export type OnBackbone = (
  title: string,
  body: (under: BackboneUnderTest, name: string) => Promise<void>,
) => void;

/** Returns a record about a region of a sector, or a control record if no sector is given. */
export function recordOf(text: string, sector?: string, region = "0_0_0"): JournalRecord {
  const bytes = new TextEncoder().encode(text);
  return { bytes, subject: sector === undefined ? { kind: "control" } : { kind: "region", sector, region } };
}
