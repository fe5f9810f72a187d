// Draws a shared world from above: for each column the topmost voxel, darker where it is low.

const CHUNK_VOXELS = 16;
const VOXEL_PIXELS = 6;
const [LOWEST, HIGHEST] = [-32, 112];

/** Where a point of the map lies, as x and z in voxels. The middle of the map is the origin. */
export function placeAt(left, top) {
  return [left, top].map((pixels) => Math.floor(pixels / VOXEL_PIXELS) - 64);
}

/** The topmost voxel of a column that is not air; `undefined` while it is not known. */
export function topOf(client, x, z) {
  for (let bottom = HIGHEST - CHUNK_VOXELS; bottom >= LOWEST; bottom -= CHUNK_VOXELS) {
    const chunk = client.chunkAt([x, bottom, z].map((voxel) => Math.floor(voxel / CHUNK_VOXELS)));
    if (chunk === undefined) return undefined;
    if (chunk.isEmpty) continue;
    for (let y = bottom + CHUNK_VOXELS - 1; y >= bottom; y--) {
      const block = chunk.get(indexInChunk(x, y, z));
      if (block !== 0) return { y, block };
    }
  }
  return undefined;
}

/** Draws a column of chunks. */
export function drawColumn(canvas, client, chunkX, chunkZ) {
  const context = canvas.getContext("2d");
  for (let x = chunkX * CHUNK_VOXELS; x < (chunkX + 1) * CHUNK_VOXELS; x++) {
    for (let z = chunkZ * CHUNK_VOXELS; z < (chunkZ + 1) * CHUNK_VOXELS; z++) {
      const top = topOf(client, x, z);
      if (top === undefined) continue;
      context.fillStyle = colourOf(client.blocks.byId(top.block).colour, top.y);
      context.fillRect((x + 64) * VOXEL_PIXELS, (z + 64) * VOXEL_PIXELS, VOXEL_PIXELS, VOXEL_PIXELS);
    }
  }
}

/** Draws the other players. */
export function drawPeople(canvas, entities) {
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.font = "bold 14px system-ui, sans-serif";
  for (const { name, position } of entities) {
    const [left, top] = [position[0], position[2]].map((voxel) => (voxel + 64.5) * VOXEL_PIXELS);
    context.fillStyle = "#fff";
    context.strokeStyle = "#000";
    context.beginPath();
    context.arc(left, top, 6, 0, 7);
    context.fill();
    context.stroke();
    context.strokeText(name, left + 10, top + 5);
    context.fillText(name, left + 10, top + 5);
  }
}

/** The index of a voxel in its chunk runs along x first, then y, then z. */
function indexInChunk(x, y, z) {
  const [insideX, insideY, insideZ] = [x, y, z].map((voxel) => voxel & (CHUNK_VOXELS - 1));
  return insideX + CHUNK_VOXELS * (insideY + CHUNK_VOXELS * insideZ);
}

function colourOf(colour, height) {
  const light = 0.7 + (0.5 * (height - LOWEST)) / (HIGHEST - LOWEST);
  const channels = [colour >> 16, (colour >> 8) & 255, colour & 255];
  return `rgb(${channels.map((channel) => Math.round(channel * light)).join(" ")})`;
}
