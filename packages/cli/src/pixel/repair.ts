import { isWhole } from "@orthant/disk/files";
import type { DetectedPixelWorld } from "@orthant/formats";
import { applyPixelRepair, openPixelSave, planPixelRepair } from "@orthant/pixel-world";
import type { Context } from "../context.ts";
import type { RepairRequest } from "../repair-wish.ts";
import { findingJson } from "../report/finding.ts";
import { formatAmount } from "../report.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** `orthant repair` of a pixel world. */
export async function mendPixelWorld(
  { folder, disk, target }: RepairRequest,
  { evidence, dialect }: DetectedPixelWorld,
  context: Context,
): Promise<ExitCode> {
  const plan = await planPixelRepair(disk, evidence);
  if (target !== undefined) {
    await context.makeFolder(target, async (made) => {
      await applyPixelRepair(disk, evidence, plan, made, evidence);
      // Proves that the repaired world can be opened.
      await (await openPixelSave(made, evidence)).close();
    });
  }
  const { chunks, bodies, carved, losses, findings } = plan;
  context.printJson({
    world: folder,
    wrote: target ?? null,
    dialect,
    chunks: chunks.length,
    bodies: bodies.length,
    carved: carved.length,
    losses: losses.map((message) => ({ what: "pixels", chunks: null, message })),
    findings: findings.map(findingJson),
  });
  if (isWhole(findings)) context.print("nothing is damaged");
  const found = carved.length === 0 ? "" : `, and ${carved.length} that were found without the index`;
  context.print(
    `keeps ${formatAmount(chunks.length, "chunk")} and ${formatAmount(bodies.length, "body", "bodies")}${found}`,
  );
  for (const loss of losses) context.print(`loss: ${loss}`);
  context.print(losses.length === 0 ? "loses nothing" : formatAmount(losses.length, "loss", "losses"));
  context.print(target === undefined ? "nothing was written; --to FOLDER writes it" : `wrote ${target}`);
  return losses.length === 0 ? EXIT.ok : EXIT.loss;
}
