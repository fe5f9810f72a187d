import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { goldenPath } from "@orthant/testkit/golden";
import { describe, expect, test } from "vitest";
import { capture } from "./captured.ts";

const FOLDER = goldenPath("polychora-v3");
const SAVES = readdirSync(FOLDER).filter((name) => /^\d\d/.test(name));

/** Damage in records, which `info` reads only to count. */
const DAMAGED_RECORDS: readonly string[] = [
  "09a-corrupt-blob",
  "09f-truncated-data",
  "09i-record-magic",
  "09j-data-header-id",
  "09k-data-header-version",
];

/** The damaged file of each damaged save. */
const DAMAGED_FILES: Readonly<Record<string, string>> = {
  "09a-corrupt-blob": "data/dt-000001.v4dt",
  "09b-corrupt-index": "index/ix-main.g0000000000000001.v4ix",
  "09c-corrupt-players": "players.g0000000000000001.v4p",
  "09d-global-magic": "global.g0000000000000001.v4g",
  "09e-missing-global": "global.g0000000000000001.v4g",
  "09f-truncated-data": "data/dt-000001.v4dt",
  "09g-manifest-version": "manifest.json",
  "09h-manifest-garbage": "manifest.json",
  "09i-record-magic": "data/dt-000001.v4dt",
  "09j-data-header-id": "data/dt-000001.v4dt",
  "09k-data-header-version": "data/dt-000001.v4dt",
  "09l-payload-version": "players.g0000000000000001.v4p",
  "09m-trailing-bytes-players": "players.g0000000000000001.v4p",
  "09n-index-generation-mismatch": "index/ix-main.g0000000000000001.v4ix",
};

interface Description {
  readonly index: { readonly generation: number; readonly leaves: readonly unknown[] };
  readonly players: readonly unknown[];
  readonly chunks: readonly unknown[];
  readonly entities: readonly unknown[];
  readonly override_payload?: { readonly chunks: readonly unknown[] };
}

describe.skipIf(SAVES.length === 0)("a save of the original program", () => {
  test("is one of 29, of which 14 are damaged", () => {
    expect(SAVES.length).toBe(29);
    expect(SAVES.filter((name) => DAMAGED_FILES[name] !== undefined).length).toBe(14);
  });

  test.each(SAVES)("%s: verify agrees with its description", async (name) => {
    const { exitCode, output, errors } = await capture(["verify", join(FOLDER, name, "save"), "--json"]);
    const { format, whole, findings } = JSON.parse(output) as {
      readonly format: string;
      readonly whole: boolean;
      readonly findings: readonly { readonly severity: string; readonly file: string }[];
    };
    const damaged = DAMAGED_FILES[name];
    expect(errors).toBe("");
    expect(format).toBe("polychora-flat");
    expect(whole).toBe(damaged === undefined);
    expect(exitCode).toBe(damaged === undefined ? EXIT.ok : EXIT.failed);
    const files = findings.filter(({ severity }) => severity === "damage").map(({ file }) => file);
    expect(new Set(files)).toEqual(new Set(damaged === undefined ? [] : [damaged]));
  });

  test.each(SAVES)("%s: info agrees with its description", async (name) => {
    const damaged = DAMAGED_FILES[name];
    const info = await capture(["info", join(FOLDER, name, "save"), "--count", "--json"]);
    if (damaged !== undefined) {
      expect(info.exitCode).toBe(EXIT.failed);
      expect(info.output).toBe("");
      expect(info.errors).toMatch(/^orthant: .* \[ORT_[A-Z_]+\]\nhint: .*\n$/);
      expect(info.errors).toContain(damaged);
      return;
    }
    const expected = JSON.parse(readFileSync(join(FOLDER, name, "expected.json"), "utf8")) as Description;
    const found = JSON.parse(info.output) as Record<string, unknown>;
    expect(info.exitCode).toBe(EXIT.ok);
    expect(found["format"]).toBe("polychora-flat");
    expect(found["generation"]).toBe(expected.index.generation);
    expect(found["leaves"]).toBe(expected.index.leaves.length);
    expect(found["players"]).toBe(expected.players.length);
    const counts = found["counts"] as Record<string, unknown>;
    expect(counts["entities"]).toBe(expected.entities.length);
    if (name !== "13-server-written") {
      expect(counts["chunks"]).toBe(expected.chunks.length + (expected.override_payload?.chunks.length ?? 0));
    }
  });

  test.each(SAVES)("%s: info without counting reads only the index", async (name) => {
    const { exitCode, errors } = await capture(["info", join(FOLDER, name, "save")]);
    const isRefused = DAMAGED_FILES[name] !== undefined && !DAMAGED_RECORDS.includes(name);
    expect(exitCode).toBe(isRefused ? EXIT.failed : EXIT.ok);
    expect(errors).not.toMatch(/^\s+at /m);
  });

  test.each(SAVES)("%s: no command shows a stack trace", async (name) => {
    const save = join(FOLDER, name, "save");
    const lines = [
      ["ls", save, "chunks"],
      ["ls", save, "entities"],
      ["ls", save, "generations"],
      ["get", save, "0,0,0,0"],
      ["repair", save],
      ["verify", save],
    ];
    for (const line of lines) {
      const { exitCode, output, errors } = await capture(line);
      expect([EXIT.ok, EXIT.failed, EXIT.loss]).toContain(exitCode);
      expect(`${output}${errors}`).not.toMatch(/^\s+at |should not happen/m);
    }
  });
});
