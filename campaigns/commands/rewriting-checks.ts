import { fileURLToPath } from "node:url";
import { EXIT } from "@orthant/cli";
import type { CommandTester } from "./command-tester.ts";
import { makeGarbage, voxelFault } from "./made-world.ts";

/** Exports the generator of foreign worlds. */
export const GENERATORS_MODULE = fileURLToPath(new URL("./recipe.js", import.meta.url));

/** `compact` gives back space, and nothing else changes. */
export async function checkCompact(tester: CommandTester): Promise<void> {
  const { model } = tester.world;
  const folder = await tester.copy();
  if (model.losesJournal) {
    await tester.run(EXIT.failed, "compact", folder);
    return;
  }
  await makeGarbage(folder);
  const found = await tester.object(EXIT.ok, "compact", folder);
  const [before, after] = [Number(found["bytesBefore"]), Number(found["bytesAfter"])];
  if (!(after < before)) tester.fail(`compact made ${after} bytes of ${before}`);
  tester.fail(await voxelFault(folder, model.edits));
  await tester.run(EXIT.ok, "verify", folder);
}

/** A new world has the newest version already; the golden worlds of 0.1 are upgraded in their own test. */
export async function checkUpgrade(tester: CommandTester): Promise<void> {
  const { model } = tester.world;
  const folder = await tester.copy();
  if (model.losesJournal) {
    await tester.run(EXIT.failed, "upgrade", folder);
    return;
  }
  const own = model.recipe.isForeign ? ["--generators", GENERATORS_MODULE] : [];
  const found = await tester.object(EXIT.ok, "upgrade", folder, ...own);
  if (found["upgraded"] !== false) tester.fail("upgrade rewrote a new world");
  tester.fail(await voxelFault(folder, model.edits));
}
