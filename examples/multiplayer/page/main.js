// The page of one player: a map of the land from above, the others on it, and a click that builds.

import { chunkBox, connect, indexedDbCache } from "orthant/client";
import { drawColumn, drawPeople, placeAt, topOf } from "./map.js";

/** The land that is shown, in chunks. */
const LAND = chunkBox([-4, -2, -4], [4, 7, 4]);
const [land, people, status] = ["#land", "#people", "#status"].map((name) => document.querySelector(name));

const name = new URLSearchParams(location.search).get("name") ?? `Guest ${Math.floor(Math.random() * 1000)}`;
status.value = "connecting";
const client = await connect(location.href.replace(/^http/, "ws").replace(/[?#].*/, ""), {
  name,
  dimensions: 3,
  timeoutMs: Number.POSITIVE_INFINITY, // a page may wait for its server
  cache: indexedDbCache("land"), // a page that comes back is sent what is new
});

client.onStatus((now, { error }) => {
  status.value = error ? `${now}: ${error.message}` : `${name} is ${now}`;
});
client.onChunks((boxes) => {
  const columns = new Set(boxes.flatMap(columnsOf));
  for (const column of columns) drawColumn(land, client, ...column.split(" ").map(Number));
});
client.onEntity(() => drawPeople(people, client.entities));
client.setInterest({ chunks: [LAND] });
status.value = `${name} is ${client.status}`;

people.addEventListener("pointermove", ({ offsetX, offsetY }) => {
  if (client.status !== "joined") return;
  const [x, z] = placeAt(offsetX, offsetY);
  client.move({ position: [x, 100, z] });
});
people.addEventListener("click", ({ offsetX, offsetY }) => edit(offsetX, offsetY, 1, "brick"));
people.addEventListener("contextmenu", (event) => {
  event.preventDefault();
  edit(event.offsetX, event.offsetY, 0, "air");
});

/** The edit shows at once, and is taken back should the server refuse it. */
async function edit(left, top, above, block) {
  const [x, z] = placeAt(left, top);
  const ground = topOf(client, x, z);
  if (ground === undefined) return;
  const result = await client.set([x, ground.y + above, z], client.blocks.id(block));
  status.value = result.status === "rejected" ? result.detail : result.status;
}

function columnsOf({ min, max }) {
  const columns = [];
  for (let x = Math.max(min[0], LAND.min[0]); x < Math.min(max[0], LAND.max[0]); x++) {
    for (let z = Math.max(min[2], LAND.min[2]); z < Math.min(max[2], LAND.max[2]); z++)
      columns.push(`${x} ${z}`);
  }
  return columns;
}
