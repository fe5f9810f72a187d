import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findLuanti, LuantiServer, luantiVersion } from "../luanti/luanti-server.ts";
import { BLOCKS, boxOf, FILLED, scatteredOre } from "../luanti/rock.ts";

const MOD = "benchmarks/luanti/games/orthant_bench/mods/orders/init.lua";
const isInstalled = ["/usr/games/minetestserver", "/usr/games/luantiserver"].some((path) => existsSync(path));

describe("the benchmark beside Luanti", () => {
  test("names the package to install when there is no server", () => {
    expect(() => findLuanti(["/nowhere"])).toThrow("install Debian's package minetest-server");
  });

  test("has the same blocks in the mod", () => {
    const [, list = ""] = /ipairs\(\{ (.*) \}\)/.exec(readFileSync(MOD, "utf8")) ?? [];
    expect(["air", ...list.replaceAll('"', "").split(", ")]).toEqual([...BLOCKS]);
  });

  test("scatters different voxels in the box, the same ones for the same seed", () => {
    const voxels = { cubes: 1, count: 2_000, seed: 3 };
    const placements = scatteredOre(voxels);
    expect(new Set(placements.map(({ position }) => position.join())).size).toBe(2_000);
    const { min, max } = boxOf(voxels);
    for (const { position } of placements)
      for (const [axis, part] of position.entries()) {
        expect(part).toBeGreaterThanOrEqual(min[axis] ?? 0);
        expect(part).toBeLessThan(max[axis] ?? 0);
      }
    expect(scatteredOre(voxels)).toEqual(placements);
    expect(scatteredOre({ ...voxels, seed: 4 })).not.toEqual(placements);
  });

  test.skipIf(!isInstalled)("carries out every order in a real server", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "orthant-luanti-"));
    const program = findLuanti();
    expect(luantiVersion(program)).toMatch(/^Luanti \d+\.\d+\.\d+$/);
    const server = await LuantiServer.start(program, folder, { server_map_save_interval: 1 });
    try {
      const placements = scatteredOre({ cubes: 2, count: 500, seed: 1 });
      const file = await server.give(placements);
      const found = async (): Promise<number> => (await server.ask({ kind: "count", file })).found;
      await server.ask({ kind: "emerge" }, boxOf({ cubes: 2 }));
      expect(await found()).toBe(0);
      const { wallUs, cpuUs } = await server.ask({ kind: "set", file });
      expect(Math.min(wallUs, cpuUs)).toBeGreaterThan(0);
      expect(await found()).toBe(500);
      expect((await server.nextSave()).wallMs).toBeGreaterThanOrEqual(0);
      await server.ask({ kind: "fill", block: "marble" }, FILLED);
      const outside = placements.filter(({ position }) => position.some((part) => part < 3 || part >= 103));
      expect(outside.length).toBeLessThan(500);
      expect(await found()).toBe(outside.length);
      await server.ask({ kind: "bulk", file, block: "gold" });
      expect(await found()).toBe(0);
    } finally {
      await server.kill();
      rmSync(folder, { recursive: true });
    }
  });
});
