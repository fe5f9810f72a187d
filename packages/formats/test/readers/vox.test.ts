import { openVox, VOX_VISITS_MAX, type VoxFile, type VoxModel, visitVoxels } from "@orthant/formats/readers";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const int = (value: number): number[] => [
  value & 255,
  (value >> 8) & 255,
  (value >> 16) & 255,
  (value >> 24) & 255,
];
const text = (value: string): number[] => [...value].map((character) => character.charCodeAt(0));
const chunk = (id: string, content: readonly number[]): number[] => [
  ...text(id),
  ...int(content.length),
  ...int(0),
  ...content,
];
const attributes = (pairs: Readonly<Record<string, string>>): number[] => [
  ...int(Object.keys(pairs).length),
  ...Object.entries(pairs).flatMap((pair) => pair.flatMap((value) => [...int(value.length), ...text(value)])),
];
const transform = (
  id: number,
  child: number,
  ...frames: readonly Readonly<Record<string, string>>[]
): number[] =>
  chunk("nTRN", [
    ...int(id),
    ...attributes({}),
    ...int(child),
    ...int(-1),
    ...int(0),
    ...int(frames.length),
    ...frames.flatMap(attributes),
  ]);
const group = (id: number, ...children: readonly number[]): number[] =>
  chunk("nGRP", [...int(id), ...attributes({}), ...int(children.length), ...children.flatMap(int)]);
const shape = (id: number, model: number): number[] =>
  chunk("nSHP", [...int(id), ...attributes({}), ...int(1), ...int(model), ...attributes({})]);

/** A model of 3 x 2 x 1 with one voxel of colour 9 at [2, 0, 0]. */
const MODEL = [
  ...chunk("SIZE", [...int(3), ...int(2), ...int(1)]),
  ...chunk("XYZI", [...int(1), 2, 0, 0, 9]),
];

function open(...chunks: readonly (readonly number[])[]): VoxFile {
  const children = chunks.flat();
  const main = [...text("MAIN"), ...int(0), ...int(children.length)];
  return openVox(Uint8Array.from([...text("VOX "), ...int(150), ...main, ...children]), "a.vox");
}

function voxelsOf(vox: VoxFile, frame = 0): readonly (readonly number[])[] {
  const found: number[][] = [];
  for (const instance of vox.instancesAt(frame)) {
    visitVoxels(vox.models[instance.model] as VoxModel, instance, (...voxel) => found.push(voxel));
  }
  return found;
}

describe("files of MagicaVoxel", () => {
  test("[IM40] without a scene, every model lies at its own origin, in the default colours", () => {
    const vox = open(MODEL);
    expect(vox.findings).toEqual([]);
    expect(voxelsOf(vox)).toEqual([[2, 0, 0, 9]]);
    // Index 1 is white, 216 the first of the red ramp, 255 the darkest grey.
    expect([0, 215, 254].map((entry) => [...vox.palette.subarray(entry * 4, entry * 4 + 4)])).toEqual([
      [255, 255, 255, 255],
      [238, 0, 0, 255],
      [17, 17, 17, 255],
    ]);
  });

  test("[IM41] a transform turns around the middle of a model and then moves it, parents first", () => {
    // Byte 17: the first row takes y with a minus, the second takes x, as a quarter turn does.
    const turn = { _r: String(0b001_0001), _t: "10 20 30" };
    const vox = open(
      MODEL,
      transform(0, 1, { _t: "100 0 0" }),
      group(1, 2),
      transform(2, 3, turn),
      shape(3, 0),
    );
    expect(vox.findings).toEqual([]);
    // [2, 0, 0] is [1.5, -0.5, 0.5] from the middle; turned [0.5, 1.5, 0.5], moved and rounded down.
    expect(voxelsOf(vox)).toEqual([[110, 21, 30, 9]]);
  });

  test("[IM42] the last key frame at or before a frame counts, and the first before all of them", () => {
    const vox = open(
      MODEL,
      transform(0, 1, { _f: "7", _t: "0 0 0" }, { _f: "16", _t: "50 0 0" }),
      shape(1, 0),
    );
    expect(vox.keyFrames).toEqual([7, 16]);
    expect([0, 7, 15, 16, 99].map((frame) => voxelsOf(vox, frame)[0]?.[0])).toEqual([1, 1, 1, 51, 51]);
  });

  test("[IM43] a group that holds itself, or grows without bound, leaves all models in their place", () => {
    const cycle = open(MODEL, transform(0, 1, {}), group(1, 2), transform(2, 1, {}));
    expect(cycle.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("contains itself"),
    ]);
    expect(voxelsOf(cycle)).toEqual([[2, 0, 0, 9]]);
    const levels = Array.from({ length: 40 }, (_, level) => group(level, level + 1, level + 1));
    const bomb = open(MODEL, ...levels, shape(40, 0));
    expect(bomb.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${VOX_VISITS_MAX} nodes`),
    ]);
    expect(voxelsOf(bomb)).toEqual([[2, 0, 0, 9]]);
  });

  test("[IM44] a chunk of a negative size is refused, one beyond the end costs what follows", () => {
    expect(codeOf(() => open(MODEL, [...text("SIZE"), ...int(-12), ...int(0)]))).toBe("ORT_FOREIGN");
    const cut = open(MODEL, [...text("RGBA"), ...int(1_024), ...int(0), 1, 2, 3]);
    expect(cut.findings.map(({ code }) => code)).toEqual(["ORT_TRUNCATED"]);
    expect(voxelsOf(cut)).toEqual([[2, 0, 0, 9]]);
    expect(codeOf(() => openVox(Uint8Array.from(text("DOOD")), "a.vox"))).toBe("ORT_MAGIC");
  });

  test("[IM45] a node whose counts do not fit its bytes is left out", () => {
    const lying = chunk("nGRP", [...int(1), ...attributes({}), ...int(0x7fff_ffff)]);
    const vox = open(MODEL, transform(0, 1, {}), lying);
    expect(vox.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("chunk nGRP is left out"),
      expect.stringContaining("node 1 of the scene is not there"),
    ]);
  });
});
