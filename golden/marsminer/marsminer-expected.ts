/** The description of a save in `expected.json`. */
export interface ExpectedMarsMiner {
  readonly dialect: string;
  readonly detectedDialects: readonly string[];
  /** Index into `states`; `null` when nothing was ever saved. */
  readonly current: number | null;
  readonly mustRefuse?: boolean;
  readonly states: readonly ExpectedState[];
  readonly stringFile?: { readonly headerStringCount: number; readonly actualStringCount: number };
  readonly pointerFile?: { readonly headerSecondInt: number; readonly actualPointerCount: number };
}

/** An expected state. */
export interface ExpectedState {
  readonly timestampTicks: string;
  readonly saveName: string | null;
  /** `blob:offset`. */
  readonly savedStateIndexAddress: string | null;
  readonly readableAtAddress?: boolean;
  readonly blockTypeTables: readonly (readonly ExpectedType[])[];
  readonly chunks: readonly ExpectedChunk[];
  readonly chunkTable: readonly { readonly x: number; readonly z: number; readonly chunk: number }[];
}

/** A type of block. */
export interface ExpectedType {
  readonly name: string;
  readonly subType?: number;
}

/** A chunk. */
export interface ExpectedChunk {
  readonly blockTypeTable: number;
  readonly octrees: readonly {
    readonly nodeCount: number;
    readonly probes64: readonly (readonly [x: number, y: number, z: number, value: number])[];
    readonly tree: ExpectedTree;
  }[];
}

/** A leaf is its value; a branch has a value and eight children. */
export type ExpectedTree = number | { readonly v: number; readonly c: readonly ExpectedTree[] };
