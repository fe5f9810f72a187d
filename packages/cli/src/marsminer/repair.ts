import { isWhole } from "@orthant/disk/files";
import {
  applyMarsMinerRepair,
  describeMarsMinerRepair,
  type OpenMarsMinerOptions,
  openMarsMiner,
  planMarsMinerRepair,
} from "@orthant/formats";
import type { Context } from "../context.ts";
import type { RepairRequest } from "../repair-wish.ts";
import { findingJson } from "../report/finding.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** `orthant repair` of a MarsMiner world. */
export async function mendMarsMiner(
  { folder, disk, target }: RepairRequest,
  options: OpenMarsMinerOptions,
  context: Context,
): Promise<ExitCode> {
  const plan = await planMarsMinerRepair(disk, options);
  if (target !== undefined) {
    await context.makeFolder(target, async (made) => {
      await applyMarsMinerRepair(disk, plan, made);
      // Proves that the repaired world can be opened.
      await (await openMarsMiner(made, { cubeSize: plan.cubeSize })).close();
    });
  }
  const { losses, dialect, chunks, findings } = plan;
  context.printJson({
    world: folder,
    wrote: target ?? null,
    dialect,
    chunks: chunks.length,
    losses: losses.map(({ what, place, message }) => ({ what, place: place ?? null, message })),
    findings: findings.map(findingJson),
  });
  if (isWhole(findings)) context.print("nothing is damaged");
  context.printAll(describeMarsMinerRepair(plan));
  context.print(target === undefined ? "nothing was written; --to FOLDER writes it" : `wrote ${target}`);
  return losses.length === 0 ? EXIT.ok : EXIT.loss;
}
