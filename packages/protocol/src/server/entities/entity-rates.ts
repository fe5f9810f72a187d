import { OrthantError } from "@orthant/core";
import { U16_MAX } from "@orthant/core/bytes";
import type { EntityTraits } from "./grid-entity.ts";

/**
 * How often clients are sent the pose of an entity at most, in times a second by its kind. Other kinds, and players, are
 * sent in every tick in which they move.
 */
export type EntityRates = Readonly<Record<number, number>>;

/** Throws `ORT_ARGUMENT` for an unknown kind of entities or an invalid rate. */
export function requireEntityRates(rates: EntityRates): void {
  for (const [kind, rate] of Object.entries(rates)) {
    if (!/^\d{1,5}$/.test(kind) || Number(kind) > U16_MAX) {
      throw new OrthantError(
        "ORT_ARGUMENT",
        `entityRates has ${JSON.stringify(kind)}: a kind is a number to ${U16_MAX}`,
      );
    }
    if (Number.isFinite(rate) && rate > 0) continue;
    throw new OrthantError(
      "ORT_ARGUMENT",
      `entityRates[${kind}] is ${rate}: it is a number above 0, in times a second`,
    );
  }
}

/** Returns the ticks from one pose of an entity to the next, at least 1. */
export function ticksBetween({ isPlayer, kind }: EntityTraits, rates: EntityRates, tickMs: number): number {
  const rate = isPlayer ? undefined : rates[kind];
  return rate === undefined ? 1 : Math.max(1, Math.ceil(1_000 / rate / tickMs));
}
