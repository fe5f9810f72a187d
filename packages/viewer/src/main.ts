import { isOrthantError } from "@orthant/core";
import { printable } from "@orthant/core/arguments";
import { parseViewpoint } from "./controls/camera.ts";
import { keepToken, visitorOf } from "./controls/visitor.ts";
import { serverOpening } from "./server-opening.ts";
import { ViewerApp } from "./viewer-app.ts";

// The page that `orthant serve` serves: a viewer that fills it, whose address leads to the visitor's position.

/** Interval between updates of the address. */
const LINK_MS = 500;

try {
  const visitor = visitorOf(location);
  const app: ViewerApp = new ViewerApp(document.body, {
    opening: serverOpening({ url: location.origin, ...visitor }),
    viewpoint: parseViewpoint(location.hash),
    worker: () => new Worker(new URL("./page-worker.ts", import.meta.url), { type: "module" }),
    showsControls: true,
    page: { onToken: keepToken, onShare: () => share(app) },
    onStatus: () => undefined,
    onWorld: ({ name }) => {
      document.title = `${printable(name) || "A world"} · Orthant`;
    },
  });
  addEventListener("hashchange", () => {
    const viewpoint = parseViewpoint(location.hash);
    if (viewpoint !== undefined) app.goTo(viewpoint);
  });
  setInterval(() => keepLink(app), LINK_MS);
  app.greet();
  // For debugging, and for tests.
  Object.assign(globalThis, { orthant: app });
} catch (error) {
  document.body.textContent = isOrthantError(error) ? error.detail : String(error);
  throw error;
}

/** Keeps the visitor's position in the address, so that it can be copied and survives a reload. */
function keepLink({ viewpoint }: ViewerApp): void {
  if (viewpoint !== undefined && `#${viewpoint}` !== location.hash)
    history.replaceState(null, "", `#${viewpoint}`);
}

async function share(app: ViewerApp): Promise<string> {
  keepLink(app);
  try {
    await navigator.clipboard.writeText(location.href);
    return "A link to this place is copied";
  } catch {
    // Insecure pages may not use the clipboard.
    return "Copy the address: it leads to this place";
  }
}
