import { boxVolume } from "../lattice/box.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { regionBox } from "../lattice/region.ts";
import type { Content } from "../tree/content.ts";
import type { GeneratorRef } from "../tree/generator-ref.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray } from "./chunk-array.ts";
import { type ChangeForm, changeOfDifferences } from "./region-change-build.ts";
import type { RegionClock } from "./region-clock-list.ts";
import type { ClockStep, RegionClocks } from "./region-clocks.ts";
import type { PatchLeaf, RegionChange, RegionPatch } from "./region-patch.ts";
import { canonicalNodes } from "./region-tree-nodes.ts";

/** The input for a patch: a world before and after an edit, and the clock steps. */
export interface PatchSource extends ChangeForm {
  readonly patchSeq: number;
  readonly before: RegionTree;
  readonly after: RegionTree;
  /** The regions to include, as returned by `RegionClocks.bump` and `RegionClocks.differences`. */
  readonly steps: readonly ClockStep[];
}

/** The input for a patch that replaces regions, based on the world's generator. */
export interface RegionSnapshotSource extends ChangeForm {
  readonly patchSeq: number;
  readonly tree: RegionTree;
  /** The generator of the unedited space. */
  readonly generator: GeneratorRef;
  /** The regions to replace, with their clocks. */
  readonly regions: readonly RegionClock[];
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

/** Returns a patch that replaces whole regions, based on air, whatever the receiver holds or can generate. */
export function buildSnapshot(
  patchSeq: number,
  tree: RegionTree,
  clocks: RegionClocks,
  regions: readonly Position[],
): RegionPatch {
  const changes = [...regions]
    .sort(comparePositions)
    .map((region) => changeOverAir(tree, { region, clock: clocks.get(region) }));
  return { patchSeq, changes };
}

/**
 * Returns a patch that replaces whole regions, based on generated content, whatever the receiver holds. It
 * contains only what differs from the generator, and costs as much.
 */
export function buildRegionSnapshot(source: RegionSnapshotSource): RegionPatch {
  const { patchSeq, tree, generator, regions, ...form } = source;
  const changes = [...regions]
    .sort((a, b) => comparePositions(a.region, b.region))
    .map(({ region, clock }): RegionChange => {
      const chunks = regionBox(region);
      const differences = RegionTree.EMPTY.fill(chunks, generator).differences(tree.slice(chunks));
      return changeOfDifferences(region, "generated", clock, differences, form);
    });
  return { patchSeq, changes };
}

/** Returns the change that replaces one region, based on air. */
export function changeOverAir(tree: RegionTree, { region, clock }: RegionClock): RegionChange {
  const leaves = canonicalNodes(tree, regionBox(region)).map(
    ({ box, content }): PatchLeaf => ({
      box,
      content: boxVolume(box) === 1 ? contentOfOne(content) : content,
    }),
  );
  return { region, base: "air", next: clock, piece: 0, leaves, edits: [] };
}

function contentOfOne(content: Content | ChunkArray): Content | ChunkArray | undefined {
  return content instanceof ChunkArray ? content.palette[0] : content;
}
