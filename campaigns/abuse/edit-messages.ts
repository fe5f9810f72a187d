import type { Position } from "@orthant/core";
import type { SetVoxels } from "@orthant/protocol";
import type { Prowler } from "./prowler.ts";

/** An edit of one voxel. */
export function edit(editId: number, voxel: Position, material: number): SetVoxels {
  return { kind: "setVoxels", editId, placements: [placement(voxel, material)] };
}

/** A voxel of an edit. */
export function placement(voxel: Position, material: number): SetVoxels["placements"][number] {
  return { voxel, material };
}

/** Waits until `count` verdicts have arrived, or the connection has ended. */
export async function verdictsOn(prowler: Prowler, count: number): Promise<void> {
  await prowler.heard(() => {
    const results = prowler.messages.flatMap((message) =>
      message.kind === "editResults" ? message.results : [],
    );
    return results.length >= count;
  });
}
