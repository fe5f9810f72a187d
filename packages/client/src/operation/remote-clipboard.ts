import { DEFAULT_BLOCKS, type Dimensions, OrthantError, type Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import {
  Clipboard,
  type ClipboardContent,
  type TurnStep,
  turnedExtents,
  turnOfStep,
} from "@orthant/core/operations";
import { TURN_STEPS_MAX } from "@orthant/protocol";

/** Where a clipboard is kept: a client, by its replica. */
export type ClipboardHolder = object;

/**
 * Voxels that the server keeps for this client's player, to be pasted. Turning and mirroring happen on the server when they are
 * pasted. The server drops them some minutes after the player's last client has left.
 *
 * @example
 * const house = await client.clipboard(box([0, 60, 0], [12, 70, 9]));
 * await client.apply({ paste: house.rotate("xz", 1), at: [100, 60, 0] });
 */
export class RemoteClipboard<D extends Dimensions = Dimensions> extends Clipboard<D> {
  /** @internal */
  readonly clipboardId: number;
  /** @internal */
  readonly holder: ClipboardHolder;
  /** @internal */
  readonly steps: readonly TurnStep[];
  readonly #dimensions: D;
  readonly #extents: Position;

  /** @internal */
  constructor(
    dimensions: D,
    extents: Position,
    clipboardId: number,
    holder: ClipboardHolder,
    steps: readonly TurnStep[] = [],
  ) {
    super(dimensions, {
      extents,
      blocks: DEFAULT_BLOCKS,
      palette: [],
      voxels: new Uint16Array(0),
      data: new Map(),
    });
    this.clipboardId = clipboardId;
    this.holder = holder;
    this.steps = steps;
    this.#dimensions = dimensions;
    this.#extents = extents;
  }

  /** @internal */
  override get content(): ClipboardContent {
    throw new OrthantError(
      "ORT_ARGUMENT",
      "this clipboard is on the server of the client that copied it: paste it with apply of that client",
    );
  }

  /** @internal */
  override turned(step: TurnStep): RemoteClipboard<D> {
    if ("rotate" in step && step.turns === 0) return this;
    const steps = followedBy(this.steps, step);
    requireAtMost(steps.length, TURN_STEPS_MAX, "turns of a clipboard", "paste it, and copy it again");
    const extents = turnedExtents(turnOfStep(step), this.#extents);
    return new RemoteClipboard(this.#dimensions, extents, this.clipboardId, this.holder, steps);
  }
}

/** Returns steps that turn a clipboard as some and another one do, without those that cancel each other. */
function followedBy(steps: readonly TurnStep[], step: TurnStep): readonly TurnStep[] {
  const last = steps.at(-1);
  const before = steps.slice(0, -1);
  if ("mirror" in step) {
    const isBack = last !== undefined && "mirror" in last && last.mirror === step.mirror;
    return isBack ? before : [...steps, step];
  }
  const { rotate, turns } = step;
  if (last !== undefined && "rotate" in last && last.rotate === rotate) {
    const sum = (last.turns + turns) % 4;
    if (sum === 0) return before;
    // Half a turn that moves the top down is not two quarters: these lay a block on its side and back.
    if (!rotate.includes("y")) return [...before, { rotate, turns: sum }];
  }
  const all = [...steps, step];
  const quarters = all.slice(-4);
  const isRound =
    quarters.length === 4 &&
    quarters.every((each) => "rotate" in each && each.rotate === rotate && each.turns === 1);
  return isRound ? all.slice(0, -4) : all;
}
