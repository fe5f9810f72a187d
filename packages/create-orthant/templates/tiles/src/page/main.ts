// The page: joins the world, draws it, and lets the player walk, dig and build.
import { AIR, connect, type Position } from "orthant/client";
import { draw, tileUnder } from "./draw.ts";
import { Player } from "./player.ts";

const VIEW_TILES = 96;
const REACH_TILES = 8;

const canvas = document.querySelector("canvas") as HTMLCanvasElement;
const status = document.querySelector("output") as HTMLOutputElement;
const world = await connect(`${location.origin.replace("http", "ws")}/world`, {
  dimensions: 2,
  timeoutMs: Number.POSITIVE_INFINITY, // the server may start after the page
});
world.onStatus((now, { error }) => {
  status.value = now === "joined" ? "" : (error?.message ?? now);
});
status.value = "";

const player = new Player(world);
const brick = world.blocks.id("brick");
const keys = new Set<string>();
const held = (...codes: readonly string[]): boolean => codes.some((code) => keys.has(code));

addEventListener("keydown", ({ code }) => keys.add(code));
addEventListener("keyup", ({ code }) => keys.delete(code));
addEventListener("blur", () => keys.clear());
canvas.addEventListener("click", (event) => put(AIR, event));
canvas.addEventListener("contextmenu", (event) => {
  event.preventDefault();
  put(brick, event);
});

/** Puts a block into the tile under the pointer. It shows at once, and the server sends it to the others. */
function put(block: number, { offsetX, offsetY }: MouseEvent): void {
  const tile = tileUnder(canvas, player.position, offsetX, offsetY);
  if (isInReach(tile) && !(block !== AIR && player.overlaps(tile))) void world.set(tile, block);
}

function isInReach([x, y]: Position<2>): boolean {
  return Math.hypot(x + 0.5 - player.position[0], y + 0.5 - player.position[1]) < REACH_TILES;
}

let center = Number.NaN;
let last = performance.now();
requestAnimationFrame(function frame(now) {
  player.walk(
    {
      right: Number(held("KeyD", "ArrowRight")) - Number(held("KeyA", "ArrowLeft")),
      jump: held("Space", "KeyW", "ArrowUp"),
    },
    Math.min(0.05, Math.max(0, now - last) / 1000),
  );
  last = now;
  world.move({ position: player.position });
  if (!(Math.abs(player.position[0] - center) < 16)) {
    center = player.position[0];
    void world.setInterest({ center: player.position, radius: VIEW_TILES });
  }
  draw(canvas, world, player.position);
  requestAnimationFrame(frame);
});
