import type { ClientWorld, Position, Vector } from "orthant/client";

const TILE_PIXELS = 24;
const [SKY, DEEP] = ["#9fd0f3", "#dff0fb"];

/** Draws the tiles around a place, and the players. The place is in the middle. */
export function draw(canvas: HTMLCanvasElement, world: ClientWorld<2>, middle: Vector<2>): void {
  canvas.width = canvas.clientWidth;
  canvas.height = canvas.clientHeight;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const sky = context.createLinearGradient(0, 0, 0, canvas.height);
  sky.addColorStop(0, SKY);
  sky.addColorStop(1, DEEP);
  context.fillStyle = sky;
  context.fillRect(0, 0, canvas.width, canvas.height);

  // From here on, a tile is one unit long, and y points up.
  context.translate(canvas.width / 2, canvas.height / 2);
  context.scale(TILE_PIXELS, -TILE_PIXELS);
  context.translate(-middle[0], -middle[1]);
  const [wide, high] = [canvas.width / 2 / TILE_PIXELS, canvas.height / 2 / TILE_PIXELS];
  for (let x = Math.floor(middle[0] - wide); x <= middle[0] + wide; x++) {
    for (let y = Math.floor(middle[1] - high); y <= middle[1] + high; y++) drawTile(context, world, x, y);
  }
  for (const { id, position } of world.entitiesAt()) {
    drawPlayer(context, position, `hsl(${Number(id % 360n)}, 65%, 45%)`);
  }
  drawPlayer(context, middle, "#a84a3a");
}

/** Returns the tile at a point of the canvas. */
export function tileUnder(
  canvas: HTMLCanvasElement,
  middle: Vector<2>,
  left: number,
  top: number,
): Position<2> {
  return [
    Math.floor(middle[0] + (left - canvas.clientWidth / 2) / TILE_PIXELS),
    Math.floor(middle[1] - (top - canvas.clientHeight / 2) / TILE_PIXELS),
  ];
}

function drawTile(context: CanvasRenderingContext2D, world: ClientWorld<2>, x: number, y: number): void {
  const block = world.blocks.byId(world.voxelAt([x, y]) ?? 0);
  if (block === undefined || block.id === 0) return;
  context.fillStyle = `#${block.colour.toString(16).padStart(6, "0")}`;
  context.fillRect(x, y, 1.03, 1.03); // a little larger, so that no gap shows
  // A light upper edge, where air is above.
  if (block.solid && world.voxelAt([x, y + 1]) === 0) {
    context.fillStyle = "#fff5";
    context.fillRect(x, y + 0.86, 1.03, 0.14);
  }
}

function drawPlayer(context: CanvasRenderingContext2D, [x, y]: Vector<2>, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(x - 0.4, y, 0.8, 1.1);
  context.fillStyle = "#f1c9a5";
  context.fillRect(x - 0.3, y + 1.1, 0.6, 0.6);
}
