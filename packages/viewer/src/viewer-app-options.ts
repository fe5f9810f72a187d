import type { Viewpoint } from "./controls/camera.ts";
import type { BrowserOpening, ServerOpening, WorldFacts, WorldStatus } from "./message/messages.ts";

/** What a viewer with a page of its own does beyond one that is mounted in another page. */
interface PageFeatures {
  /** Keeps a token that the visitor entered. */
  readonly onToken: (token: string) => void;
  /** Copies a link to the visitor's position. Returns the notice to show. */
  readonly onShare: () => Promise<string>;
}

/** Options of a viewer. */
export interface ViewerAppOptions {
  readonly opening: ServerOpening | BrowserOpening;
  /** Starts the worker that holds the world. */
  readonly worker: () => Worker;
  /** Initial viewpoint; the world's spawn when `undefined`. */
  readonly viewpoint: Viewpoint | undefined;
  readonly showsControls: boolean;
  /** `undefined` for a viewer that shares its page with others: it has no keys unless it has the focus. */
  readonly page?: PageFeatures;
  readonly onStatus: (status: WorldStatus) => void;
  readonly onWorld: (facts: WorldFacts) => void;
}
