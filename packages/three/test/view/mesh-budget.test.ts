import { terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { WorldView } from "@orthant/three";
import { meshPool } from "@orthant/worker-pool/node";
import { createWorld } from "@orthant/world";
import { Box3, Mesh, Vector3 } from "three";
import { expect, onTestFinished, test } from "vitest";
import { complete, type Point } from "./moved-view.ts";

const VIEW_DISTANCE = 96;
const SECTION_EDGE = 32;
const GROUND: Point = [8, 40, 8];
const HIGH_UP: Point = [8, 400, 8];

test("meshes never take more than their bytes: the farthest are left out, until there is room again", async () => {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
  const pool = meshPool({ workers: 1 });
  onTestFinished(async () => {
    await pool.close();
    await world.close();
  });
  const whole = new WorldView(world, { viewDistance: VIEW_DISTANCE, pool });
  await complete(whole, GROUND);
  const meshBytes = whole.stats.bytes / 2;
  const view = new WorldView(world, { viewDistance: VIEW_DISTANCE, pool, meshBytes });
  const staysWithin = (): void => expect(view.stats.bytes).toBeLessThanOrEqual(meshBytes);

  await complete(view, GROUND, staysWithin);
  const { reach } = view.stats;
  expect(reach).toBeLessThan(VIEW_DISTANCE);
  expect(view.stats.bytes).toBeGreaterThan(meshBytes / 3);
  expect(view.uniforms.fog.value.y, "what is left out is behind fog").toBeLessThan(reach);
  const drawn = distancesOf(view);
  for (const [corner, distance] of distancesOf(whole)) {
    if (distance <= reach) expect([...drawn.keys()], `${distance} voxels away`).toContain(corner);
    if (distance > reach + SECTION_EDGE) expect([...drawn.keys()]).not.toContain(corner);
  }

  await complete(view, HIGH_UP, staysWithin);
  for (let frame = 0; frame < 10; frame++) await complete(view, HIGH_UP);
  expect(view.stats.reach).toBe(VIEW_DISTANCE);
  await complete(view, GROUND, staysWithin);
  expect(view.stats.reach).toBeLessThan(VIEW_DISTANCE);
});

/** Returns how far from the eye on the ground each section with a mesh is. */
function distancesOf(view: WorldView): ReadonlyMap<string, number> {
  const eye = new Vector3(...GROUND);
  const end = new Vector3().setScalar(SECTION_EDGE);
  const meshes = view.children.filter((child) => child instanceof Mesh);
  return new Map(
    meshes.map(({ position }) => [
      String(position.toArray()),
      new Box3(position, position.clone().add(end)).distanceToPoint(eye),
    ]),
  );
}
