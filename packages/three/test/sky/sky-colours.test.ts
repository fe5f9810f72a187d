import { skyColours } from "@orthant/three";
import { fitRenderer } from "@orthant/three/page";
import { PerspectiveCamera } from "three";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

test("the sky has the colours of its table by day and by night", () => {
  expect(skyColours(0.5).zenith.getHexString()).toBe("4f8fd6");
  expect(skyColours(0.5).horizon.getHexString()).toBe("bcdcf2");
  expect(skyColours(0).zenith.getHexString()).toBe("0d1526");
  expect(skyColours(0).horizon.getHexString()).toBe("1d2a45");
  expect(skyColours(0.25).horizon.getHexString()).toBe("f2b48a");
  expect(skyColours(0.75).horizon.getHexString()).toBe("e68f6a");
});

test("the sun rises in the east at 0.25, stands highest at 0.5 and sets in the west", () => {
  expect(skyColours(0.25).sunDirection.x).toBeCloseTo(1);
  expect(skyColours(0.5).sunDirection.y).toBeGreaterThan(0.8);
  expect(skyColours(0.75).sunDirection.x).toBeCloseTo(-1);
  expect(skyColours(0).sunDirection.y).toBeLessThan(-0.8);
});

test("every day is the same, and its light never jumps", () => {
  expect(skyColours(-0.3).daylight).toBeCloseTo(skyColours(3.7).daylight);
  for (let at = 0; at < 4_000; at++) {
    const [before, after] = [skyColours(at / 4_000), skyColours((at + 1) / 4_000)];
    expect(Math.abs(before.light.r - after.light.r), `from ${at}`).toBeLessThan(0.02);
    expect(Math.abs(before.horizon.b - after.horizon.b), `from ${at}`).toBeLessThan(0.02);
  }
});

test("a renderer is fitted to its canvas with at most two pixels for each of the page, and only when the size changes", () => {
  vi.stubGlobal("devicePixelRatio", 3);
  const canvas = { clientWidth: 400, clientHeight: 200, width: 0, height: 0 };
  let pixelRatio = 1;
  const renderer = {
    domElement: canvas as unknown as Parameters<typeof fitRenderer>[0]["domElement"],
    getPixelRatio: () => pixelRatio,
    setPixelRatio(ratio: number) {
      pixelRatio = ratio;
    },
    setSize(width: number, height: number) {
      canvas.width = width * pixelRatio;
      canvas.height = height * pixelRatio;
    },
  };
  const camera = new PerspectiveCamera();
  expect(fitRenderer(renderer, camera)).toBe(true);
  expect([canvas.width, canvas.height, camera.aspect]).toEqual([800, 400, 2]);
  expect(fitRenderer(renderer, camera)).toBe(false);
});
