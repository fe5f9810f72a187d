import { AXIS_NAMES } from "@orthant/core/lattice";
import type { Numbers, WorldStatus } from "../message/messages.ts";
import type { Slice } from "../slice/slice.ts";
import { showText, termRows, type ViewerElements } from "./elements.ts";

/** A text at a point of the page. */
interface Label {
  readonly text: string;
  readonly at: readonly [left: number, top: number];
  readonly kind: "label" | "clock";
}

/** Returns a function that shows texts over the scene, and no others. Reuses elements, so that moving them is cheap. */
export function labelsOn(elements: ViewerElements): (labels: readonly Label[]) => void {
  const parent = elements.find("labels", HTMLElement);
  const used: HTMLElement[] = [];
  return (labels) => {
    while (used.length < labels.length) used.push(parent.appendChild(document.createElement("span")));
    for (const [index, shown] of used.entries()) {
      const label = labels[index];
      shown.hidden = label === undefined;
      if (label === undefined) continue;
      const { text, at, kind } = label;
      showText(shown, text);
      if (shown.className !== kind) shown.className = kind;
      shown.style.left = `${at[0].toFixed(1)}px`;
      shown.style.top = `${at[1].toFixed(1)}px`;
    }
  };
}

/** Counters of the page itself. */
export interface PageNumbers {
  /** Of meshes on the graphics card. */
  readonly meshBytes: number;
  /** Sections with something to draw, and those whose picture is not up to date. */
  readonly sections: number;
  readonly waiting: number;
  readonly calls: number;
  readonly triangles: number;
  /** Frames drawn since the page was opened; the page draws none while nothing changes. */
  readonly pictures: number;
}

/** Counters of the worker and of the page. */
export type AllNumbers = Numbers & PageNumbers;

/** A panel with all counters. */
export class NumbersPanel {
  readonly #panel: HTMLElement;
  readonly #list: HTMLElement;

  constructor(elements: ViewerElements) {
    this.#panel = elements.find("panel", HTMLElement);
    this.#list = elements.find("numbers", HTMLElement);
  }

  /** Whether the panel is visible. */
  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  set isOpen(isOpen: boolean) {
    this.#panel.hidden = !isOpen;
  }

  show(numbers: AllNumbers): void {
    if (!this.isOpen) return;
    const { roundTripMs } = numbers;
    const rows: readonly (readonly [string, string])[] = [
      ["received", bytes(numbers.bytesIn)],
      ["sent", bytes(numbers.bytesOut)],
      ["frames received", count(numbers.framesIn)],
      ["patches", count(numbers.patches)],
      ["resyncs", count(numbers.resyncs)],
      ["round trip of an edit", roundTripMs === undefined ? "none yet" : `${roundTripMs.toFixed(0)} ms`],
      ["regions held", count(numbers.heldRegions)],
      ["chunks on the page", bytes(numbers.chunkBytes)],
      ["mesh memory", bytes(numbers.meshBytes)],
      ["sections drawn, waiting", `${count(numbers.sections)}, ${count(numbers.waiting)}`],
      ["draw calls, triangles", `${count(numbers.calls)}, ${count(numbers.triangles)}`],
      ["pictures drawn", count(numbers.pictures)],
    ];
    this.#list.replaceChildren(...termRows(rows));
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

/** Range of the slider on each side of its last position, in voxels. */
const SLIDER_VOXELS = 32;

/**
 * Prepares the slider for the slice's position on the hidden axis. Returns a function that shows the position of a slice,
 * and hides the slider when there is nothing to sweep through.
 */
export function sliceSlider(
  elements: ViewerElements,
  onMove: (at: number) => void,
  onTurn: () => void,
): (slice: Slice, canSweep: boolean) => void {
  const card = elements.find("slice", HTMLElement);
  const slider = elements.find("slice-slider", HTMLInputElement);
  const output = elements.find("slice-at", HTMLOutputElement);
  let middle = Number.NaN;
  slider.addEventListener("input", () => onMove(slider.valueAsNumber));
  slider.addEventListener("change", () => {
    middle = Number.NaN;
    onMove(slider.valueAsNumber);
  });
  elements.find("turn", HTMLButtonElement).addEventListener("click", onTurn);
  return ({ hidden, at }, canSweep) => {
    card.hidden = !canSweep;
    if (!(Math.abs(at - middle) < SLIDER_VOXELS)) {
      middle = at;
      slider.min = String(at - SLIDER_VOXELS);
      slider.max = String(at + SLIDER_VOXELS);
    }
    slider.value = String(at);
    output.value = `${AXIS_NAMES[hidden]} = ${at}`;
  };
}

const NOTICE_MS = 3_500;

/** Shows the state of the connection to the world, and short notices. */
export class StatusLine {
  readonly #status: HTMLElement;
  readonly #text: HTMLElement;
  readonly #form: HTMLFormElement;
  readonly #token: HTMLInputElement;
  readonly #again: HTMLButtonElement;
  readonly #notice: HTMLElement;
  #timer = 0;

  /** `onToken` receives a token that the visitor entered. `onRetry` runs when they want to retry. */
  constructor(elements: ViewerElements, onToken: (token: string) => void, onRetry: () => void) {
    this.#status = elements.find("status", HTMLElement);
    this.#text = elements.find("status-text", HTMLElement);
    this.#form = elements.find("token-form", HTMLFormElement);
    this.#token = elements.find("token", HTMLInputElement);
    this.#again = elements.find("again", HTMLButtonElement);
    this.#notice = elements.find("notice", HTMLElement);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#token.value.trim() !== "") onToken(this.#token.value.trim());
      this.#token.value = "";
    });
    this.#again.addEventListener("click", onRetry);
  }

  /** Shows a status. When it is `ready`, shows the text `ready`, followed by the status's own text. */
  show({ kind, text }: WorldStatus, ready: string): void {
    this.#status.dataset["kind"] = kind;
    showText(this.#text, kind === "ready" ? [ready, text].filter(Boolean).join(". ") : text);
    this.#form.hidden = kind !== "refused";
    this.#again.hidden = kind !== "failed" && kind !== "refused";
  }

  /** Shows a notice for a moment. */
  notice(text: string, isBad: boolean): void {
    showText(this.#notice, text);
    this.#notice.classList.toggle("bad", isBad);
    this.#notice.classList.add("shown");
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#notice.classList.remove("shown"), NOTICE_MS);
  }

  /** Stops the timer of a notice. */
  close(): void {
    clearTimeout(this.#timer);
  }
}
