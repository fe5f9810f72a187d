import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shareOf } from "./all.ts";
import type { Campaign } from "./campaign.ts";
import { type CampaignRecord, CampaignRecords } from "./totals/records.ts";
import { formatRunTable } from "./totals/table.ts";

const RECORD: CampaignRecord = { cases: 1_500, distinct: 20, failures: 1, tookMs: 61_000, next: 3 };
const EMPTY: CampaignRecord = { cases: 0, distinct: undefined, failures: 0, tookMs: 0, next: 0 };

describe("a campaign's share of the time", () => {
  test("is larger the farther the campaign is from its goal", () => {
    const wishes = [
      { weight: 1, lanes: 1 },
      { weight: 0.5, lanes: 1 },
    ];
    const shares = wishes.map((wish) => shareOf(wish, wishes, [30_000]));
    expect(shares).toEqual([20_000, 10_000]);
  });

  test("is small but not zero once the campaign has reached its goal", () => {
    const done = { weight: -3, lanes: 1 };
    expect(shareOf(done, [done, { weight: 0.95, lanes: 1 }], [100_000])).toBeCloseTo(5_000);
  });

  test("counts every lane that the campaign keeps busy", () => {
    const alone = { weight: 1, lanes: 2 };
    const other = { weight: 1, lanes: 1 };
    // 15 s of both lanes for `alone`, then 15 s of one lane for each of the two others.
    expect(shareOf(alone, [alone, other, other], [30_000, 30_000])).toBe(15_000);
  });
});

describe("campaign records", () => {
  let repository = "";
  beforeEach(async () => {
    repository = await mkdtemp(join(tmpdir(), "orthant-records-"));
    for (const folder of ["packages/a/src", "packages/a/test", "campaigns"])
      await mkdir(join(repository, folder), { recursive: true });
    await writeFile(join(repository, "packages/a/src/a.ts"), "1");
  });
  afterEach(() => rm(repository, { recursive: true }));

  test("persist until the next run", async () => {
    const records = await CampaignRecords.ofCodeIn(repository);
    await records.write("kill", RECORD);
    await records.addSeen("kill", ["a", "b"]);
    await records.addSeen("kill", []);
    await records.addSeen("kill", ["c"]);
    const later = await CampaignRecords.ofCodeIn(repository);
    expect(await later.read("kill")).toEqual(RECORD);
    expect(await later.readSeen("kill")).toEqual(new Set(["a", "b", "c"]));
    expect(await later.read("model")).toEqual(EMPTY);
    expect(await later.readSeen("model")).toEqual(new Set());
  });

  test("start over when a source file of a package or campaign changes, not when a test does", async () => {
    await (await CampaignRecords.ofCodeIn(repository)).write("kill", RECORD);
    await writeFile(join(repository, "packages/a/test/a.test.ts"), "2");
    await writeFile(join(repository, "campaigns/a.test.ts"), "2");
    expect(await (await CampaignRecords.ofCodeIn(repository)).read("kill")).toEqual(RECORD);
    await writeFile(join(repository, "packages/a/src/a.ts"), "2");
    expect(await (await CampaignRecords.ofCodeIn(repository)).read("kill")).toEqual(EMPTY);
    await writeFile(join(repository, "packages/a/src/a.ts"), "1");
    await writeFile(join(repository, "campaigns/b.ts"), "2");
    expect(await (await CampaignRecords.ofCodeIn(repository)).read("kill")).toEqual(EMPTY);
  });
});

test("the table of a run shows its cases beside the totals, and names the campaigns left out", () => {
  const campaign = (name: string): Campaign => ({
    ...{ name, summary: "", goal: 2_000, unit: "kills" },
    run: async () => ({ cases: 0, failures: [] }),
  });
  const table = formatRunTable([
    { campaign: campaign("kill"), before: { ...EMPTY, cases: 500 }, after: RECORD, failures: 1 },
    { campaign: campaign("power"), before: EMPTY, after: EMPTY, failures: 0, leftOut: "needs root" },
  ]);
  expect(table.split("\n")).toEqual([
    "campaign   goal  this run  total  distinct  failures  seconds",
    "kill      2,000     1,000  1,500        20         1       61",
    "power     2,000  left out: needs root",
  ]);
});
