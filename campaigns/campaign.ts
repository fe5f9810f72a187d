/** What a campaign is asked to do. */
export interface CampaignOptions {
  readonly seed: number;
  /** When to stop by itself, in the milliseconds of `performance.now`; a campaign without it runs its own number of cases. */
  readonly endsAtMs: number | undefined;
  /** Shows how far it is, on a terminal only. */
  progress(cases: number): void;
}

/** What it found. Each failure says how to repeat it. */
export interface CampaignResult {
  readonly cases: number;
  readonly failures: readonly string[];
}

/** A search for faults that is too long for every check. */
export interface Campaign {
  readonly name: string;
  readonly summary: string;
  run(options: CampaignOptions): Promise<CampaignResult>;
}

/** Failures past this many add nothing; the campaign ends. */
export const FAILURES_MAX = 20;

/** Whether a campaign that has done `cases` should go on: until its time is up, or its own number is reached. */
export function goesOn(cases: number, casesWanted: number, { endsAtMs }: CampaignOptions): boolean {
  return endsAtMs === undefined ? cases < casesWanted : performance.now() < endsAtMs;
}
