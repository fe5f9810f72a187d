import type { Box, Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxContains, cubeAt, positionFrom } from "@orthant/core/lattice";
import { clockFrom, type VoxelPlacement } from "@orthant/core/tree";
import type { Hello } from "@orthant/protocol";
import {
  type ClientFrame,
  type ClientMessage,
  clientFrameCodec,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
} from "@orthant/protocol/internal";
import type { Prng } from "@orthant/testkit";
import { randomClientFrame } from "@orthant/testkit/messages";
import { mutate } from "../fuzz/fuzz-batch.ts";

/** Where attackers may build: small, so that they meet and the world does not grow with their number. */
const GROUND: Box = { min: [-32, -2, -2, -2], max: [32, 2, 2, 2] };
const TOKEN_NONE = new Uint8Array(0);

/** The state of a connection that a client's next frame depends on. */
export interface AttackerState {
  readonly clientId: bigint;
  readonly acknowledged: number;
  readonly applied: number;
  readonly nextInterestId: number;
  readonly nextEditId: number;
}

/** Returns whether attackers may build there. */
export function isOnGround(voxel: Position): boolean {
  return boxContains(GROUND, voxel);
}

/** Returns a hello that the server welcomes, apart from the given changes. */
export function helloOf(clientId: bigint, change: Partial<Hello> = {}): Hello {
  return {
    kind: "hello",
    version: PROTOCOL_VERSION,
    generators: DEFAULT_GENERATORS.versionHashes,
    featureBits: KNOWN_FEATURES,
    clientId,
    token: TOKEN_NONE,
    name: "connected",
    kept: undefined,
    openEditId: 1,
    blocksHash: 0n,
    ...change,
  };
}

/** Returns an interest in `boxes`, centered at the origin. */
export function interestOf(interestId: number, boxes: readonly Box[]): ClientMessage {
  const middle: Position = [0, 0, 0, 0];
  return { kind: "interest", interestId, center: middle, motion: middle, boxes, held: [], heldBlank: [] };
}

/** Returns messages that an honest client might send next. */
function plausibleMessages(standing: AttackerState, prng: Prng): readonly ClientMessage[] {
  const position = positionFrom((axis) => prng.between(GROUND.min[axis], GROUND.max[axis] - 1));
  const region = positionFrom(() => prng.between(-2, 1));
  return [
    helloOf(standing.clientId),
    interestOf(standing.nextInterestId, [
      cubeAt(
        positionFrom(() => prng.between(-8, 4)),
        prng.between(1, 9),
      ),
    ]),
    { kind: "voxels", editId: standing.nextEditId, placements: placementsAt(position, prng) },
    { kind: "move", timeMs: 5, position: position, orientation: [0, 0, 0, 1] },
    { kind: "resync", expected: standing.applied + 1, regions: [{ region, clock: clockFrom(1, 1) }] },
    { kind: "entitiesLost" },
    { kind: "game", payload: prng.bytes(prng.below(16)) },
  ];
}

/** Returns bytes that no honest client sends: noise, damaged, nonsensical or other clients' frames. */
export function hostileFrame(
  standing: AttackerState,
  recorded: readonly Uint8Array[],
  prng: Prng,
): Uint8Array {
  const plausible = plausibleMessages(standing, prng);
  const frameOf = (messages: readonly ClientMessage[]): Uint8Array =>
    encode(clientFrameCodec, { acknowledged: standing.acknowledged, applied: standing.applied, messages });
  const kind = prng.fraction();
  // A few kinds end nearly every connection, so they are rare and the others come in long sequences.
  if (kind < 0.35) return mutate([frameOf([prng.pick(plausible)])], prng);
  if (kind < 0.4) return mutate([frameOf(plausible)], prng);
  if (kind < 0.5) return encode(clientFrameCodec, inStep(randomClientFrame(prng), standing, prng));
  if (kind < 0.55) return recorded.length === 0 ? prng.bytes(prng.below(64)) : prng.pick(recorded);
  // Everything an honest client sends, twice or in the wrong order.
  if (kind < 0.7) return frameOf(prng.chance(0.5) ? [...plausible, ...plausible] : [...plausible].reverse());
  return frameOf([prng.pick(plausible), prng.pick(plausible)]);
}

function placementsAt([x, y, z, w]: Position, prng: Prng): readonly VoxelPlacement[] {
  return Array.from({ length: prng.between(1, 3) }, (_, index) => ({
    voxel: [x + index, y, z, w] as const,
    block: prng.below(20),
  }));
}

/** Uses mostly possible numbers, so that not every frame is refused for its first byte. */
function inStep(frame: ClientFrame, { acknowledged, applied }: AttackerState, prng: Prng): ClientFrame {
  return prng.chance(0.1) ? frame : { ...frame, acknowledged, applied };
}
