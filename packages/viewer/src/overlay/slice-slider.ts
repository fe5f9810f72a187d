import { AXIS_NAMES, type Slice } from "../slice/slice.ts";
import { element } from "./element.ts";

/** How far the slider reaches to each side of where it was last let go. */
const SLIDER_VOXELS = 32;

/** Where the slice lies on the hidden axis, to be read and moved. */
export class SliceSlider {
  readonly #card = element("slice", HTMLElement);
  readonly #slider = element("slice-slider", HTMLInputElement);
  readonly #at = element("slice-at", HTMLOutputElement);
  #middle = Number.NaN;

  constructor(onMove: (at: number) => void, onTurn: () => void) {
    this.#slider.addEventListener("input", () => onMove(this.#slider.valueAsNumber));
    this.#slider.addEventListener("change", () => {
      this.#middle = Number.NaN;
      onMove(this.#slider.valueAsNumber);
    });
    element("turn", HTMLButtonElement).addEventListener("click", onTurn);
  }

  /** Shows where a slice lies; nothing where there is nothing beside it. */
  show({ hidden, at }: Slice, canSweep: boolean): void {
    this.#card.hidden = !canSweep;
    if (!(Math.abs(at - this.#middle) < SLIDER_VOXELS)) {
      this.#middle = at;
      this.#slider.min = String(at - SLIDER_VOXELS);
      this.#slider.max = String(at + SLIDER_VOXELS);
    }
    this.#slider.value = String(at);
    this.#at.value = `${AXIS_NAMES[hidden]} = ${at}`;
  }
}
