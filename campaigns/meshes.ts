import { DEFAULT_BLOCKS } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import { VolumeMesher, type VolumePoint } from "@orthant/mesh/volume";
import { Prng } from "@orthant/testkit";
import {
  GreedyMesher,
  randomVolume,
  surfaceDifference,
  surfaceOfQuads,
  surfaceOfVertices,
} from "@orthant/testkit/mesh";
import {
  type Campaign,
  type CampaignOptions,
  type CampaignResult,
  FAILURES_MAX,
  goesOn,
} from "./campaign.ts";

const GOAL = 10_000;
/** Stone, soil, two transparent blocks, a lamp, and one that the catalog does not have. */
const BLOCKS = [1, 1, 2, 5, 6, 13, 900];
const CHUNK: VolumePoint = [16, 16, 16];
const SIZES: readonly VolumePoint[] = [
  CHUNK,
  CHUNK,
  CHUNK,
  [8, 8, 8],
  [32, 5, 7],
  [31, 4, 4],
  [1, 9, 3],
  [61, 3, 2],
];

/** Meshes random volumes twice and compares every face. */
export const meshesCampaign: Campaign = {
  name: "meshes",
  summary:
    "surfaces of random volumes, each face and its shadows compared with those of a slow and plain mesher",
  goal: GOAL,
  unit: "volumes",
  resumes: true,
  run: compareMeshes,
};

async function compareMeshes(options: CampaignOptions): Promise<CampaignResult> {
  const looks = new BlockAppearance(DEFAULT_BLOCKS);
  const [mesher, slow] = [new VolumeMesher(looks), new GreedyMesher(looks)];
  const failures: string[] = [];
  let cases = 0;
  for (; goesOn(cases, options) && failures.length < FAILURES_MAX; cases++) {
    const number = options.from + cases;
    const prng = new Prng(options.seed * 1_000_003 + number);
    const size = prng.pick(SIZES);
    const volume = randomVolume(prng, size, BLOCKS);
    const isShaded = prng.below(8) > 0;
    const { opaque, blended } = mesher.mesh(volume, { isShaded });
    const wanted = slow.mesh(volume, isShaded);
    const difference =
      surfaceDifference(surfaceOfQuads(opaque, size), surfaceOfVertices(wanted.opaque, size), size) ??
      surfaceDifference(surfaceOfQuads(blended, size), surfaceOfVertices(wanted.transparent, size), size);
    if (difference !== undefined) failures.push(`volume ${number} of seed ${options.seed}: ${difference}`);
    options.progress(cases);
  }
  return { cases, failures, next: options.from + cases };
}
