import { element } from "./overlay/element.ts";
import { Page } from "./page.ts";

try {
  // Those who look for a fault, and tests, find the page here.
  Object.assign(globalThis, { orthant: new Page() });
} catch (error) {
  element("status", HTMLElement).dataset["kind"] = "failed";
  element("status-text", HTMLElement).textContent =
    "This browser cannot draw the world: it needs WebGL 2 and module workers.";
  throw error;
}
