import type { BlockCatalog, ChunkShape, GeneratorRegistry, TimeSource } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import type { Save } from "@orthant/save";
import type { ImportTasks } from "./import-tasks.ts";
import type { ConversionLoss } from "./losses.ts";

/**
 * A save format: what the command line and the viewer need to work with its worlds. A new format is a folder
 * with an implementation of this, and a line in `FOREIGN_FORMATS`.
 */
export interface Format {
  /** The name in `info` and in JSON, such as `marsminer`. */
  readonly name: string;
  /** The name for people, such as `MarsMiner`. */
  readonly title: string;
  /** Options that only its worlds have. */
  readonly options?: readonly FormatOption[];
  /** Whether a world is one file: the detected one. */
  readonly isOneFile?: boolean;
  /** Whether a world keeps several generations. */
  readonly hasGenerations?: boolean;
  /** What its worlds can be converted to, the default first. */
  readonly targets: readonly string[];
  /** Converters from an Orthant save to this format, by the name of the target. */
  readonly exporters?: Readonly<Record<string, (save: Save, request: ExportRequest) => OpenConversion>>;

  /**
   * Detects a world by the content of its files, even if some are damaged: in the root of a disk, or in the
   * file named `file`. Writes nothing.
   */
  detect(disk: Disk, file?: string): Promise<DetectedWorld | undefined>;
  /** Describes a world. */
  info(request: FormatRequest): Promise<WorldInfo>;
  /** Finds all faults of a world. Never writes. `undefined` if the format has no checks of its own. */
  verify?(request: FormatRequest): Promise<readonly Finding[]>;
  /** Plans the repair of a damaged world. Writes nothing. */
  planRepair?(request: FormatRequest): Promise<WorldRepair>;
  /** Opens a world as an Orthant save in memory, for commands that read one. */
  open?(request: FormatRequest): Promise<Disk>;
  /** Opens a world for conversion to one of {@link targets}. */
  convert(request: FormatRequest, to: string): Promise<OpenConversion>;
}

/** A world that was found on a disk. */
export interface DetectedWorld {
  /** The name of its format. */
  readonly format: string;
  /** `undefined` if the format has only one, or if none fits. */
  readonly dialect: string | undefined;
  /** The file whose content proves it. */
  readonly evidence: string;
}

/** An option of a format, as a command line has it. */
export interface FormatOption {
  /** Such as `cubeSize`, for `--cube-size`. */
  readonly name: string;
  /** Such as `--cube-size <voxels>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Whether only conversions have it. */
  readonly isForConversion?: boolean;
  /** Throws `ORT_ARGUMENT` for a value that is not allowed. */
  check?(text: string): void;
}

/** Values of {@link FormatOption}s by name. */
export type FormatValues = Readonly<Record<string, string | undefined>>;

/** A world, and how to work on it. */
export interface FormatRequest {
  readonly disk: Disk;
  readonly world: DetectedWorld;
  readonly values: FormatValues;
  readonly environment: FormatEnvironment;
  /** Whether to count the content, which reads every record. */
  readonly count?: boolean;
  /** Whether to check only that no byte changed. */
  readonly checksumsOnly?: boolean;
  /** An older generation, for formats that keep several. */
  readonly generation?: number | undefined;
  /** Shape of the chunks, for a repair of a world that lost the files that say it. */
  readonly chunkShape?: ChunkShape | undefined;
  /** Replaces blocks that the target of a conversion lacks. Default: 1. */
  readonly standInBlock?: number | undefined;
  /** Returns the generator that fills the space around an imported world with this seed. Default: nothing does. */
  readonly generator?: ((seed: bigint) => GeneratorRef) | undefined;
  /**
   * Starts threads beside the work in this one, `own`, for a world of the format with this name. Default: everything happens
   * in this thread.
   */
  readonly startImport?: ((format: string, own: ImportTasks) => ImportTasks) | undefined;
}

/** What an export needs besides the save. */
export interface ExportRequest {
  readonly values: FormatValues;
  /** Replaces blocks that the format lacks. */
  readonly standInBlock: number;
}

/** What long work uses of its caller. */
export interface FormatEnvironment {
  readonly time: TimeSource;
  /** Available generators. Default: those that come with Orthant. */
  readonly generators?: GeneratorRegistry;
  /** Shows progress. Call `end` when the work ends. */
  progress(label: string, unit: string, total?: number): FormatProgress;
  /** Reports a remark for people. */
  note(line: string): void;
}

/** Progress of long work. */
export interface FormatProgress {
  /** Adds `amount` to what is done. */
  advance(amount: number): void;
  end(): void;
}

/** Description of a world. */
export interface WorldInfo {
  /** The dialect, if opening the world shows more than detecting it. */
  readonly dialect?: string;
  /** For JSON. */
  readonly facts: object;
  /** For people: names and values. Values that are `undefined` are left out. */
  readonly rows: readonly (readonly [name: string, value: string | undefined])[];
  /** Its blocks, if it has a catalog. */
  readonly catalog?: BlockCatalog;
  /** What could not be read of it. */
  readonly losses?: readonly string[];
}

/** A planned repair. */
export interface WorldRepair {
  readonly findings: readonly Finding[];
  /** The plan for JSON. */
  readonly facts: object;
  /** The plan for people. */
  readonly lines: readonly string[];
  /** Whether the repair loses anything. */
  readonly hasLosses: boolean;
  /** Writes the repaired world to an empty disk, and proves that it can be opened. */
  apply(target: Disk): Promise<void>;
}

/** A world opened for conversion. */
export interface OpenConversion {
  /** The dialects, for people. */
  readonly from: string;
  readonly to: string;
  /** Unit of the steps. */
  readonly unit: "chunks" | "leaves";
  /** Number of steps, if known. */
  readonly steps?: number;
  /** For a world with several generations. */
  readonly generation?: number;
  /** Converts the world. Without a disk, only reports what would be lost. */
  run(target: Disk | undefined, onStep: () => void): Promise<ConversionOutcome>;
  /**
   * Takes over what an interrupted conversion to this disk has found. Only a conversion with this method can continue
   * one: then `run` may be given a disk on which another process was killed.
   */
  resume?(target: Disk): Promise<void>;
  /** Verifies the written world. */
  verify(made: Disk): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

/** Result of a conversion. */
export interface ConversionOutcome {
  readonly chunks: number;
  readonly entities?: number;
  readonly players?: number;
  /** What the other format cannot hold; empty if everything was converted. */
  readonly losses: readonly ConversionLoss[];
}
