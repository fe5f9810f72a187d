import { element } from "./overlay/element.ts";
import { Page } from "./page.ts";

try {
  // For debugging, and for tests.
  Object.assign(globalThis, { orthant: new Page() });
} catch (error) {
  element("status", HTMLElement).dataset["kind"] = "failed";
  element("status-text", HTMLElement).textContent =
    "This browser cannot draw the world: it needs WebGL 2 and module workers.";
  throw error;
}
