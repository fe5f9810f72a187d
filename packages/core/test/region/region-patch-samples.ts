import { type ChangeForm, changeOfDifferences } from "@orthant/core/internal";
import { regionBox } from "@orthant/core/lattice";
import {
  type ClockChange,
  clockFrom,
  type RegionChange,
  type RegionPatch,
  type RegionTree,
} from "@orthant/core/tree";

/** Returns a change of the region at the origin from change 5 of epoch 3 to change 6. */
export function change(parts: Partial<RegionChange>): RegionChange {
  return {
    region: [0, 0, 0, 0],
    base: clockFrom(3, 5),
    next: clockFrom(3, 6),
    piece: 0,
    leaves: [],
    edits: [],
    data: [],
    ...parts,
  };
}

/** The input for a patch: a world before and after an edit, and the clock steps. */
interface PatchSource extends ChangeForm {
  readonly patchSeq: number;
  readonly before: RegionTree;
  readonly after: RegionTree;
  /** The regions to include, as returned by `RegionClocks.bump` and `RegionClocks.differences`. */
  readonly steps: readonly ClockChange[];
}

/** Returns the patch that turns `before` into `after` in the given regions. */
export function buildPatch({ patchSeq, before, after, steps, ...form }: PatchSource): RegionPatch {
  const changes = steps.map((step): RegionChange => {
    const chunks = regionBox(step.region);
    const differences = before.slice(chunks).differences(after.slice(chunks));
    return changeOfDifferences(step.region, step.before, step.after, differences, form);
  });
  return { patchSeq, changes };
}
