import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BlockCatalog, CUBE_CHUNKS, DEFAULT_BLOCKS } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { writeNamedWorld } from "@orthant/testkit/saves";
import { openWorldEngine } from "@orthant/world/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

/** Clears a screen, ends a line, ends a string, and reverses the direction of the following text. */
const HOSTILE = "a\u001b[2J\u009b31m\nb\0\u202ec\u2066";
const ESCAPED = "a\\u001b[2J\\u009b31m\\u000ab\\u0000\\u202ec\\u2066";
/** Characters that must not reach a terminal, apart from the line feeds between lines. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

let world: string;
let other: string;

beforeAll(async () => {
  const root = await temporaryFolder();
  [world, other] = [join(root, "world"), join(root, "other")];
  for (const [folder, name] of [
    [world, HOSTILE],
    [other, "plain"],
  ] as const) {
    const disk = await NodeDisk.create(folder);
    await writeNamedWorld(disk, CUBE_CHUNKS, {
      name,
      catalog: new BlockCatalog([...DEFAULT_BLOCKS.types, { id: 99, name: HOSTILE, colour: 0, solid: true }]),
    });
    const made = await openWorldEngine(disk);
    await made.set([0, 100, 0, 0], 99);
    made.entities.spawn({ kind: 3, position: [1, 100, 1, 0], displayName: name, tags: [name] });
    made.upsertPlayer({ playerId: 5n, name, tags: [name] });
    await made.close();
  }
  await mkdir(join(world, "journal"), { recursive: true });
  await writeFile(join(world, `evil\u001b[2J\u202e.v4dw`), "");
  await writeFile(join(world, "journal", `evil\u001b[2J\u202e.v4jn`), "");
});

describe("text from a hostile save", () => {
  test.each([
    ["info", ["--blocks"]],
    ["ls", ["players"]],
    ["ls", ["entities"]],
    ["ls", ["files"]],
    ["get", ["0,100,0,0"]],
    ["verify", []],
    ["diff", ["OTHER"]],
    ["log", []],
    ["repair", []],
    ["map", ["--output", "MAP", "--box", "0,100,0..4,104,4"]],
  ])("is escaped by %s %j, as text and as JSON", async (command, words) => {
    const named = words.map((word) => (word === "OTHER" ? other : word === "MAP" ? `${world}.png` : word));
    for (const options of [[], ["--json", "--force"].slice(0, command === "map" ? 2 : 1)]) {
      const { output, errors } = await capture([command, world, ...named, ...options], { isTerminal: false });
      for (const line of `${output}${errors}`.split("\n")) expect(line).not.toMatch(UNSAFE);
      if (options.length > 0) expect(() => JSON.parse(output)).not.toThrow();
    }
  });

  test("is unchanged for a program that parses the JSON", async () => {
    const { output } = await capture(["info", world, "--json"]);
    expect(output).toContain(ESCAPED.replaceAll("\\u000a", "\\n"));
    expect(JSON.parse(output)).toMatchObject({ name: HOSTILE });
  });

  test("is shown with its escapes, in correctly aligned columns", async () => {
    const { output } = await capture(["ls", world, "players"]);
    const [heading = "", row = ""] = output.split("\n");
    expect(row).toContain(ESCAPED);
    expect(heading.indexOf("position")).toBe(row.indexOf(" [0, ") + 1);
  });

  test("is also escaped in errors, in the name of a folder or an option", async () => {
    // An error is one line: only the first line of a longer message is shown.
    const wrong = await capture(["info", HOSTILE.replace("\n", "")]);
    expect(wrong.errors).toContain(ESCAPED.replace("\\u000a", ""));
    const choice = await capture(["ls", world, HOSTILE]);
    for (const line of `${wrong.errors}${choice.errors}`.split("\n")) expect(line).not.toMatch(UNSAFE);
  });
});
