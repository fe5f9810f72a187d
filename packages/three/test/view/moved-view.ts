import { setImmediate } from "node:timers/promises";
import type { WorldView } from "@orthant/three";
import { PerspectiveCamera } from "three";
import { expect, vi } from "vitest";

export type Point = readonly [number, number, number];

const WAIT_MS = 100_000;

/** Updates a view for an eye at a place, and lets workers answer. */
export async function frameAt(view: WorldView, [x, y, z]: Point): Promise<void> {
  const camera = new PerspectiveCamera();
  camera.position.set(x, y, z);
  view.update(camera);
  await setImmediate();
}

/** Resolves when a view has everything around a place. Calls `afterFrame` after each update. */
export async function complete(view: WorldView, place: Point, afterFrame?: () => void): Promise<void> {
  await vi.waitFor(
    async () => {
      await frameAt(view, place);
      afterFrame?.();
      expect(view.isComplete).toBe(true);
    },
    { timeout: WAIT_MS, interval: 10 },
  );
}
