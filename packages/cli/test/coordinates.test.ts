import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import type { Dimensions, Position } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { NEWEST_TWO } from "./sample-world.ts";

const TEMPLATES: Readonly<Record<Dimensions, string>> = { 2: "tiles", 3: "terrain", 4: "platforms" };

/** Commands that say where something is, for a folder with the worlds `one` and `other`, which differ. */
function commandsIn(folder: string): readonly (readonly string[])[] {
  const [one, other] = [join(folder, "one"), join(folder, "other")];
  return [
    ["create", join(folder, "new"), "--template", "terrain", "--seed", "7", "--dry-run"],
    ["info", one, "--count"],
    ["get", one, "5,70"],
    ["ls", one],
    ["ls", one, "regions"],
    ["ls", one, "chunks"],
    ["ls", one, "entities"],
    ["ls", one, "players"],
    ["diff", one, other],
    ["map", one, "--force", "--output", join(folder, "map.png")],
    ["export", one, join(folder, "one.glb"), "--accept-loss", "--box", "4,69..7,72", "--dry-run"],
    ["paste", other, one, "--at", "1,200", "--box", "4,69..7,72", "--accept-loss", "--dry-run"],
    ["restore", one, "--box", "0,64..16,80", "--from", "2", "--dry-run"],
  ];
}

describe.each<Dimensions>([2, 3, 4])("positions in a world of %i dimensions", (dimensions) => {
  let folder: string;

  const inWorld = (...all: readonly number[]): Position =>
    positionFrom((axis) => (axis < dimensions ? (all[axis] ?? 0) : 0));

  const make = async (name: string, x: number): Promise<void> => {
    const made = join(folder, name);
    await capture(["create", made, "--template", TEMPLATES[dimensions], "--seed", "7"]);
    const world = await openWorldEngine(new NodeDisk(made), { retention: NEWEST_TWO });
    world.describe({ spawn: inWorld(x, 80, 3, 4) });
    await world.set(inWorld(x, 70, 0, 0), 3);
    await world.set(inWorld(-20, 6, 9, -2), 2);
    world.entities.spawn({ kind: 3, position: inWorld(1.5, 2, 3, 4), displayName: "Dolly" });
    world.upsertPlayer({ playerId: 9n, name: "Ada", position: inWorld(4, 5, 6, 7) });
    await world.close();
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    await make("one", 5);
    await make("other", 6);
  });

  test("have as many coordinates in every command, and text and --json say the same ones", async () => {
    for (const command of commandsIn(folder)) {
      const said = await capture(command);
      const { output } = await capture([...command, "--json"]);
      const count = command[0] === "create" ? 3 : dimensions;
      if (said.exitCode === EXIT.failed && command[0] !== "diff") {
        // What is written for other programs has three axes at most, which the command says.
        expect([command[0], dimensions]).toEqual(["export", 4]);
        continue;
      }
      const inJson = positionsIn(JSON.parse(output)).map((position) => position.join(", "));
      const inText = [...said.output.matchAll(/\[(-?[\d.]+(?:, -?[\d.]+)+)\]/g)].map(([, text]) => text);
      const name = command.slice(0, 3).join(" ");
      expect(inText, name).not.toEqual([]);
      expect(
        [...inText, ...inJson].filter((text) => text?.split(", ").length !== count),
        name,
      ).toEqual([]);
      expect(
        inText.filter((text) => !inJson.includes(text ?? "")),
        name,
      ).toEqual([]);
    }
  });

  test("are refused with more coordinates than that", async () => {
    const { exitCode, errors } = await capture(["get", join(folder, "one"), "1,2,3,4"]);
    if (dimensions === 4) expect(exitCode).toBe(EXIT.ok);
    else expect(errors).toContain(`[1, 2, 3, 4] has more than the ${dimensions} axes of the world`);
  });
});

test("a world's id is the same in text and --json", async () => {
  const folder = join(await temporaryFolder(), "one");
  await capture(["create", folder]);
  await (await openWorldEngine(new NodeDisk(folder))).close();
  const { worldId } = await captureJson<{ readonly worldId: string }>("info", folder);
  expect(worldId).toMatch(/^[1-9]\d*$/);
  expect((await capture(["info", folder])).output).toContain(`\nworld id     ${worldId}\n`);
});

test("damage in a world of three dimensions is at chunks with three coordinates", async () => {
  const folder = join(await temporaryFolder(), "one");
  await capture(["create", folder, "--template", "terrain", "--seed", "7"]);
  const world = await openWorldEngine(new NodeDisk(folder));
  await world.set([0, 100, 0, 0], 3);
  await world.close();
  const file = join(folder, "data/dt-000001.v4dt");
  const bytes = await readFile(file);
  bytes[30] = (bytes[30] ?? 0) ^ 1;
  await writeFile(file, bytes);
  const { findings } = JSON.parse((await capture(["verify", folder, "--json"])).output) as {
    readonly findings: readonly { readonly chunks: unknown }[];
  };
  const damaged = findings.map(({ chunks }) => chunks).filter((chunks) => chunks !== null);
  expect(damaged[0]).toEqual({ min: [0, 0, 0], max: [65_536, 65_536, 65_536] });
});

const POSITION_FIELDS: ReadonlySet<string> = new Set([
  ...["voxel", "position", "spawn", "min", "max", "chunk", "region", "chunkShape", "at"],
]);

/** Returns all positions of a result, those in the texts of `diff`, too. */
function positionsIn(value: unknown, field = ""): readonly (readonly number[])[] {
  if (typeof value === "string" && /^\[[\d., -]+\]$/.test(value)) return [JSON.parse(value) as number[]];
  // The pictures of a map are at places on one axis.
  if (typeof value !== "object" || value === null || field === "sheet") return [];
  if (Array.isArray(value) && POSITION_FIELDS.has(field) && typeof value[0] === "number") return [value];
  return Object.entries(value).flatMap(([name, item]) => positionsIn(item, name));
}
