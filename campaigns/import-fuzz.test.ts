import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as imports from "@orthant/formats/readers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { importTargets } from "./imports/import-targets.ts";
import { lookTargets } from "./imports/look-targets.ts";

const BUILT = fileURLToPath(new URL("../packages/formats/dist/", import.meta.url));
/** In the repository, so that the copies find the packages they need. */
const COPIES = fileURLToPath(new URL("../build/import-mutants/", import.meta.url));
const CAMPAIGNS = fileURLToPath(new URL("../build/campaigns/", import.meta.url));
const ROUNDS_MAX = 40;

/** Faults, each with the reader that it is in. */
const MUTANTS = [
  {
    fault: "indices of a section are not counted before they are read",
    target: "column of a region",
    file: "minecraft/section.js",
    find: "longs === undefined || found !== needed",
    replace: "longs === undefined",
  },
  {
    fault: "tags may be nested without end",
    target: "NBT",
    file: "nbt/check-nbt.js",
    find: "if (depth > NBT_DEPTH_MAX)",
    replace: "if (depth > 1_000_000)",
  },
  {
    fault: "a count in a scene is believed",
    target: "MagicaVoxel",
    file: "vox/vox-node.js",
    find: "if (count < 0 || count > left / bytesMin)",
    replace: "if (count > 100_000_000) count.missing.field;\n        if (count < 0)",
  },
  {
    fault: "memory is allocated for a length that lies",
    target: "SQLite",
    file: "sqlite/sqlite-table.js",
    find: "length > ROW_BYTES_MAX || length > walk.rowBytesLeft",
    replace: "length > 2 ** 31",
  },
] as const;

/** A comment without an end leads back to the start. */
const ENDLESS = {
  file: "tiled/xml.js",
  find: "if (end < 0)",
  replace: "if (end < -1)",
};

describe("hostile files of other programs", () => {
  beforeAll(() => mkdirSync(COPIES, { recursive: true }));
  afterAll(() => rmSync(COPIES, { recursive: true, force: true }));

  test("a batch for each reader finds nothing", { timeout: 120_000 }, async () => {
    for (const target of [...importTargets(imports), ...lookTargets]) {
      expect((await fuzzBatch(target, 1, 1)).failures).toEqual([]);
    }
  });

  test.each(MUTANTS)("finds that $fault", { timeout: 120_000 }, async (mutant) => {
    const faulty = (await import(copyWith(mutant))) as typeof imports;
    const broken = importTargets(faulty).find(({ name }) => name === mutant.target);
    const failures: string[] = [];
    for (let round = 0; round < ROUNDS_MAX && broken !== undefined && failures.length === 0; round++) {
      failures.push(...(await fuzzBatch(broken, round, 1)).failures);
    }
    expect(failures.length).toBeGreaterThan(0);
  });

  test("ends with the input that a reader never returns from", { timeout: 120_000 }, () => {
    const program = `
      import * as readers from ${JSON.stringify(copyWith(ENDLESS))};
      import { fuzzBatch } from ${JSON.stringify(`${CAMPAIGNS}fuzz/fuzz-batch.js`)};
      import { importTargets } from ${JSON.stringify(`${CAMPAIGNS}imports/import-targets.js`)};
      import { Watchdog } from ${JSON.stringify(`${CAMPAIGNS}process/watchdog.js`)};
      const watchdog = new Watchdog("import-fuzz", 500);
      const target = importTargets(readers).find(({ name }) => name === "Tiled, XML");
      for (let round = 0; round < ${ROUNDS_MAX}; round++) await fuzzBatch(target, round, 1, watchdog);
      await watchdog.stop();`;
    const { signal, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program]);
    expect(signal).toBe("SIGKILL");
    const [, input = ""] =
      /^hangs: Tiled, XML: seed 1, round \d+; input ([0-9a-f]+)\n/.exec(`${stdout}`) ?? [];
    expect(Buffer.from(input, "hex").toString()).toContain("<!--");
    expect(`${stdout}`).toMatch(/\nimport-fuzz: \d+ cases, 1 failures\n$/);
  });
});

/** Copies the built readers and puts a fault into one file. Returns the path of the copy's entry. */
function copyWith({ file, find, replace }: { file: string; find: string; replace: string }): string {
  const copy = `${COPIES}${file.replaceAll("/", "-")}/`;
  cpSync(BUILT, copy, { recursive: true, filter: (path) => !/\.map$|\/bundled$/.test(path) });
  for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue;
    const text = readFileSync(copy + name, "utf8");
    writeFileSync(copy + name, text.replace(/\n\/\/# sourceMappingURL=.*/, ""));
  }
  const source = readFileSync(copy + file, "utf8");
  expect(source.split(find)).toHaveLength(2);
  writeFileSync(copy + file, source.replace(find, replace));
  return `${copy}readers.js`;
}
