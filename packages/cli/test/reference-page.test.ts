import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { COMMANDS, EXIT } from "@orthant/cli";
import { fromHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../../docs/reference/cli.md", import.meta.url)), "utf8");
const SECTIONS = new Map(
  PAGE.split(/^## /m).map((section) => [section.split("\n", 1)[0] ?? "", section] as const),
);
/** Fields that a generator defines, listed on its own page. */
const FOREIGN_FIELDS: readonly string[] = ["parameters"];

/** Returns the first block of text in a section. */
function shownHelp(section: string): string | undefined {
  return /^```text\n(?<help>.*?)^```$/ms.exec(section)?.groups?.["help"];
}

/** Returns every key of an object, including nested ones. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    key,
    ...(FOREIGN_FIELDS.includes(key) ? [] : keysOf(item)),
  ]);
}

describe("docs/reference/cli.md", () => {
  test("shows the output of orthant --help", async () => {
    const { output } = await capture(["--help"]);
    expect(shownHelp(PAGE)).toBe(output);
  });

  test.each(COMMANDS.map(({ name }) => name))("has a section on %s that shows its --help", async (name) => {
    const { output } = await capture([name, "--help"]);
    expect(shownHelp(SECTIONS.get(name) ?? "")).toBe(output);
  });

  test("has the sections in the order of the commands", () => {
    const names: readonly string[] = COMMANDS.map(({ name }) => name);
    expect([...SECTIONS.keys()].filter((title) => names.includes(title))).toEqual(names);
  });

  test("lists every exit code", () => {
    for (const code of Object.values(EXIT)) expect(PAGE).toMatch(new RegExp(`^\\| ${code} `, "m"));
  });

  test("names every field of every object that --json prints", async () => {
    const world = await makeSampleWorld();
    const folder = await temporaryFolder();
    await writeFile(`${folder}/recording`, fromHex("4f573152 01 0064 0100 00 581b 09 010206010a030a0a08"));
    const lines = [
      ["create", `${folder}/new`],
      ["info", world, "--count"],
      ...["leaves", "regions", "chunks", "entities", "players", "generations", "files"].map((what) => [
        "ls",
        world,
        what,
      ]),
      ["get", world, "0,100,0,0"],
      ["map", world, "-o", `${folder}/map.png`, "--scale", "1"],
      ["verify", world],
      ["repair", world],
      ["diff", world, world],
      ["log", world],
      ["tag", world, "monday"],
      ["backup", world, `${folder}/backup`],
      ["restore", `${folder}/backup`, `${folder}/restored`],
      ["restore", world, "--box", "0,0,0..8,8,8", "--from", "monday"],
      ["paste", `${folder}/restored`, world, "--box", "0,100,0..4,104,4", "--at", "0,120,0"],
      ["replay", `${folder}/recording`],
      ["compact", world],
      ["token", "--secret-file", `${folder}/secret`, "--new-secret"],
      ["bench", folder],
      ["completion", "bash"],
    ];
    for (const [name = "", ...rest] of lines) {
      const { exitCode, output } = await capture([name, ...rest, "--json"]);
      expect(exitCode).toBe(EXIT.ok);
      const words = new Set(
        (SECTIONS.get(name)?.match(/`[^`\n]+`/g) ?? []).flatMap((code) => code.split(/\W+/)),
      );
      const missing = keysOf(JSON.parse(output)).filter((key) => !words.has(key));
      expect(missing, `fields of ${name}`).toEqual([]);
    }
  });
});
