import { OrthantError } from "@orthant/core";
import { parseViewpoint, type Viewpoint } from "./controls/camera.ts";
import { startWorldWorker } from "./default-worker.ts";
import type { WorldFacts, WorldStatus } from "./message/messages.ts";
import { type ServerAddress, serverOpening, wrong } from "./server-opening.ts";
import { ViewerApp } from "./viewer-app.ts";

/** Options of `mountViewer`. */
export interface MountOptions extends ServerAddress {
  /**
   * Where the visitor begins, as the viewer's page has it behind the `#` of its address, such as
   * `at=0.5,40,0.5,0&look=0,-20`; the world's spawn by default.
   */
  readonly viewpoint?: string;
  /** Whether to show the title, the buttons and the tools over the world; `true` by default. */
  readonly showsControls?: boolean;
  /** Starts the program `@orthant/viewer/world-worker.js`; by default as a file beside the viewer's own. */
  readonly worker?: () => Worker;
}

/** A viewer on a page. */
export interface MountedViewer {
  /** The element that shows the world, inside the one that it was mounted in. */
  readonly element: HTMLElement;
  /** State of the connection. */
  readonly status: WorldStatus;
  /** The world; `undefined` before the server has described it. */
  readonly world: WorldFacts | undefined;
  /** Where the visitor is, as in `MountOptions`; `undefined` before the world is known. */
  readonly viewpoint: string | undefined;
  /** Calls `listener` at each change of `status`. Returns an unsubscribe function. */
  onStatus(listener: (status: WorldStatus) => void): () => void;
  /** Moves the visitor, as soon as the world is known. */
  goTo(viewpoint: string): void;
  /** Shows another world, or the same one with another token. */
  open(address: ServerAddress): void;
  /**
   * Removes the viewer and everything that belongs to it. Resolves when it has left the world, too; may be
   * called twice.
   */
  close(): Promise<void>;
}

/**
 * Shows a world of a server inside `element`, which decides the size. Throws `ORT_ARGUMENT` for a wrong
 * option, and `ORT_PLATFORM` in a browser that cannot draw. Problems with the server are its `status`.
 *
 * ```ts
 * const viewer = mountViewer(document.querySelector("#world"), { url: "wss://play.example.org", token });
 * viewer.onStatus(({ kind, text }) => console.log(kind, text));
 * await viewer.close();
 * ```
 */
export function mountViewer(element: Element, options: MountOptions): MountedViewer {
  checkArguments(element, options);
  const listeners = new Set<(status: WorldStatus) => void>();
  let status: WorldStatus = { kind: "connecting", text: "" };
  const app = new ViewerApp(element, {
    opening: serverOpening(options),
    viewpoint: options.viewpoint === undefined ? undefined : viewpointOf(options.viewpoint),
    worker: options.worker ?? startWorldWorker,
    showsControls: options.showsControls ?? true,
    onStatus: (next) => {
      status = next;
      for (const listener of [...listeners]) listener(next);
    },
    onWorld: () => undefined,
  });
  return {
    element: app.host,
    get status() {
      return status;
    },
    get world() {
      return app.facts;
    },
    get viewpoint() {
      return app.viewpoint;
    },
    onStatus(listener) {
      if (typeof listener !== "function") throw wrong("listener", listener, "a function");
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    goTo: (viewpoint) => app.goTo(viewpointOf(viewpoint)),
    open: (address) => app.open(serverOpening(address)),
    close() {
      listeners.clear();
      return app.close();
    },
  };
}

function checkArguments(element: Element, options: MountOptions): void {
  if (typeof (element as Element | null)?.attachShadow !== "function") {
    const detail = `mountViewer needs an element of the page as its first argument, not ${element === null ? "null" : typeof element}`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  if (typeof options !== "object" || options === null) {
    throw new OrthantError("ORT_ARGUMENT", "mountViewer needs { url } as its second argument");
  }
  const { showsControls, worker } = options;
  if (showsControls !== undefined && typeof showsControls !== "boolean")
    throw wrong("showsControls", showsControls, "true or false");
  if (worker !== undefined && typeof worker !== "function")
    throw wrong("worker", worker, "a function that returns a Worker");
}

function viewpointOf(text: string): Viewpoint {
  const viewpoint = typeof text === "string" ? parseViewpoint(text) : undefined;
  if (viewpoint === undefined) throw wrong("viewpoint", text, "text such as at=0.5,40,0.5,0&look=0,-20");
  return viewpoint;
}
