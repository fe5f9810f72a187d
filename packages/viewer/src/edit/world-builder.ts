import type { EditHistory } from "@orthant/client";
import {
  AIR,
  type BlockCatalog,
  type Box,
  type ChunkShape,
  type Dimensions,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import {
  Axes,
  boxAt,
  boxExtents,
  boxVolume,
  PositionSet,
  positionFrom,
  unionBox,
} from "@orthant/core/lattice";
import {
  type CancelSignal,
  completeOperation,
  NOT_COPIED,
  paletteIn,
  parseOperation,
  parseSelection,
  placeInBox,
  printSelection,
} from "@orthant/core/operations";
import type {
  BlockPicture,
  BuildAnswer,
  BuildFault,
  BuildNews,
  BuildRequest,
  BuildStep,
} from "./build-messages.ts";
import type { BuildOptions, DoneOperation, HeldClipboard, SourceBuilder } from "./source-builder.ts";

/** Connected voxels that a wand finds. */
const WAND_VOXELS_MAX = 100_000;
/** Voxels of a box whose blocks are shown; of a larger one only the edges are. */
export const PICTURE_VOXELS_MAX = 262_144;
/** Changes that can be undone. */
const STEPS_MAX = 100;
const PROGRESS_MS = 100;
const COLUMN = /^text, column (\d+): /;

/** What the builder's tools need of the worker. */
export interface WorldBuilderOptions {
  readonly source: SourceBuilder;
  readonly shape: ChunkShape;
  /** The blocks of the world as they are now. */
  readonly blocks: () => BlockCatalog;
  /** Returns the block of a voxel that is loaded. */
  readonly blockAt: (position: Position) => number | undefined;
  /** Edits of single voxels, which are undone in one order with operations. */
  readonly history: EditHistory<4>;
  readonly onNews: (news: BuildNews) => void;
  readonly nowMs: () => number;
  readonly newCanceller: () => Canceller;
}

/** An `AbortController`. */
interface Canceller {
  readonly signal: CancelSignal;
  abort(reason: unknown): void;
}

/** An operation, or an edit of the history, which knows the edit itself. */
interface Step {
  readonly text: string;
  readonly done: DoneOperation | undefined;
  readonly count: number;
}

/** The builder's tools in the worker: operations, a clipboard, and what can be undone. */
export class WorldBuilder {
  readonly #options: WorldBuilderOptions;
  readonly #axes: Axes<Dimensions>;
  #done: readonly Step[] = [];
  #undone: readonly Step[] = [];
  #held: HeldClipboard | undefined;
  /** Cancels what is being done. */
  #running: Canceller | undefined;
  /** The steps of earlier visits, until they are known. */
  #earlier: Promise<void> | undefined;
  /** What was refused because it is so large: the same once more is meant. */
  #refused: string | undefined;

  constructor(options: WorldBuilderOptions) {
    this.#options = options;
    this.#axes = new Axes(options.shape);
  }

  /** Answers a request of the page. */
  async answer(request: BuildRequest): Promise<BuildAnswer> {
    try {
      this.#earlier ??= this.#findEarlier();
      if (request.kind === "undo" || request.kind === "redo") await this.#earlier;
      return await this.#answer(request);
    } catch (error) {
      return { kind: "failed", fault: faultOf(error) };
    }
  }

  async #findEarlier(): Promise<void> {
    const { done, undone } = await this.#options.source.earlier();
    const steps = (operations: typeof done): readonly Step[] =>
      operations.map(({ text, operation }) => ({ text, done: operation, count: operation.count }));
    this.#done = [...steps(done), ...this.#done].slice(-STEPS_MAX);
    if (this.#undone.length === 0) this.#undone = steps(undone);
    if (done.length + undone.length > 0) this.#tell();
  }

  /** Notes an edit of the history. */
  noteEdit(voxels: number): void {
    this.#push({ text: "brush", done: undefined, count: voxels });
  }

  #answer(request: BuildRequest): Promise<BuildAnswer> | BuildAnswer {
    switch (request.kind) {
      case "wand":
        return this.#connected(request.at);
      case "copy":
        return this.#copy(request.selection, request.isCut);
      case "turn":
        this.#held = this.#clipboard().turned(request.turn);
        return this.#shownClipboard(undefined);
      case "paste":
        return this.#paste(request.at);
      case "run":
        return this.#run(request.text, request.selection);
      case "complete":
        return this.#complete(request.text);
      case "undo":
        return this.#undo();
      case "redo":
        return this.#redo();
      case "cancel":
        this.#running?.abort(new OrthantError("ORT_CLOSED", "cancelled; nothing was changed"));
        return { kind: "nothing" };
    }
  }

  async #copy(text: string, isCut: boolean): Promise<BuildAnswer> {
    const { source } = this.#options;
    const selection = parseSelection(text, { dimensions: this.#axes.dimensions });
    this.#held = await source.copy(selection);
    if (!isCut) return this.#shownClipboard(undefined);
    const { count } = await this.#do("cut", (options) =>
      source.apply({ drain: { inside: selection }, in: selection }, options),
    );
    return this.#shownClipboard(count);
  }

  async #paste(at: Position): Promise<BuildAnswer> {
    const held = this.#clipboard();
    const place = this.#axes.publicPosition(at);
    const { count } = await this.#do(`paste at ${place.join(", ")}`, (options) => held.paste(place, options));
    return { kind: "done", count };
  }

  async #run(text: string, selection: string | undefined): Promise<BuildAnswer> {
    const { dimensions } = this.#axes;
    const operation = parseOperation(text, { dimensions });
    const isPlaced = "line" in operation || "curve" in operation || operation.in !== undefined;
    if (!isPlaced && selection === undefined)
      throw new OrthantError("ORT_ARGUMENT", "select first, or say where, as in sphere(0,64,0,8)");
    const within =
      operation.in === undefined && selection !== undefined
        ? { in: parseSelection(selection, { dimensions }) }
        : {};
    const { source } = this.#options;
    const { count } = await this.#do(text.trim(), (options) =>
      source.apply({ ...operation, ...within }, options),
    );
    return { kind: "done", count };
  }

  /** Does one thing at a time, and remembers how to take it back. */
  async #do(text: string, work: (options: BuildOptions) => Promise<DoneOperation>): Promise<DoneOperation> {
    const done = await this.#alone(work, text);
    this.#refused = undefined;
    if (done.count > 0) this.#push({ text, done, count: done.count });
    return done;
  }

  async #alone<Result>(work: (options: BuildOptions) => Promise<Result>, text?: string): Promise<Result> {
    if (this.#running !== undefined)
      throw new OrthantError("ORT_ARGUMENT", "wait for the last operation to end");
    const running = this.#options.newCanceller();
    this.#running = running;
    let toldMs = this.#options.nowMs();
    try {
      return await work({
        signal: running.signal,
        confirm: this.#refused === text,
        onProgress: ({ done, total }) => {
          if (this.#options.nowMs() - toldMs < PROGRESS_MS) return;
          toldMs = this.#options.nowMs();
          this.#options.onNews({ kind: "progress", done, total });
        },
      });
    } catch (error) {
      if (!isOrthantError(error, "ORT_CONFIRM") || text === undefined) throw error;
      this.#refused = text;
      throw new OrthantError(error.code, `${error.detail}; do it once more if you mean it`);
    } finally {
      this.#running = undefined;
    }
  }

  async #undo(): Promise<BuildAnswer> {
    const step = this.#done.at(-1);
    // Edits of before the tools were loaded are not among the steps.
    if (step?.done === undefined) {
      const result = await this.#options.history.undo();
      if (result === undefined) return { kind: "nothing" };
      if (result.status === "rejected")
        throw new OrthantError("ORT_ARGUMENT", result.detail || result.reason);
      if (step !== undefined) this.#moveLast(step);
      return { kind: "done", count: step?.count ?? 0 };
    }
    const { done } = step;
    const undone = await this.#alone(() => done.undo());
    this.#moveLast({ ...step, done: undone });
    return { kind: "done", count: undone.count };
  }

  async #redo(): Promise<BuildAnswer> {
    const step = this.#undone.at(-1);
    if (step === undefined) return { kind: "nothing" };
    let { done, count } = step;
    if (done === undefined) await this.#options.history.redo();
    else {
      done = await this.#alone(() => (step.done as DoneOperation).undo());
      ({ count } = done);
    }
    this.#undone = this.#undone.slice(0, -1);
    this.#done = [...this.#done, { ...step, done }];
    this.#tell();
    return { kind: "done", count };
  }

  /** Moves the last step to those that were undone. */
  #moveLast(undone: Step): void {
    this.#done = this.#done.slice(0, -1);
    this.#undone = [...this.#undone, undone];
    this.#tell();
  }

  #push(step: Step): void {
    this.#done = [...this.#done, step].slice(-STEPS_MAX);
    this.#undone = [];
    this.#tell();
  }

  #tell(): void {
    const shown = ({ text, count }: Step, isUndone: boolean): BuildStep => ({ text, count, isUndone });
    const steps = [
      ...this.#done.map((step) => shown(step, false)),
      ...[...this.#undone].reverse().map((step) => shown(step, true)),
    ];
    this.#options.onNews({ kind: "steps", steps });
  }

  #clipboard(): HeldClipboard {
    if (this.#held !== undefined) return this.#held;
    throw new OrthantError("ORT_ARGUMENT", "nothing was copied");
  }

  #shownClipboard(count: number | undefined): BuildAnswer {
    return { kind: "clipboard", picture: pictureOf(this.#clipboard(), this.#options.blocks()), count };
  }

  #complete(text: string): BuildAnswer {
    const { dimensions } = this.#axes;
    const { from, words } = completeOperation(text, this.#options.blocks(), { dimensions });
    try {
      parseOperation(text, { dimensions });
    } catch (error) {
      const fault = faultOf(error);
      const isUnfinished = fault.column !== undefined && fault.column > text.trimEnd().length;
      if (!isUnfinished && words.length === 0) return { kind: "completed", from, words, fault };
    }
    return { kind: "completed", from, words, fault: undefined };
  }

  /** Finds the connected voxels that are loaded. */
  #connected(at: Position): BuildAnswer {
    const { blocks, blockAt } = this.#options;
    const catalog = blocks();
    const type = catalog.byId(blockAt(at) ?? AIR);
    if (type === undefined || type.id === AIR) return { kind: "nothing" };
    const isOfType = (position: Position): boolean => {
      const block = blockAt(position);
      return block !== undefined && catalog.byId(block) === type;
    };
    const found = new PositionSet();
    const waiting: Position[] = [at];
    found.add(...at);
    let box: Box = boxAt(at);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      box = unionBox(box, boxAt(next));
      for (const beside of neighboursOf(next, this.#axes.dimensions)) {
        if (found.has(...beside) || !isOfType(beside)) continue;
        if (found.size === WAND_VOXELS_MAX)
          throw new OrthantError("ORT_LIMIT", `more than ${WAND_VOXELS_MAX} voxels are connected`);
        found.add(...beside);
        waiting.push(beside);
      }
    }
    const selection = printSelection(
      {
        connected: this.#axes.publicPosition(at),
        through: { block: type.name },
        limit: WAND_VOXELS_MAX,
      },
      { dimensions: this.#axes.dimensions },
    );
    const { id } = type;
    return { kind: "selected", selection, box, count: found.size, picture: pictureOfVoxels(found, box, id) };
  }
}

