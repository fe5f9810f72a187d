/** What the page sends to the worker. Points are in pixels of the canvas. */
export type ToWorker =
  | { readonly kind: "open"; readonly screen: OffscreenCanvas }
  | { readonly kind: "walk"; readonly step: readonly [x: number, z: number] }
  | { readonly kind: "build"; readonly x: number; readonly y: number; readonly block: number }
  | { readonly kind: "dig"; readonly x: number; readonly y: number };

/** What the worker sends to the page. */
export interface ToPage {
  readonly status?: string;
  /** The blocks to build with. */
  readonly blocks?: readonly { readonly id: number; readonly name: string }[];
}
