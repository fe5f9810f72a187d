import { readFile } from "node:fs/promises";
import { OrthantError } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { Prng } from "@orthant/testkit";
import { createWorld } from "@orthant/world";
import { beforeAll, describe, expect, test } from "vitest";
import { Watchdog } from "./process/watchdog.ts";
import {
  BROWSER_ENTRIES,
  INNER_ENTRIES,
  NOT_CALLED,
  NOT_CALLED_CLASSES,
  OPERATOR_ENTRIES,
} from "./rubbish/not-called.ts";
import { stepFunctions } from "./rubbish/simulation-targets.ts";
import type { Stage } from "./rubbish/stage.ts";
import { callStage, STAGES } from "./rubbish.ts";

/** The entries that games import, of which every function, constructor and method is called. */
const ENTRIES: Readonly<Record<string, () => Promise<object>>> = {
  orthant: () => import("orthant"),
  "@orthant/client": () => import("@orthant/client"),
  "@orthant/client/node": () => import("@orthant/client/node"),
  "@orthant/core": () => import("@orthant/core"),
  "@orthant/core/generate": () => import("@orthant/core/generate"),
  "@orthant/core/operations": () => import("@orthant/core/operations"),
  "@orthant/disk": () => import("@orthant/disk"),
  "@orthant/disk/node": () => import("@orthant/disk/node"),
  "@orthant/formats": () => import("@orthant/formats"),
  "@orthant/worker-pool/node": () => import("@orthant/worker-pool/node"),
  "@orthant/formats/exports": () => import("@orthant/formats/exports"),
  "@orthant/formats/readers": () => import("@orthant/formats/readers"),
  "@orthant/mesh": () => import("@orthant/mesh"),
  "@orthant/mesh/looks": () => import("@orthant/mesh/looks"),
  "@orthant/pixel-world": () => import("@orthant/pixel-world"),
  "@orthant/save": () => import("@orthant/save"),
  "@orthant/server": () => import("@orthant/server"),
  "@orthant/world": () => import("@orthant/world"),
};

describe("the campaign rubbish", () => {
  const called = new Set<string>();
  beforeAll(async () => {
    for (const stage of STAGES) {
      const opened = await stage.open(new Prng(1));
      for (const { name } of opened.targets) called.add(name);
      expect(await opened.finish()).toEqual([]);
    }
  }, 60_000);
  test.each(Object.keys(ENTRIES))("calls every function, constructor and method of %s", async (entry) => {
    const listed = await publicNames(entry);
    const module = (await ENTRIES[entry]?.()) as Readonly<Record<string, unknown>>;
    const missing = listed
      .flatMap((name) => callsOf(name, module[name]))
      .filter((call) => !called.has(call) && !NOT_CALLED.has(call))
      .filter((call) => !NOT_CALLED_CLASSES.has(call.replace(/^new |\..*$/g, "")));
    expect(missing).toEqual([]);
  });

  test("calls every function of a step", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
    const functions = await stepFunctions(world);
    await world.close();
    expect(functions).toContain("Step.entities.near");
    expect(functions.filter((name) => !called.has(name))).toEqual([]);
  });

  test("calls every entry, or says why not", async () => {
    const listed = (await sectionsOfNames()).map((section) => section.split(" (")[0] as string);
    const known = new Set([
      ...Object.keys(ENTRIES),
      ...Object.keys(INNER_ENTRIES),
      ...BROWSER_ENTRIES,
      ...OPERATOR_ENTRIES,
    ]);
    expect(listed.filter((entry) => !known.has(entry))).toEqual([]);
    expect([...known].filter((entry) => !listed.includes(entry))).toEqual([]);
  });

  test("finds an error that does not name the argument", async () => {
    const fail = (message: string) => {
      throw new OrthantError("ORT_ARGUMENT", message);
    };
    const vague: Stage = {
      name: "vague",
      open: async () => ({
        targets: [
          { name: "vague", args: () => [{ radius: 1 }], call: () => fail("the value is 5; it is a string") },
          { name: "clear", args: () => [{ radius: 1 }], call: () => fail("radius is 5; it is a string") },
        ],
        finish: async () => [],
      }),
    };
    const faults = await callStage(vague, new Prng(1), 50);
    expect(new Set(faults.map(({ text }) => text.split("(")[0]))).toEqual(new Set(["vague"]));
    expect(faults[0]?.text).toContain("names no argument: ORT_ARGUMENT: the value is 5");
  });

  test("finds a raw error, a hang and a difference", async () => {
    const broken: Stage = {
      name: "broken",
      open: async () => ({
        targets: [{ name: "broken", args: () => [[1]], call: ([list]) => (list as number[]).map(String) }],
        finish: async () => ["reopened: name was 1 and is 2"],
      }),
    };
    const faults = await callStage(broken, new Prng(1), 50);
    expect(faults.map(({ text }) => text).join("\n")).toMatch(/TypeError: .*map/);
    expect(faults.at(-1)?.text).toBe("reopened: name was 1 and is 2");
  });

  test("finds nothing in a short run", async () => {
    const watchdog = new Watchdog("rubbish");
    const texts: string[] = [];
    for (const stage of STAGES) {
      const faults = await callStage(stage, new Prng(11), 60, (text) => watchdog.next(text));
      texts.push(...faults.map(({ text }) => `${stage.name}: ${text}`));
    }
    await watchdog.stop();
    expect(texts).toEqual([]);
  }, 120_000);
});

async function sectionsOfNames(): Promise<readonly string[]> {
  return (await readFile("tools/test/public-names.txt", "utf8")).trim().split("\n\n");
}

/** Returns the public names of an entry that are not types. */
async function publicNames(entry: string): Promise<readonly string[]> {
  const [, ...names] =
    (await sectionsOfNames())
      .find((section) => section.startsWith(`${entry} (`))
      ?.trimEnd()
      .split("\n") ?? [];
  expect(names.length, entry).toBeGreaterThan(0);
  return names.map((name) => name.trim()).filter((name) => !name.startsWith("type "));
}

/** Returns what can be called of an export: itself, or its constructor and methods. */
function callsOf(name: string, value: unknown): readonly string[] {
  if (typeof value !== "function") return [];
  if (!/^class\b/.test(Function.prototype.toString.call(value))) return [name];
  const { prototype } = value as { readonly prototype: object };
  const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([method, { value: body }]) => method !== "constructor" && typeof body === "function")
    .map(([method]) => `${name}.${method}`);
  return [`new ${name}`, ...methods];
}
