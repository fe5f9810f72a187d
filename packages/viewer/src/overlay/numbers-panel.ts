import type { Numbers } from "../message/world-facts.ts";
import { element } from "./element.ts";

/** Counters of the page itself. */
export interface PageNumbers {
  readonly meshBlocks: number;
  readonly calls: number;
  readonly triangles: number;
  /** Frames drawn since the page was opened; the page draws none while nothing changes. */
  readonly pictures: number;
}

/** A panel with all counters. */
export class NumbersPanel {
  readonly #panel = element("panel", HTMLElement);
  readonly #list = element("numbers", HTMLElement);

  /** Whether the panel is visible. */
  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  set isOpen(isOpen: boolean) {
    this.#panel.hidden = !isOpen;
  }

  show(numbers: Numbers, page: PageNumbers): void {
    if (!this.isOpen) return;
    const { roundTripMs, meshMs, meshedChunks } = numbers;
    const rows: readonly (readonly [string, string])[] = [
      ["received", bytes(numbers.bytesIn)],
      ["sent", bytes(numbers.bytesOut)],
      ["frames received", count(numbers.framesIn)],
      ["patches", count(numbers.patches)],
      ["resyncs", count(numbers.resyncs)],
      ["round trip of an edit", roundTripMs === undefined ? "none yet" : `${roundTripMs.toFixed(0)} ms`],
      ["regions held", count(numbers.heldRegions)],
      ["chunks realized for meshes", count(meshedChunks)],
      ["chunks meshed a second", meshMs > 0 ? count((meshedChunks / meshMs) * 1000) : "none yet"],
      ["cuts kept", `${count(numbers.keptCuts)}, ${bytes(numbers.keptCutBytes)}`],
      ["mesh blocks made, waiting", `${count(numbers.meshBlocksMade)}, ${count(numbers.meshBlocksWaiting)}`],
      ["mesh memory", bytes(numbers.meshBytes)],
      ["mesh blocks drawn", count(page.meshBlocks)],
      ["draw calls, triangles", `${count(page.calls)}, ${count(page.triangles)}`],
      ["pictures drawn", count(page.pictures)],
    ];
    this.#list.replaceChildren(
      ...rows.flatMap(([name, value]) => {
        const term = document.createElement("dt");
        term.textContent = name;
        const detail = document.createElement("dd");
        detail.textContent = value;
        return [term, detail];
      }),
    );
  }
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`;
  return `${(value / 1024 / 1024).toFixed(1)} MiB`;
}
