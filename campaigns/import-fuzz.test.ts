import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as imports from "@orthant/imports";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fuzzBatch } from "./fuzz/fuzz-batch.ts";
import { importTargets } from "./imports/import-targets.ts";

const BUILT = fileURLToPath(new URL("../packages/imports/dist/", import.meta.url));
/** In the repository, so that the copies find the packages they need. */
const COPIES = fileURLToPath(new URL("../build/import-mutants/", import.meta.url));
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
] as const;

describe("hostile files of other programs", () => {
  beforeAll(() => mkdirSync(COPIES, { recursive: true }));
  afterAll(() => rmSync(COPIES, { recursive: true, force: true }));

  test("a batch for each reader finds nothing", { timeout: 120_000 }, async () => {
    for (const target of importTargets(imports)) {
      expect(await fuzzBatch(target, 1, 1)).toEqual([]);
    }
  });

  test.each(MUTANTS)("finds that $fault", { timeout: 120_000 }, async ({ target, file, find, replace }) => {
    const copy = `${COPIES}${MUTANTS.findIndex((mutant) => mutant.find === find)}/`;
    cpSync(BUILT, copy, { recursive: true, filter: (path) => !path.endsWith(".map") });
    for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".js")) continue;
      const text = readFileSync(copy + name, "utf8");
      writeFileSync(copy + name, text.replace(/\n\/\/# sourceMappingURL=.*/, ""));
    }
    const source = readFileSync(copy + file, "utf8");
    expect(source.split(find)).toHaveLength(2);
    writeFileSync(copy + file, source.replace(find, replace));
    const faulty = (await import(`${copy}index.js`)) as typeof imports;
    const broken = importTargets(faulty).find(({ name }) => name === target);
    const failures: string[] = [];
    for (let round = 0; round < ROUNDS_MAX && broken !== undefined && failures.length === 0; round++) {
      failures.push(...(await fuzzBatch(broken, round, 1)));
    }
    expect(failures.length).toBeGreaterThan(0);
  });
});
