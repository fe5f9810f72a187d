import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runAllCampaigns } from "./all.ts";
import type { Campaign } from "./campaign.ts";
import { CampaignRecords } from "./totals/records.ts";

/** Appends its arguments to a file, and fails when asked to run `broken`. */
const PROGRAM = `
import { appendFileSync } from "node:fs";
const [name, ...options] = process.argv.slice(2);
appendFileSync(new URL("./started", import.meta.url), name + " " + options.slice(0, 2).join(" ") + "\\n");
process.exitCode = name === "broken" ? 3 : 0;
`;

function campaign(name: string, more: Partial<Campaign> = {}): Campaign {
  return {
    name,
    summary: "",
    goal: 10,
    unit: "cases",
    run: async () => ({ cases: 0, failures: [] }),
    ...more,
  };
}

describe("a run of all campaigns", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "orthant-all-"));
    for (const sources of ["packages", "campaigns"]) await mkdir(join(folder, sources));
    await writeFile(join(folder, "program.mjs"), PROGRAM);
    vi.spyOn(console, "log").mockImplementation(() => undefined);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  test("starts each one, exclusive ones first, and leaves out those that cannot run", async () => {
    const records = await CampaignRecords.ofCodeIn(folder);
    const rows = await runAllCampaigns(
      [
        campaign("beside"),
        campaign("broken"),
        campaign("rooted", { missing: async () => "needs root" }),
        campaign("alone", { runsAlone: true }),
        campaign("long", { runsAlone: true, leastMinutes: 60 }),
      ],
      { minutes: 1, records, program: join(folder, "program.mjs") },
    );
    const started = (await readFile(join(folder, "started"), "utf8")).trimEnd().split("\n");
    expect(started[0]).toBe("alone --continue --minutes");
    expect(started.map((line) => line.split(" ")[0]).sort()).toEqual(["alone", "beside", "broken"]);
    expect(rows.map(({ campaign: { name }, failures, leftOut }) => [name, failures, leftOut])).toEqual([
      ["beside", 0, undefined],
      ["broken", 1, undefined],
      ["rooted", 0, "needs root"],
      ["alone", 0, undefined],
      ["long", 0, "needs 60 minutes for itself"],
    ]);
  });

  test("starts nothing when no time is left", async () => {
    const records = await CampaignRecords.ofCodeIn(folder);
    const options = { minutes: 0, records, program: join(folder, "program.mjs") };
    expect(await runAllCampaigns([campaign("beside")], options)).toMatchObject([
      { failures: 0, leftOut: "no time was left" },
    ]);
  });
});
