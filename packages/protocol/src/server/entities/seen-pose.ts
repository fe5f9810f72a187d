import type { Pose } from "../../message/entity.ts";
import { roundPose } from "../../message/pose-codec.ts";

/** Returns a pose as clients see it. Clamps invalid orientations from a world or a game. */
export function seenPose({ position, orientation }: Pose): Pose {
  const [x, y, z, w] = orientation;
  return roundPose({ position, orientation: [within(x), within(y), within(z), within(w)] });
}

function within(component: number): number {
  // NaN becomes 0.
  return Math.max(-1, Math.min(1, component || 0));
}
