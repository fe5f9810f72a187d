import {
  callback,
  checkedOptions,
  requireFlag,
  requireFunction,
  unchecked,
  wrongArgument,
} from "@orthant/core/arguments";
import { parseViewpoint, type Viewpoint } from "./controls/camera.ts";
import { startWorldWorker } from "./default-worker.ts";
import type { WorldFacts, WorldStatus } from "./message/messages.ts";
import { ADDRESS_OPTIONS, type ServerAddress, serverOpening } from "./server-opening.ts";
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
  requireElement(element);
  const { viewpoint, showsControls, worker, ...address } = checkedOptions("the options", options, {
    ...ADDRESS_OPTIONS,
    viewpoint: unchecked,
    showsControls: requireFlag,
    worker: callback,
  });
  const listeners = new Set<(status: WorldStatus) => void>();
  let status: WorldStatus = { kind: "connecting", text: "" };
  const app = new ViewerApp(element, {
    opening: serverOpening(address),
    viewpoint: viewpoint === undefined ? undefined : viewpointOf(viewpoint),
    worker: worker ?? startWorldWorker,
    showsControls: showsControls ?? true,
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
      listeners.add(requireFunction("listener", listener));
      return () => void listeners.delete(listener);
    },
    goTo: (place) => app.goTo(viewpointOf(place)),
    open: (next) => app.open(serverOpening(next)),
    close() {
      listeners.clear();
      return app.close();
    },
  };
}

function requireElement(element: unknown): void {
  if (typeof (element as Element | null)?.attachShadow === "function") return;
  throw wrongArgument("element", element, "it is an element of the page");
}

function viewpointOf(text: unknown): Viewpoint {
  const viewpoint = typeof text === "string" ? parseViewpoint(text) : undefined;
  if (viewpoint !== undefined) return viewpoint;
  throw wrongArgument("viewpoint", text, "it is text such as at=0.5,40,0.5,0&look=0,-20");
}
