import type { Chunk } from "../chunk/chunk.ts";
import { boxAt, boxVolume, positionsLexicographic } from "../lattice/box.ts";

import { regionBox } from "../lattice/region.ts";
import type { RegionClock } from "../region/region-clock.ts";
import type { ClockChange } from "../region/region-clocks.ts";
import type { RegionChange } from "../region/region-patch.ts";
import {
  type ChangeDetail,
  type ChangeForm,
  changeOfDifferences,
  changeOverAir,
} from "../region/region-patch-build.ts";

import type { Content, GeneratorRef } from "../tree/content.ts";
import { OverrideTree } from "../tree/override-tree.ts";
import type { RegionTree } from "../tree/region-tree.ts";
import type { Difference } from "../tree/tree-walk.ts";
import type { QueryDetail, WorldState } from "./world-state.ts";

/** The form in which a receiver needs a change. */
export interface RegionChangeOptions {
  /** `symbolic` for a receiver that generates the same voxels, `concrete` for one that does not. */
  readonly mode: QueryDetail;
  readonly detail: ChangeDetail;
  /** The generated content of the region, if it was generated off the main thread. */
  readonly generated?: RegionTree | undefined;
}

/**
 * Returns the change that brings a region from one snapshot of a world to another. The cost depends on the
 * differences, not on the number of edits between them. Chunks are generated only where an override was added
 * or removed.
 */
export function regionChange(
  before: Pick<WorldState, "overrides">,
  after: WorldState,
  { region, before: base, after: next }: ClockChange,
  { mode, detail }: RegionChangeOptions,
): RegionChange {
  const chunks = regionBox(region);
  const made = before.overrides.slice(chunks).differences(after.overrides.slice(chunks));
  const generator = after.generatorMap.ofRegion(region);
  const seen = mode === "symbolic" ? symbolic(made, generator) : concrete(made, after, generator);
  return changeOfDifferences(region, base, next, seen, formFor(after, detail));
}

/**
 * Returns the change that replaces a whole region. A symbolic change starts from generated content and
 * contains only the edits there; a concrete one starts from air and contains every chunk of the region.
 */
export function wholeRegionChange(
  state: WorldState,
  { region, clock }: RegionClock,
  { mode, detail, generated }: RegionChangeOptions,
): RegionChange {
  const chunks = regionBox(region);
  if (mode === "concrete") {
    const content = generated?.under(state.overrides.slice(chunks)) ?? state.queryRegion(chunks, "concrete");
    return changeOverAir(content, { region, clock });
  }
  const made = OverrideTree.UNTOUCHED.differences(state.overrides.slice(chunks));
  const seen = symbolic(made, state.generatorMap.ofRegion(region));
  return changeOfDifferences(region, "generated", clock, seen, formFor(state, detail));
}

function formFor(state: WorldState, detail: ChangeDetail): ChangeForm {
  return { detail, realize: (_generator, [x, y, z, w]) => state.generatedChunk(x, y, z, w) };
}

/** Converts differences of overrides to visible content: a gap is the generator's, dug-out air is nothing. */
function* symbolic(
  made: Iterable<Difference<Chunk>>,
  generator: GeneratorRef,
): Generator<Difference<Content>> {
  for (const { box, before, after } of made) {
    yield {
      box,
      before: before === undefined ? generator : unlessAir(before),
      after: after === undefined ? generator : unlessAir(after),
    };
  }
}

/** Like {@link symbolic}, but with generated chunks wherever the receiver needs them. */
function* concrete(
  made: Iterable<Difference<Chunk>>,
  state: WorldState,
  generator: GeneratorRef,
): Generator<Difference<Content>> {
  for (const difference of made) {
    if (difference.after !== undefined) {
      yield* symbolic([difference], generator);
      continue;
    }
    const { box } = difference;
    for (const position of positionsLexicographic(box)) {
      const before = difference.before === undefined ? undefined : unlessAir(difference.before);
      const after = unlessAir(state.generatedChunk(...position));
      if (before !== after) yield { box: boxVolume(box) === 1 ? box : boxAt(position), before, after };
    }
  }
}

function unlessAir(chunk: Chunk): Chunk | undefined {
  return chunk.isEmpty ? undefined : chunk;
}
