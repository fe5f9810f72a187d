/** How a {@link LossyNetwork} treats what is sent. Chances are from 0 to 1, and of one frame. */
export interface Weather {
  /** That it never arrives. */
  readonly loss: number;
  /** That it arrives twice. */
  readonly duplication: number;
  /** That it does not wait for those before it, nor those behind it for it. */
  readonly reordering: number;
  /** That the link breaks with it. */
  readonly cut: number;
  /** How long it is on its way. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** How long an end may take to notice that its link broke. */
  readonly noticeMsMax: number;
}

/** Everything arrives, once, in order, after a moment. */
export const CALM_WEATHER: Weather = {
  loss: 0,
  duplication: 0,
  reordering: 0,
  cut: 0,
  delayMsMin: 5,
  delayMsMax: 5,
  noticeMsMax: 0,
};
