/** How a {@link LossyNetwork} treats frames. Probabilities are from 0 to 1, per frame. */
export interface Weather {
  /** Probability that a frame never arrives. */
  readonly loss: number;
  /** Probability that a frame arrives twice. */
  readonly duplication: number;
  /** Probability that a frame is delivered out of order. */
  readonly reordering: number;
  /** Probability that the link breaks when a frame is sent. */
  readonly cut: number;
  /** Bounds of a frame's delay. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Maximum time until an end notices that its link broke. */
  readonly noticeMsMax: number;
}

/** Every frame arrives, once, in order, after a short delay. */
export const CALM_WEATHER: Weather = {
  loss: 0,
  duplication: 0,
  reordering: 0,
  cut: 0,
  delayMsMin: 5,
  delayMsMax: 5,
  noticeMsMax: 0,
};
