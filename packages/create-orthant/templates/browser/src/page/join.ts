import type { GamePage } from "@orthant/three/page";
import { type ClientWorld, connect } from "orthant/client";

/** What the worker answers. */
interface Answer {
  readonly archive?: Blob;
  readonly imported?: string;
  readonly problem?: string;
}

/** Starts the worker with the world that the address names behind its #, and joins it as one would join a server's. */
export async function joinWorld(page: GamePage): Promise<ClientWorld<3>> {
  page.say("Opening the world");
  void navigator.storage.persist(); // without this, a browser that runs out of space may delete the world
  const name = decodeURIComponent(location.hash.slice(1)) || "my-world";
  addEventListener("hashchange", () => location.reload());
  const worker = new Worker(new URL("../world/worker.ts", import.meta.url), { type: "module", name });
  page.addButton("Export", () => worker.postMessage("export"));
  page.addButton("Import", () => {
    const input = Object.assign(document.createElement("input"), { type: "file", accept: ".tar" });
    input.addEventListener("change", () => worker.postMessage(input.files?.[0]));
    input.click();
  });
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    if (data.problem) page.say(data.problem);
    if (data.imported) location.hash = data.imported;
    if (data.archive) {
      const href = URL.createObjectURL(data.archive);
      Object.assign(document.createElement("a"), { href, download: `${name}.tar` }).click();
    }
  });
  return connect(worker, { dimensions: 3 });
}
