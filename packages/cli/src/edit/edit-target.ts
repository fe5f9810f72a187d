import type { BlockDefinitions, Dimensions, VoxelBox } from "@orthant/core";
import type { Clipboard, Operation, Selection } from "@orthant/core/operations";
import type { AppliedOperation, ApplyOptions, World } from "@orthant/world";

/** What an operation changed, or would change. */
export interface TargetChange {
  readonly count: number;
  readonly box: VoxelBox | undefined;
}

/** A world that is edited: a folder, or one of a server. */
export interface EditTarget {
  readonly dimensions: Dimensions;
  /** Whether clipboards are on a server, so that they cannot be saved or loaded. */
  readonly keepsClipboards: boolean;
  apply(operation: Operation, options: ApplyOptions): Promise<TargetChange>;
  /** Takes the last operation back; `undefined` without one. */
  undo(): Promise<TargetChange | undefined>;
  /** Does again what was last taken back; `undefined` if nothing was. */
  redo(): Promise<TargetChange | undefined>;
  clipboard(selection: Selection): Promise<Clipboard>;
  /** Defines the types of blocks that a clipboard has and the world lacks. Returns their names. */
  defineBlocks(clipboard: Clipboard): Promise<readonly string[]>;
}

/** A world in a folder. What it undoes is forgotten with it. */
export class FolderTarget implements EditTarget {
  readonly keepsClipboards = false;
  readonly #world: World;
  readonly #isDry: boolean;
  readonly #done: AppliedOperation[] = [];
  readonly #undone: AppliedOperation[] = [];

  constructor(world: World, isDry: boolean) {
    this.#world = world;
    this.#isDry = isDry;
  }

  get dimensions(): Dimensions {
    return this.#world.dimensions;
  }

  async apply(operation: Operation, options: ApplyOptions): Promise<TargetChange> {
    const made = await this.#world.apply(operation, { ...options, dryRun: this.#isDry });
    this.#done.push(made);
    this.#undone.length = 0;
    return made;
  }

  undo(): Promise<TargetChange | undefined> {
    return takeBack(this.#done, this.#undone);
  }

  redo(): Promise<TargetChange | undefined> {
    return takeBack(this.#undone, this.#done);
  }

  clipboard(selection: Selection): Promise<Clipboard> {
    return this.#world.clipboard(selection);
  }

  async defineBlocks(clipboard: Clipboard): Promise<readonly string[]> {
    const missing: BlockDefinitions = clipboard.missingIn(this.#world.blocks);
    const names = Object.keys(missing);
    if (names.length > 0 && !this.#isDry) await this.#world.defineBlocks(missing);
    return names;
  }
}

async function takeBack(from: AppliedOperation[], to: AppliedOperation[]): Promise<TargetChange | undefined> {
  const taken = await from.pop()?.undo();
  if (taken !== undefined) to.push(taken);
  return taken;
}
