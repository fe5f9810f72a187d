import { readFileSync } from "node:fs";
import { checkLooks, MODELS, parseLooks } from "@orthant/mesh/looks";
import { describe, expect, test } from "vitest";

const PAGE = readFileSync("docs/reference/looks.md", "utf8");
const EXAMPLES = Array.from(PAGE.matchAll(/^```json\n(.*?)^```$/gms), ([, text = ""]) => text);

/** Pictures for all names that a text has. */
function picturesFor(text: string): Map<string, { width: number; height: number; pixels: Uint8Array }> {
  const names = Array.from(text.matchAll(/"([\w-]+)"/g), ([, name = ""]) => name);
  return new Map(names.map((name) => [name, { width: 1, height: 1, pixels: new Uint8Array(4) }]));
}

/** The names in the first column of a table. */
function firstColumn(heading: string): readonly string[] {
  const rows =
    PAGE.slice(PAGE.indexOf(heading))
      .split("\n\n")
      .find((part) => part.startsWith("| ")) ?? "";
  return rows
    .split("\n")
    .slice(2)
    .flatMap((row) => Array.from((row.split("|")[1] ?? "").matchAll(/`(\w+)`/g), ([, name = ""]) => name));
}

describe("the page of look packs", () => {
  test("has examples without mistakes", () => {
    expect(EXAMPLES).toHaveLength(2);
    for (const text of EXAMPLES) expect(checkLooks(text, picturesFor(text))).toEqual([]);
  });

  test("lists every model", () => {
    expect([...firstColumn("## Models")].sort()).toEqual(Object.keys(MODELS).sort());
  });

  test("lists every field of a look, a texture and a box", () => {
    const fields = firstColumn("A look has these fields");
    const unknown = (blocks: object, name: string) =>
      checkLooks({ blocks }, picturesFor("")).filter(({ message }) =>
        message.startsWith(`there is no field "${name}"`),
      );
    for (const name of fields) expect(unknown({ a: { [name]: 1 } }, name)).toEqual([]);
    expect(unknown({ a: { colour: 1 } }, "colour")).toHaveLength(1);
    const [problem] = unknown({ a: { zzzzzzzzz: 1 } }, "zzzzzzzzz");
    // Without a near name, an error lists the first twelve of those that there are.
    const listed = Array.from((problem?.message ?? "").matchAll(/"(\w+)"/g), ([, name = ""]) => name).slice(
      1,
    );
    expect(listed.filter((name) => !fields.includes(name))).toEqual([]);
    for (const name of firstColumn("## Textures")) {
      expect(unknown({ a: { texture: { picture: "a", [name]: 1 } } }, name)).toEqual([]);
    }
  });

  test("describes a door that changes with its half", () => {
    const text = EXAMPLES[1] ?? "";
    const pack = parseLooks(text, picturesFor(text));
    const type = {
      id: 1,
      name: "oak door",
      colour: 0,
      solid: true,
      transparent: false,
      light: 0,
      opacity: 15,
      properties: [],
      tags: [],
      retired: false,
      shape: [],
    };
    const [lower, upper] = ["lower", "upper"].map(
      (half) => pack.lookOf(type, { half })?.quads[0]?.texture.layer,
    );
    expect(lower).not.toBe(upper);
  });
});
