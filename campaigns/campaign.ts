/** Options of one run of a campaign. */
export interface CampaignOptions {
  readonly seed: number;
  /** Time to stop, in milliseconds of `performance.now`; `undefined` for no time limit. */
  readonly endsAtMs: number | undefined;
  /** Cases after which to stop; `Infinity` when only the time limit counts. */
  readonly casesMax: number;
  /** The `next` of the previous run with this seed; 0 for a first run. */
  readonly from: number;
  /** Digests of disks that earlier runs have checked, for `explorePowerCuts`. The campaign adds to it. */
  readonly seen: Set<string>;
  /** True when the run only has to show that the campaign works: it does as little as it can. */
  readonly isSmallest?: boolean;
  /** Shows the number of cases done, on a terminal only. */
  progress(cases: number): void;
}

/** Result of a run. Each failure says how to repeat it. */
export interface CampaignResult {
  readonly cases: number;
  readonly failures: readonly string[];
  /** Cases that differ from all earlier ones, for campaigns that skip repeated cases. */
  readonly distinct?: number;
  /** Where the next run continues, for a campaign that {@link Campaign.resumes}. */
  readonly next?: number;
}

/** A search for faults that takes too long to be part of every check. */
export interface Campaign {
  readonly name: string;
  readonly summary: string;
  /** Cases of a full run, which has no time limit. */
  readonly goal: number;
  /** Name of a case, in the plural. */
  readonly unit: string;
  /** True when no other campaign may run beside it, because it measures time or keeps all cores busy. */
  readonly runsAlone?: boolean;
  /** True when it continues at `from` with the same seed. Others get a new seed in each run. */
  readonly resumes?: boolean;
  /** Approximate duration of the shortest run, if it is more than a few seconds. */
  readonly leastMinutes?: number;
  /** Returns why it cannot run on this machine; `undefined` when it can. */
  missing?(): Promise<string | undefined>;
  run(options: CampaignOptions): Promise<CampaignResult>;
}

/** Failures after which a campaign ends, because more would add nothing. */
export const FAILURES_MAX = 20;

/** Returns whether a campaign that has done `cases` in this run should continue. It does at least one. */
export function goesOn(cases: number, { casesMax, endsAtMs }: CampaignOptions): boolean {
  return cases < casesMax && (cases === 0 || endsAtMs === undefined || performance.now() < endsAtMs);
}
