import { OrthantError } from "@orthant/core";
import { type ConversionLoss, ConversionLosses } from "./losses.ts";

/**
 * Runs a conversion. Unless losses are accepted, first does a dry run, and throws `ORT_LOSS` if anything
 * would be lost. If `isDry`, never writes.
 */
export async function listingFirst<Counts extends object>(
  isDry: boolean,
  { acceptLosses = false }: { readonly acceptLosses?: boolean },
  run: (losses: ConversionLosses, isDry: boolean) => Promise<Counts>,
): Promise<Counts & { readonly losses: readonly ConversionLoss[] }> {
  const runOnce = async (
    withoutWriting: boolean,
  ): Promise<Counts & { readonly losses: readonly ConversionLoss[] }> => {
    const losses = new ConversionLosses();
    return { ...(await run(losses, withoutWriting)), losses: losses.list() };
  };
  if (isDry || acceptLosses) return runOnce(isDry);
  const { losses } = await runOnce(true);
  if (losses.length === 0) return runOnce(false);
  const named = losses.map(({ what, count, remark }) => `${what} (${count}): ${remark}`);
  throw new OrthantError("ORT_LOSS", `the conversion would lose: ${named.join("; ")}`);
}
