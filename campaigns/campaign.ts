/** What a campaign is asked to do. */
export interface CampaignOptions {
  readonly seed: number;
  /** When to stop at the latest, in the milliseconds of `performance.now`; `undefined` without a limit of time. */
  readonly endsAtMs: number | undefined;
  /** Cases after which to stop; `Infinity` when only the time counts. */
  readonly casesMax: number;
  /** Where an earlier run with this seed stopped, which is its `next`; 0 for a first run. */
  readonly from: number;
  /** Digests of disks that earlier runs have checked, for `explorePowerCuts`. The campaign adds its own. */
  readonly seen: Set<string>;
  /** Shows how far it is, on a terminal only. */
  progress(cases: number): void;
}

/** What it found. Each failure says how to repeat it. */
export interface CampaignResult {
  readonly cases: number;
  readonly failures: readonly string[];
  /** Cases that were not equal to an earlier one, where equal ones are not tried again. */
  readonly distinct?: number;
  /** Where a later run goes on, of a campaign that {@link Campaign.resumes}. */
  readonly next?: number;
}

/** A search for faults that is too long for every check. */
export interface Campaign {
  readonly name: string;
  readonly summary: string;
  /** Cases of a run at full size, which has no limit of time. */
  readonly goal: number;
  /** What a case is, in the plural. */
  readonly unit: string;
  /** Whether it measures time or keeps all cores busy, so that no other campaign may run beside it. */
  readonly runsAlone?: boolean;
  /** Whether it goes on at `from` with the same seed. Others get another seed in each run. */
  readonly resumes?: boolean;
  /** What even the shortest run takes, about, where that is more than a few seconds. */
  readonly leastMinutes?: number;
  /** Why it cannot run on this machine; `undefined` when it can. */
  missing?(): Promise<string | undefined>;
  run(options: CampaignOptions): Promise<CampaignResult>;
}

/** Failures past this many add nothing; the campaign ends. */
export const FAILURES_MAX = 20;

/** Whether a campaign that has done `cases` in this run should go on. */
export function goesOn(cases: number, { casesMax, endsAtMs }: CampaignOptions): boolean {
  return cases < casesMax && (endsAtMs === undefined || performance.now() < endsAtMs);
}
