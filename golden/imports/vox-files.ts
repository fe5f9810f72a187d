import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { openVox, type VoxFile, type VoxModel, visitVoxels } from "@orthant/formats/readers";
import { goldenPath } from "@orthant/testkit/golden";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "../suite.ts";

const FOLDER = "imports/vox";
const FILES = [
  "real/axes",
  "real/placeholder-with-materials",
  "real/single-voxel-with-material",
  "real/test_meta_chunk",
  "real/test_multiple_model_scene",
  "synthetic/all-rotations",
  "synthetic/custom-palette",
  "synthetic/default-palette",
  "synthetic/keyframes",
  "synthetic/pack-three-models",
];

interface ExpectedScene {
  readonly voxels: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly sha256: string;
}

interface ExpectedVox {
  readonly version: number;
  readonly voxels: number;
  readonly bounds: { readonly min: readonly number[]; readonly max: readonly number[] };
  readonly overlappingVoxels: number;
  readonly models: readonly {
    readonly size: readonly number[];
    readonly voxels: number;
    readonly first: readonly (readonly number[])[];
  }[];
  readonly instances: readonly {
    readonly model: number;
    readonly rotation: readonly (readonly number[])[];
    readonly translation: readonly number[];
    readonly layer: number | null;
    readonly layerName: string | null;
    readonly layerHidden: boolean;
    readonly name: string | null;
    readonly hidden: boolean;
  }[];
  readonly countsByColourIndex: Readonly<Record<string, number>>;
  readonly colours: Readonly<Record<string, readonly number[]>>;
  readonly samples: readonly (readonly [number, number, number, number])[];
  readonly keyframes: readonly number[];
  readonly atFrame?: Readonly<Record<string, ExpectedScene>>;
  readonly sceneSha256: string;
}

/** Files of MagicaVoxel, six rows each and one more for each key frame. */
export const importedVoxSuites: readonly GoldenSuite[] = FILES.map((name) => ({
  file: `${FOLDER}/${name}.vox.expected.json`,
  check: (bytes: Uint8Array) => checkVox(name, parseJson<ExpectedVox>(bytes)),
}));

async function checkVox(name: string, expected: ExpectedVox): Promise<readonly GoldenRow[]> {
  const vox = openVox(await readFile(goldenPath(FOLDER, `${name}.vox`)), name);
  const scene = sceneAt(vox, 0);
  return [
    row(`${name} head`, () => {
      deepEqual(vox.findings, []);
      equal(vox.version, expected.version);
      deepEqual(vox.keyFrames, expected.keyframes);
    }),
    row(`${name} models`, () => {
      equal(vox.models.length, expected.models.length);
      for (const [id, { size, voxels, first }] of expected.models.entries()) {
        const model = vox.models[id] as VoxModel;
        deepEqual(model.size, size);
        equal(model.voxels.length / 4, voxels);
        deepEqual(
          first.map((_, index) => [...model.voxels.subarray(index * 4, index * 4 + 4)]),
          first,
        );
      }
    }),
    row(`${name} instances`, () => deepEqual(instancesOf(vox), expected.instances)),
    row(`${name} colours`, () => {
      for (const [index, colour] of Object.entries(expected.colours)) {
        deepEqual(
          [...vox.palette.subarray(Number(index) * 4 - 4, Number(index) * 4)],
          colour,
          `colour ${index}`,
        );
      }
    }),
    row(`${name} samples`, () => {
      ok(expected.samples.length > 0);
      for (const [x, y, z, colour] of expected.samples) equal(scene.colours.get(`${x} ${y} ${z}`), colour);
    }),
    row(`${name} scene`, () => {
      equal(scene.colours.size, expected.voxels);
      equal(scene.overlapping, expected.overlappingVoxels);
      deepEqual({ min: scene.min, max: scene.max }, expected.bounds);
      equal(scene.sha256, expected.sceneSha256);
      const counts: Record<string, number> = {};
      for (const colour of scene.colours.values()) counts[colour] = (counts[colour] ?? 0) + 1;
      deepEqual(counts, expected.countsByColourIndex);
    }),
    ...Object.entries(expected.atFrame ?? {}).map(([frame, { voxels, min, max, sha256 }]) =>
      row(`${name} frame ${frame}`, () => {
        const found = sceneAt(vox, Number(frame));
        deepEqual([found.colours.size, found.min, found.max, found.sha256], [voxels, min, max, sha256]);
      }),
    ),
  ];
}

function instancesOf(vox: VoxFile): ExpectedVox["instances"] {
  return vox.instancesAt(0).map(({ model, rotation, translation, layer, name, isHidden }) => ({
    model,
    // Products of rotations have negative zeros.
    rotation: rotation.map((line) => line.map((at) => at + 0)),
    translation: translation.map((at) => at + 0),
    layer: layer ?? null,
    layerName: vox.layers.get(layer ?? -1)?.name ?? null,
    layerHidden: vox.layers.get(layer ?? -1)?.isHidden ?? false,
    name: name ?? null,
    hidden: isHidden,
  }));
}

interface Scene {
  readonly colours: ReadonlyMap<string, number>;
  readonly overlapping: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly sha256: string;
}

function sceneAt(vox: VoxFile, frame: number): Scene {
  const voxels = new Map<string, readonly [number, number, number, number]>();
  let count = 0;
  for (const instance of vox.instancesAt(frame)) {
    visitVoxels(vox.models[instance.model] as VoxModel, instance, (x, y, z, colour) => {
      count++;
      voxels.set(`${x} ${y} ${z}`, [x, y, z, colour]);
    });
  }
  const sorted = [...voxels.values()].sort((a, b) => a[2] - b[2] || a[1] - b[1] || a[0] - b[0]);
  const extreme = (pick: (...values: number[]) => number): number[] =>
    [0, 1, 2].map((axis) =>
      sorted.reduce((best, voxel) => pick(best, voxel[axis] as number), sorted[0]?.[axis] ?? 0),
    );
  return {
    colours: new Map(Array.from(voxels, ([place, [, , , colour]]) => [place, colour])),
    overlapping: count - voxels.size,
    min: extreme(Math.min),
    max: extreme(Math.max),
    sha256: createHash("sha256")
      .update(sorted.map((voxel) => voxel.join(" ")).join("\n"))
      .digest("hex"),
  };
}
