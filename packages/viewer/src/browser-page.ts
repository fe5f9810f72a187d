import { isOrthantError } from "@orthant/core";
import { parseViewpoint } from "./controls/camera.ts";
import type { BrowserOpening } from "./message/messages.ts";
import { ViewerApp } from "./viewer-app.ts";

// A viewer in the element `#world` of a page, with a world that the browser keeps: there is no server.

interface Demo {
  readonly opening: BrowserOpening;
  /** Where a visitor begins. */
  readonly viewpoint: string;
}

const DEMOS: ReadonlyMap<string, Demo> = new Map([
  [
    "valley",
    {
      opening: { kind: "browser", folder: "orthant-valley", dimensions: 3 },
      viewpoint: "at=0.5,40,24.5,0&look=0,-20",
    },
  ],
  [
    "isles",
    {
      opening: { kind: "browser", folder: "orthant-isles", dimensions: 4 },
      viewpoint: "at=0.5,8,20.5,0&look=0,-20",
    },
  ],
]);

const place = document.querySelector("#world") ?? document.body;
const name = new URLSearchParams(location.search).get("world") ?? "";
const { opening, viewpoint } = (DEMOS.get(name) ?? DEMOS.get("valley")) as Demo;
try {
  const app = new ViewerApp(place, {
    opening,
    viewpoint: parseViewpoint(location.hash) ?? parseViewpoint(viewpoint),
    worker: () => new Worker(new URL("./browser-worker.ts", import.meta.url), { type: "module" }),
    showsControls: true,
    page: { onToken: () => undefined, onShare: async () => "This world is only in this browser" },
    onStatus: () => undefined,
    onWorld: () => undefined,
  });
  app.greet();
  // Without this, a browser that runs out of space may delete the world.
  void navigator.storage.persist();
  // For debugging, and for tests.
  Object.assign(globalThis, { orthant: app });
} catch (error) {
  place.textContent = isOrthantError(error) ? error.detail : String(error);
  throw error;
}
