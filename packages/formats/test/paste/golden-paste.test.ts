import { basename } from "node:path";
import { AIR, type Position, terrain } from "@orthant/core";
import { blockLabel } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import { importToMemory, pasteWorld } from "@orthant/formats/imports";
import { isWhole, verifySave } from "@orthant/save";
import { createWorld, openWorld } from "@orthant/world";
import { describe, expect, test } from "vitest";
import { expectationOf, goldenDisk, hasBorrowed } from "../imported/samples.ts";

interface ExpectedSchematic {
  readonly samples: readonly (readonly [x: number, y: number, z: number, state: string])[];
  readonly blockEntities: readonly { readonly pos: readonly [x: number, y: number, z: number] }[];
}

const HILLS = terrain({ seed: 7n });
/** Below the ground. */
const FIRST: Position<3> = [5, -40, -9];
const SECOND: Position<3> = [205, -40, -9];

const isAir = (state: string): boolean => /^minecraft:(?:cave_|void_)?air$/.test(state);

describe.runIf(hasBorrowed)("a schematic in a world of hills", () => {
  test.each(["smallhouse1.schem", "new_chest_test.schem"])(
    "[IM88] %s lies where it was pasted, with its data, and hills stay where it has air",
    async (name) => {
      const path = `schematics/sponge-v2/${name}`;
      const expected = expectationOf<ExpectedSchematic>(path);
      const { save, losses } = await importToMemory(goldenDisk(path), basename(path));
      expect(losses).toEqual([]);
      const disk = new MemoryDisk();
      const untouched = await createWorld(new MemoryDisk(), { dimensions: 3, generator: HILLS });
      const world = await createWorld(disk, { dimensions: 3, generator: HILLS });
      const report = await pasteWorld(world, save, { at: FIRST });
      expect(report).toMatchObject({
        at: FIRST,
        data: expected.blockEntities.length,
        renamed: [],
        losses: [],
      });
      const again = await pasteWorld(world, save, { at: SECOND });
      expect(again).toEqual({ ...report, at: SECOND, defined: [] });
      expect(report.defined.length).toBeGreaterThan(3);
      await world.close();
      await save.close();

      expect(isWhole(await verifySave(disk))).toBe(true);
      const reopened = await openWorld(disk, { dimensions: 3 });
      let kept = 0;
      for (const to of [FIRST, SECOND]) {
        const placeOf = ([x, y, z]: readonly [number, number, number]): Position<3> => {
          const [left, low, near] = report.box.min;
          return [x - left + to[0], y - low + to[1], z - near + to[2]];
        };
        for (const [x, y, z, state] of expected.samples) {
          const place = placeOf([x, y, z]);
          const found = await reopened.get(place);
          if (isAir(state)) {
            const before = await untouched.get(place);
            expect(found, `air at ${place}`).toBe(before);
            if (before !== AIR) kept++;
            continue;
          }
          const label = blockLabel(reopened.blocks, found) ?? "";
          expect(label.replace(/\[.*$/, "")).toBe(state.replace(/\[.*$/, ""));
          for (const pair of /\[(.*)\]/.exec(state)?.[1]?.split(",") ?? []) expect(label).toContain(pair);
        }
        for (const { pos } of expected.blockEntities)
          expect(await reopened.data(placeOf(pos)), `data at ${pos}`).toMatchObject({});
      }
      expect(kept).toBeGreaterThan(10);
      await Promise.all([reopened.close(), untouched.close()]);
    },
  );
});
