import type { Pose } from "../../message/being.ts";
import { roundPose } from "../../message/pose-codec.ts";

/** A pose as clients see it; what a world or a game calls an orientation is made to be one. */
export function seenPose({ position, orientation }: Pose): Pose {
  const [x, y, z, w] = orientation;
  return roundPose({ position, orientation: [within(x), within(y), within(z), within(w)] });
}

function within(component: number): number {
  // What is not a number becomes 0.
  return Math.max(-1, Math.min(1, component || 0));
}
