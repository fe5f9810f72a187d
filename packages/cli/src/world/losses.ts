import { OrthantError } from "@orthant/core";
import { type ConversionLoss, formatCount } from "@orthant/formats";
import type { Context } from "../command/context.ts";

/** Prints what another format cannot hold. */
export function printLosses(losses: readonly ConversionLoss[], context: Context): void {
  for (const { what, count, remark } of losses) {
    context.print(`loss: ${what}${count === 1 ? "" : ` (${formatCount(count)})`}: ${remark}`);
  }
}

/** Returns the error of a command that does not write, because something would be lost. */
export function refusedLoss(losses: readonly ConversionLoss[]): OrthantError {
  const what = losses.map((loss) => loss.what).join(", ");
  return new OrthantError("ORT_LOSS", `nothing was written, because it would lose: ${what}`);
}
