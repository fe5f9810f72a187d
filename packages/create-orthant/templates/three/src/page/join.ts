import type { GamePage } from "@orthant/three/page";
import { type ClientWorld, connect, indexedDbCache } from "orthant/client";

/** Joins the world of the server that the page comes from. */
export function joinWorld(page: GamePage): Promise<ClientWorld<3>> {
  page.say("Connecting");
  return connect(`${location.origin.replace("http", "ws")}/world`, {
    dimensions: 3,
    name: playerName(),
    cache: indexedDbCache("my-world"), // who comes back is the same player
    timeoutMs: Number.POSITIVE_INFINITY, // the server may start after the page
  });
}

/** The name for others: that of the address, such as `?name=Ada`, or one that this browser keeps. */
function playerName(): string {
  const given = new URLSearchParams(location.search).get("name");
  if (given) localStorage.setItem("name", given.slice(0, 20));
  const name = localStorage.getItem("name") ?? `Guest ${Math.ceil(Math.random() * 999)}`;
  localStorage.setItem("name", name);
  return name;
}
