// The page: joins the world, draws it, and lets the player walk, dig and build.
import { castRay, type RayHit } from "@orthant/mesh";
import { AIR, connect } from "orthant/client";
import { Vector3 } from "three";
import { ChunkMeshes } from "./chunk-meshes.ts";
import { Controls } from "./controls.ts";
import { OtherPlayers } from "./other-players.ts";
import { Player } from "./player.ts";
import { camera, outline, render, scene } from "./scene.ts";

const VIEW_VOXELS = 72;
const REACH_VOXELS = 8;

const status = document.querySelector("output") as HTMLOutputElement;
const world = await connect(`${location.origin.replace("http", "ws")}/world`, {
  dimensions: 3,
  timeoutMs: Number.POSITIVE_INFINITY, // the server may start after the page
});
world.onStatus((now, { error }) => {
  status.value = now === "joined" ? "" : (error?.message ?? now);
});
status.value = "";

const player = new Player(world);
const chunks = new ChunkMeshes(world, scene);
const others = new OtherPlayers(world, scene);
const controls = new Controls({
  dig() {
    const hit = aim();
    if (hit) void world.set(hit.position, AIR);
  },
  build(block) {
    const hit = aim();
    if (hit && !player.overlaps(hit.adjacent)) void world.set(hit.adjacent, world.blocks.id(block));
  },
});

function aim(): RayHit<3> | undefined {
  return castRay(world, camera.position, camera.getWorldDirection(new Vector3()), REACH_VOXELS);
}

let center: Vector3 | undefined;
render((seconds) => {
  controls.turn(camera, seconds);
  player.walk(controls.walking(), camera.rotation.y, seconds);
  camera.position.set(...player.eyes);
  world.move({ position: player.position, orientation: camera.quaternion.toArray() });
  if (!center || center.distanceTo(camera.position) > 16) {
    center = camera.position.clone();
    void world.setInterest({ center: player.position, radius: VIEW_VOXELS });
  }
  chunks.update(camera.position, seconds);
  others.update();
  outline(aim()?.position);
});
