import { EXIT } from "@orthant/cli";
import { dimensionsOf } from "@orthant/core";
import type { CommandTester } from "./command-tester.ts";
import { voxelFault } from "./made-world.ts";
import { type Placement, shapeOf } from "./recipe.ts";
import { GENERATORS_MODULE } from "./rewriting-checks.ts";

const BLOCKS = 16;
const BRICK = 11;
const PASTED_AWAY = 64;

/** An exported voxel is a schematic that can be read. */
export async function checkExport(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const edited = model.edits.find(([, block]) => block !== 0);
  if (edited === undefined) return;
  const [voxel] = edited;
  const file = `${tester.newFolder()}.schem`;
  const box = `${voxel.join()}..${voxel.map((coordinate) => coordinate + 1).join()}`;
  const options = ["--box", box, "--generators", GENERATORS_MODULE];
  await tester.run(EXIT.failed, "export", folder, file, ...options);
  await tester.object(EXIT.loss, "export", folder, file, ...options, "--accept-loss");
  await tester.run(EXIT.ok, "verify", file);
  const info = await tester.object(EXIT.ok, "info", file);
  tester.equal("format of an export", info["format"], "schematic");
}

/** `edit` changes a voxel of a copy of the world, and nothing else. */
export async function checkEdit(tester: CommandTester): Promise<void> {
  const { model } = tester.world;
  const edited = model.edits.find(([, block]) => block !== BRICK);
  if (edited === undefined) return;
  const [voxel] = edited;
  const target = await tester.copy();
  const corner = voxel.slice(0, dimensionsOf(shapeOf(model.recipe)));
  const operation = `set brick in box(${[...corner, ...corner.map((coordinate) => coordinate + 1)].join()})`;
  const words = ["edit", target, operation, "--generators", GENERATORS_MODULE];
  const voxelsIn = (result: Readonly<Record<string, unknown>>): unknown =>
    (result["operations"] as readonly { voxels: number }[] | undefined)?.map(({ voxels }) => voxels);
  tester.equal("edit, as a dry run says", voxelsIn(await tester.object(EXIT.ok, ...words, "--dry-run")), [1]);
  tester.equal("edit", voxelsIn(await tester.object(EXIT.ok, ...words)), [1]);
  const others = [...model.edits].filter(([other]) => `${other}` !== `${voxel}`);
  tester.fail(await voxelFault(target, [...others, [voxel, BRICK]]));
  await tester.run(EXIT.ok, "verify", target);
}

/** `paste` copies a voxel to another place of a copy of the world, and nothing else changes. */
export async function checkPaste(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const edited = model.edits.find(([, block]) => block !== 0 && block < BLOCKS);
  if (edited === undefined) return;
  const [[x, y, z, w], block] = edited;
  const moved: Placement = [[x + PASTED_AWAY, y, z, w], block];
  const target = await tester.copy();
  const box = `${[x, y, z, w].join()}..${[x + 1, y + 1, z + 1, w + 1].join()}`;
  const options = ["--box", box, "--at", moved[0].join(), "--generators", GENERATORS_MODULE];
  const would = await tester.object(EXIT.ok, "paste", folder, target, ...options, "--dry-run");
  const found = await tester.object(EXIT.ok, "paste", folder, target, ...options);
  tester.equal("paste", [would["made"], found["made"], found["voxels"]], [false, true, 1]);
  const others = [...model.edits].filter(([voxel]) => `${voxel}` !== `${moved[0]}`);
  tester.fail(await voxelFault(target, [...others, moved]));
  await tester.run(EXIT.ok, "verify", target);
}
