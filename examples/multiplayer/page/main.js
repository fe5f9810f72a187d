// The page of one player: a map of the land from above, the others on it, and a click that builds.

import { indexedDbCache } from "@orthant/client/browser";
import { connectReplica } from "@orthant/client/replica";
import { boxBetween } from "@orthant/core";
import { drawColumn, drawPeople, placeAt, topOf } from "./map.js";

/** The land that is shown, in chunks. */
const LAND = boxBetween([-4, -2, -4, 0], [4, 7, 4, 1]);
const [land, people, status] = ["#land", "#people", "#status"].map((name) => document.querySelector(name));

const name = new URLSearchParams(location.search).get("name") ?? `Guest ${Math.floor(Math.random() * 1000)}`;
const shared = connectReplica(location.href.replace(/^http/, "ws").replace(/[?#].*/, ""), {
  name,
  interest: { boxes: [LAND] },
  cache: indexedDbCache("land"), // a page that comes back is sent what is new
});

shared.onStatus((now, { error }) => {
  status.value = error ? `${now}: ${error.message}` : `${name} is ${now}`;
});
shared.onChange((boxes) => {
  const columns = new Set(boxes.flatMap(columnsOf));
  for (const column of columns) drawColumn(land, shared, ...column.split(" ").map(Number));
});
shared.onEntities(() => drawPeople(people, shared.entities));

people.addEventListener("pointermove", ({ offsetX, offsetY }) => {
  if (shared.status !== "joined") return;
  const [x, z] = placeAt(offsetX, offsetY);
  shared.move({ position: [x, 100, z, 0], orientation: [0, 0, 0, 1] });
});
people.addEventListener("click", ({ offsetX, offsetY }) => edit(offsetX, offsetY, 1, "brick"));
people.addEventListener("contextmenu", (event) => {
  event.preventDefault();
  edit(event.offsetX, event.offsetY, 0, "air");
});

/** The edit shows at once, and is taken back should the server refuse it. */
async function edit(left, top, above, block) {
  const [x, z] = placeAt(left, top);
  const ground = topOf(shared, x, z);
  if (ground === undefined) return;
  const result = await shared.setVoxel([x, ground.y + above, z, 0], shared.catalog.byName(block).id);
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
