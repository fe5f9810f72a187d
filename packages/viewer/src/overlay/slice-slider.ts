import { AXIS_NAMES, type Slice } from "../slice/slice.ts";
import { element } from "./element.ts";

/** Range of the slider on each side of its last position, in voxels. */
const SLIDER_VOXELS = 32;

/** A slider for the slice's position on the hidden axis. */
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

  /** Shows the position of a slice; hides the slider when there is nothing to sweep through. */
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
