import type { Prng } from "../prng.ts";
import type { CrashModel } from "./crash-model.ts";
import type { Selection } from "./crash-timeline.ts";
import type { Effect } from "./effect.ts";

/** Draws per requested state before the sampling of one cut gives up. */
const DRAWS_PER_STATE = 8;

/**
 * Yields the possible outcomes of one power cut, each at most once: all of them if there are at most `limit`,
 * else nothing lost, everything lost, and random ones up to the limit.
 */
export function* selections(
  pending: readonly Effect[],
  model: CrashModel,
  prng: Prng,
  limit: number,
): Generator<Selection> {
  const tearable = model.tearsSectors ? pending.filter(({ kind }) => kind === "data").length : 0;
  const exhaustive = 2 ** pending.length * (1 + tearable) <= limit;
  const seen = new Set<string>();
  for (const drawn of exhaustive ? everySubset(pending.length) : sample(pending, prng, limit)) {
    const kept = [...drawn];
    model.settle(pending, kept);
    const torn = model.tearsSectors ? tearableOf(pending, kept) : [];
    for (const selection of exhaustive ? everyTear(kept, torn) : [drawTear(kept, torn, prng)]) {
      const key = `${kept.map((keep) => (keep ? 1 : 0)).join("")}/${selection.torn ?? ""}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield selection;
      if (seen.size >= limit) return;
    }
  }
}

function* everySubset(count: number): Generator<readonly boolean[]> {
  for (let bits = 0; bits < 2 ** count; bits++) {
    yield Array.from({ length: count }, (_, index) => ((bits >>> index) & 1) === 1);
  }
}

function* sample(pending: readonly Effect[], prng: Prng, limit: number): Generator<readonly boolean[]> {
  yield pending.map(() => false);
  yield pending.map(() => true);
  for (let draw = 0; draw < limit * DRAWS_PER_STATE; draw++) yield drawSubset(pending, prng);
}

/** Returns one of six kinds of cut, each of which finds faults that the others rarely do. */
function drawSubset(pending: readonly Effect[], prng: Prng): readonly boolean[] {
  const position = prng.below(pending.length);
  const step = pending[position]?.step;
  const density = prng.pick([0.1, 0.5, 0.9]);
  switch (prng.below(6)) {
    case 0: // everything up to a moment
      return pending.map((_, index) => index <= position);
    case 1: // all but one effect
      return pending.map((_, index) => index !== position);
    case 2: // all but one operation
      return pending.map((effect) => effect.step !== step);
    case 3: // one operation alone
      return pending.map((effect) => effect.step === step);
    case 4: // random whole operations
      return keepWholeOperations(pending, prng, density);
    default: // random single effects
      return pending.map(() => prng.chance(density));
  }
}

function keepWholeOperations(pending: readonly Effect[], prng: Prng, density: number): readonly boolean[] {
  const decided = new Map<number, boolean>();
  return pending.map(({ step }) => {
    const keep = decided.get(step) ?? prng.chance(density);
    decided.set(step, keep);
    return keep;
  });
}

function tearableOf(pending: readonly Effect[], kept: readonly boolean[]): readonly number[] {
  return pending.flatMap(({ kind }, index) => (kind === "data" && kept[index] ? [index] : []));
}

function everyTear(kept: readonly boolean[], torn: readonly number[]): readonly Selection[] {
  return [{ kept, torn: undefined }, ...torn.map((index) => ({ kept, torn: index }))];
}

/** In a quarter of the cuts, one of the kept sectors is only half written. */
function drawTear(kept: readonly boolean[], torn: readonly number[], prng: Prng): Selection {
  return { kept, torn: torn.length > 0 && prng.chance(0.25) ? prng.pick(torn) : undefined };
}
