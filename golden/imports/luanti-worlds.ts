import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { NodeDisk } from "@orthant/disk/node";
import { type LuantiBlock, type LuantiNodeData, NOT_STORED, openLuanti } from "@orthant/formats/readers";
import { goldenPath } from "@orthant/testkit/golden";
import { attemptRow, type GoldenRow, type GoldenSuite, parseJson, row } from "../suite.ts";

const FOLDER = "imports/luanti";
const WORLDS = ["5.3.0-v28", "5.6.1-v29", "5.15.2-v29-xyz"];

interface ExpectedWorld {
  readonly mapblocks: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly countsAirIgnore: { readonly air: number; readonly ignore: number };
  readonly countsByParam2: Readonly<Record<string, number>>;
  readonly samples: readonly (readonly [number, number, number, string, number, number])[];
  readonly blockEntities: readonly {
    readonly pos: readonly number[];
    readonly node: string;
    readonly sha256: string;
  }[];
  readonly timers: readonly {
    readonly pos: readonly number[];
    readonly timeout: number;
    readonly elapsed: number;
  }[];
  readonly staticObjects: readonly {
    readonly type: number;
    readonly pos: readonly number[];
    readonly dataHex: string;
  }[];
}

/** The map of three engines, five rows each, and the damaged ones with one row each. */
export const importedLuantiSuites: readonly GoldenSuite[] = [
  ...WORLDS.map((name) => ({
    file: `${FOLDER}/${name}/map.expected.json`,
    check: (bytes: Uint8Array) => checkWorld(name, parseJson<ExpectedWorld>(bytes)),
  })),
  {
    file: `${FOLDER}/damaged/EXPECT.json`,
    check: (bytes) =>
      Promise.all(
        Object.keys(parseJson<object>(bytes)).map((file) => attemptRow(file, () => checkDamaged(file))),
      ),
  },
];

interface Opened {
  readonly blocks: readonly LuantiBlock[];
  readonly messages: readonly string[];
}

async function openAll(folder: string, file: string): Promise<Opened> {
  const world = await openLuanti(new NodeDisk(goldenPath(FOLDER, folder)), file);
  const blocks: LuantiBlock[] = [];
  for await (const block of world.blocks()) blocks.push(block);
  await world.close();
  return { blocks, messages: world.findings.map(({ message }) => message) };
}

async function checkWorld(name: string, expected: ExpectedWorld): Promise<readonly GoldenRow[]> {
  const { blocks, messages } = await openAll(name, "map.sqlite");
  const byPlace = new Map(blocks.map((block) => [block.min.join(","), block]));
  const nodeAt = (place: readonly number[]): readonly unknown[] => {
    const block = byPlace.get(place.map((at) => Math.floor(at / 16) * 16).join(","));
    const [x = 0, y = 0, z = 0] = place.map((at) => at - Math.floor(at / 16) * 16);
    const at = x + z * 16 + y * 256;
    return [block?.palette[block.indices[at] ?? NOT_STORED], block?.param1[at], block?.param2[at]];
  };
  return [
    row(`${name} blocks`, () => {
      deepEqual(messages, []);
      equal(blocks.length, expected.mapblocks);
    }),
    row(`${name} counts`, () => checkCounts(blocks, expected)),
    row(`${name} samples`, () => {
      ok(expected.samples.length > 0);
      for (const [x, y, z, ...node] of expected.samples)
        deepEqual(nodeAt([x, y, z]), node, `at [${x}, ${y}, ${z}]`);
    }),
    row(`${name} metadata`, () => {
      const found = blocks.flatMap(({ nodeData }) =>
        nodeData.map((data) => `${data.position} ${nodeAt(data.position)[0]} ${hashOf(data)}`),
      );
      deepEqual(
        found.sort(),
        expected.blockEntities.map(({ pos, node, sha256 }) => `${pos} ${node} ${sha256}`).sort(),
      );
    }),
    row(`${name} timers and objects`, () => {
      deepEqual(
        blocks
          .flatMap(({ timers }) => timers.map(({ position, ...timer }) => ({ pos: position, ...timer })))
          .sort(byPlaceOf),
        [...expected.timers].sort(byPlaceOf),
      );
      deepEqual(
        blocks.flatMap(({ objects }) =>
          objects.map(({ type, position, data }) => [type, position, Buffer.from(data).toString("hex")]),
        ),
        expected.staticObjects.map(({ type, pos, dataHex }) => [type, pos, dataHex]),
      );
    }),
  ];
}

function byPlaceOf(a: { readonly pos: readonly number[] }, b: { readonly pos: readonly number[] }): number {
  return (a.pos[0] ?? 0) - (b.pos[0] ?? 0);
}

function checkCounts(blocks: readonly LuantiBlock[], expected: ExpectedWorld): void {
  const counts = new Map<string, number>();
  const byParam2 = new Map<string, number>();
  for (const { palette, indices, param2 } of blocks) {
    for (const [at, index] of indices.entries()) {
      const name = palette[index] ?? "ignore";
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const key = `${name} param2=${param2[at]}`;
      byParam2.set(key, (byParam2.get(key) ?? 0) + 1);
    }
  }
  const { air, ignore } = expected.countsAirIgnore;
  deepEqual(
    Object.fromEntries([...counts].sort()),
    Object.fromEntries(Object.entries({ ...expected.counts, air, ignore }).sort()),
  );
  for (const [key, count] of Object.entries(expected.countsByParam2)) equal(byParam2.get(key), count, key);
}

function hashOf({ fields, privateFields, inventory }: LuantiNodeData): string {
  const sorted = <Value>(map: ReadonlyMap<string, Value>): Record<string, Value> =>
    Object.fromEntries([...map].sort());
  const lists = [...inventory].map(([name, { width, items }]) => [name, { items, width }] as const);
  const canonical = JSON.stringify({
    fields: sorted(fields),
    inventory: sorted(new Map(lists)),
    private: [...privateFields].sort(),
  });
  return createHash("sha256").update(canonical).digest("hex");
}

/** What the findings of a damaged world say, and where the blocks that are left begin. */
const DAMAGED: Readonly<Record<string, readonly [finding: RegExp, blocks: readonly string[]]>> = {
  "blob-corrupt.sqlite": [/block \[0, 0, 0\] is left out/, ["-16,-16,-16"]],
  "blob-version-99.sqlite": [/block \[0, 0, 0\] is left out: a block of version 99/, ["-16,-16,-16"]],
  "content-id-unmapped.sqlite": [/1 nodes of block \[0, 0, 0\] have no name/, ["-16,-16,-16", "0,0,0"]],
  "node-data-short.sqlite": [/block \[0, 0, 0\] is left out/, ["-16,-16,-16"]],
  "blob-empty.sqlite": [/block \[0, 0, 0\] is left out/, ["-16,-16,-16"]],
  "zstd-bomb-64mb.sqlite": [/block \[0, 0, 0\] is left out: more than 4194304 bytes/, []],
};

async function checkDamaged(file: string): Promise<void> {
  const { blocks, messages } = await openAll("damaged", file);
  const expected = DAMAGED[file];
  if (expected !== undefined) {
    deepEqual(blocks.map(({ min }) => min.join(",")).sort(), [...expected[1]].sort());
    equal(messages.length, 1, JSON.stringify(messages));
    ok(expected[0].test(messages[0] ?? ""), messages[0]);
    return;
  }
  ok(/bytes where \d+ pages of 4096/.test(messages[0] ?? ""), messages[0]);
  ok(messages.length > 1, "no finding names what is lost");
  if (file === "cut-page.sqlite") equal(blocks.length, 442);
  else ok(blocks.length < 472);
}
