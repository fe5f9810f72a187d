import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { openWorld } from "orthant";
import { beforeEach, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const HOUSE = ["--box", "0,100,0..4,104,4"];

interface Got {
  readonly block: { readonly name: string };
}

describe("orthant paste", () => {
  let sample: string;
  let target: string;
  beforeEach(async () => {
    sample = await makeSampleWorld();
    target = join(await temporaryFolder(), "valley");
    await capture(["create", target, "--template", "terrain", "--seed", "8"]);
  });

  async function blockAt(place: string): Promise<string> {
    return (await captureJson<Got>("get", target, place)).block.name;
  }

  test("[IM88] copies a part of a world, as a dry run says before", async () => {
    const words = ["paste", sample, target, ...HOUSE, "--at", "7,200,-3"];
    const would = await captureJson<object>(...words, "--dry-run");
    expect(await blockAt("7,200,-3")).toBe("air");
    const { exitCode, output } = await capture(words);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toBe(
      `pasted voxels [0, 100, 0] to [4, 104, 4] of ${sample} into ${target} at [7, 200, -3]: 64 voxels, 0 with data, 0 new types of blocks\n`,
    );
    expect(would).toMatchObject({ made: false, voxels: 64, box: { min: [0, 100, 0], max: [4, 104, 4] } });
    expect(await blockAt("10,203,0")).toBe("brick");
    expect(await blockAt("11,203,0")).toBe("air");
    expect((await capture(["verify", target])).exitCode).toBe(EXIT.ok);
  });

  test("[IM89] --map gives blocks names of the world, and says which names there are", async () => {
    const words = ["paste", sample, target, ...HOUSE, "--at", "7,200,-3", "--map"];
    const failure = async (map: string): Promise<string> => (await capture([...words, map])).errors;
    expect(await failure("brick")).toContain('"brick" is not a pair of names');
    expect(await failure("brik=wood")).toContain('nothing that is pasted is called "brik"; there is brick');
    expect(await failure("brick=wod")).toMatch(/"wod".*wood/);
    expect(await blockAt("7,200,-3")).toBe("air");
    expect((await capture([...words, "brick=wood"])).errors).toBe("");
    expect(await blockAt("7,200,-3")).toBe("wood");
  });

  test("[IM88] --rotate turns what is pasted by quarters, clockwise seen from above", async () => {
    const source = await openWorld(sample, { dimensions: 3 });
    const { stairs } = await source.defineBlocks({
      stairs: { properties: { facing: ["north", "east", "south", "west"] } },
    });
    await source.set([3, 104, 0], stairs.id({ facing: "east" }));
    await source.close();
    const words = ["paste", sample, target, "--box", "0,104,0..4,105,1", "--at", "7,200,-3", "--accept-loss"];
    expect((await capture([...words, "--rotate", "45"])).errors).toContain(
      '--rotate: "45" is not a number of quarter turns; write it as 90, 180 or 270 degrees',
    );
    await capture([...words, "--rotate", "90"]);
    expect(await blockAt("7,200,0")).toBe("stairs[facing=south]");
    await capture([...words, "--at", "7,210,-3", "--rotate", "270"]);
    expect(await blockAt("7,210,-3")).toBe("stairs[facing=north]");
  });

  test("[IM90] writes nothing while entities would be lost, and exits with 3 if that is accepted", async () => {
    const words = ["paste", sample, target, "--box", "0,100,0..4,105,4", "--at", "0,200,0"];
    const refused = await capture(words);
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.output).toBe("loss: entities: only voxels are pasted\n");
    expect(await blockAt("0,200,0")).toBe("air");
    const accepted = await capture([...words, "--accept-loss"]);
    expect(accepted.exitCode).toBe(EXIT.loss);
    expect(accepted.output).toMatch(/^pasted .*\nloss: entities: only voxels are pasted\n$/);
    expect(await blockAt("0,200,0")).toBe("brick");
  });

  test("[IM88] --air also removes what is there", async () => {
    const words = ["paste", sample, target, "--box", "0,100,0..5,104,4", "--at", "0,-40,0"];
    const before = await blockAt("4,-40,0");
    expect(before).not.toBe("air");
    await capture(words);
    expect(await blockAt("4,-40,0")).toBe(before);
    await capture([...words, "--air"]);
    expect(await blockAt("4,-40,0")).toBe("air");
    expect(await blockAt("3,-40,0")).toBe("brick");
  });

  test("[IM88] copies data byte by byte, also that of a codec which only the game has", async () => {
    const bytes = Uint8Array.of(0xff, 0, 1, 0xfe);
    const engine = await openWorldEngine(new NodeDisk(sample));
    await engine.edit([{ voxel: [1, 101, 1, 0], block: 11, data: bytes }]);
    await engine.close();
    expect(await captureJson("paste", sample, target, ...HOUSE, "--at", "0,200,0")).toMatchObject({
      data: 1,
    });
    const world = await openWorldEngine(new NodeDisk(target), { readOnly: true });
    expect([...(await world.chunk([0, 12, 0, 0])).data][0]?.data).toEqual(bytes);
    await world.close();
  });

  test("[IM89] says which blocks got a type with a number", async () => {
    for (const [folder, facing] of [
      [sample, "east"],
      [target, "north"],
    ] as const) {
      const world = await openWorld(folder, { dimensions: 3 });
      const { chest } = await world.defineBlocks({ chest: { properties: { facing: [facing] } } });
      await world.set([0, 100, 0], chest.id());
      await world.close();
    }
    const { exitCode, output } = await capture(["paste", sample, target, ...HOUSE, "--at", "0,200,0"]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toContain(", 1 new type of blocks\n");
    expect(output).toContain(
      '"chest" of this world lacks properties or values of some blocks, which are "chest (2)"\n',
    );
    expect(await blockAt("0,200,0")).toBe("chest (2)[facing=east]");
  });
});