function neighboursOf(position: Position, dimensions: number): readonly Position[] {
  const beside: Position[] = [];
  for (let axis = 0; axis < dimensions; axis++)
    for (const step of [-1, 1])
      beside.push(positionFrom((each) => position[each] + (each === axis ? step : 0)));
  return beside;
}

function pictureOf({ size, shown }: HeldClipboard, catalog: BlockCatalog): BlockPicture {
  const extents = positionFrom((axis) => size[axis] ?? 1);
  const { content } = shown ?? {};
  if (content === undefined || content.voxels.length > PICTURE_VOXELS_MAX)
    return { extents, blocks: undefined };
  const { voxels } = content;
  const palette = paletteIn(catalog, content);
  const blockOf = (place: number): number => (place === NOT_COPIED ? AIR : (palette[place] as number));
  return { extents, blocks: Uint16Array.from(voxels, blockOf) };
}

function pictureOfVoxels(voxels: PositionSet, box: Box, block: number): BlockPicture {
  const extents = boxExtents(box);
  if (boxVolume(box) > PICTURE_VOXELS_MAX) return { extents, blocks: undefined };
  const blocks = new Uint16Array(boxVolume(box));
  for (const voxel of voxels)
    blocks[
      placeInBox(
        extents,
        positionFrom((axis) => voxel[axis] - box.min[axis]),
      )
    ] = block;
  return { extents, blocks };
}

/** Returns an error for people, with the column of a mistake apart. */
function faultOf(error: unknown): BuildFault {
  if (!isOrthantError(error)) return { text: String(error), column: undefined };
  const [prefix = "", column] = COLUMN.exec(error.detail) ?? [];
  return {
    text: error.detail.slice(prefix.length),
    column: column === undefined ? undefined : Number(column),
  };
}
