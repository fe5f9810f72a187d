import type { BlockType, Box, ChunkShape, Position, Vector } from "@orthant/core";
import type { BlockLook, TextureLayers } from "@orthant/mesh/looks";
import type { BuildAnswer, BuildNews, BuildRequest } from "../edit/build-messages.ts";
import type { Brush } from "../edit/edit.ts";
import type { ScenePoint, Slice } from "../slice/slice.ts";

/** A world's properties, known before any of it is shown. */
export interface WorldFacts {
  readonly name: string;
  readonly shape: ChunkShape;
  readonly blocks: readonly BlockType[];
  /** Initial position of a visitor. */
  readonly begin: Vector;
  /** Whether that is where the visitor was before, and not a place to look at from some distance. */
  readonly isReturn: boolean;
  /** Whether the visitor may edit the world. */
  readonly canEdit: boolean;
  /** Short description of where the world comes from. */
  readonly origin: string;
  /** The generators of untouched chunks, encoded with `generatorMapCodec`; `undefined` if all chunks are sent. */
  readonly generators: Uint8Array | undefined;
  /** From this height up generators make only air; `undefined` for a world without a sky. */
  readonly skyAbove: number | undefined;
}

/** State of the page's connection to its world. */
export interface WorldStatus {
  readonly kind: "connecting" | "ready" | "offline" | "refused" | "outdated" | "failed";
  /** Text for people; empty when there is nothing to say. */
  readonly text: string;
}

/** Another player or entity. */
export interface DrawnEntity {
  readonly id: string;
  readonly name: string;
  readonly position: Vector;
  /** View direction. */
  readonly facing: Vector;
  readonly isPlayer: boolean;
}

/** Counters of a world's source. */
export interface SourceNumbers {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly framesIn: number;
  readonly patches: number;
  readonly resyncs: number;
  readonly heldRegions: number;
}

/** Counters of a session. */
export interface Numbers extends SourceNumbers {
  /** Encoded chunks that the worker has sent to be drawn. */
  readonly chunkBytes: number;
  /** Time from the last edit to its result; `undefined` before the first. */
  readonly roundTripMs: number | undefined;
}

/** A file dropped onto the page, with its path inside the dropped folder. */
export interface DroppedFile {
  readonly path: string;
  readonly file: Blob;
}

/** A world of a server, and who visits it. */
export interface ServerOpening {
  readonly kind: "server";
  readonly url: string;
  readonly token: string;
  readonly name: string;
}

/** A world in the browser's own files. */
export interface BrowserOpening {
  readonly kind: "browser";
  readonly folder: string;
  /** Those of a new world. */
  readonly dimensions: 3 | 4;
}

/** A world that the worker opens itself. */
export type LocalOpening =
  | BrowserOpening
  | { readonly kind: "files"; readonly files: readonly DroppedFile[] };

/** The world to show. */
export type OpenRequest = ServerOpening | LocalOpening;

/** Messages that a program which draws by itself may send to the worker. */
export type WorldRequest = Exclude<PageMessage, { kind: "open" | "alive" | "close" | "serveMeshes" }>;

/** Messages that such a program receives. */
export type WorldMessage = Exclude<WorkerMessage, { kind: "alive" | "closed" }>;

/** The visitor's view: its slice, position, direction and reach. */
export interface View {
  /** Increases with every new slice and map. */
  readonly sliceId: number;
  readonly slice: Slice;
  readonly eye: Vector;
  /** Voxels per second. */
  readonly motion: Vector;
  readonly facing: Vector;
  /** View distance, in voxels. */
  readonly reach: number;
  /** Whether light is computed, for which more of the world has to be there. */
  readonly isLit: boolean;
  /** The voxels that the map shows, in its two axes; `undefined` in the 3D view. */
  readonly map: MapWindow | undefined;
}

/** The visible part of a map, in voxels across and down. */
export interface MapWindow {
  readonly min: readonly [across: number, down: number];
  readonly max: readonly [across: number, down: number];
}

/** Messages from the page to the worker that holds the world. */
export type PageMessage =
  | { readonly kind: "open"; readonly opening: OpenRequest }
  | { readonly kind: "view"; readonly view: View }
  | { readonly kind: "pick"; readonly id: number; readonly from: ScenePoint; readonly direction: ScenePoint }
  | {
      readonly kind: "brush";
      readonly brush: Brush;
      readonly center: Position;
      readonly block: number;
      readonly slice: Slice;
    }
  | { readonly kind: "undo" }
  | { readonly kind: "redo" }
  | { readonly kind: "build"; readonly id: number; readonly request: BuildRequest }
  | { readonly kind: "voxel"; readonly id: number; readonly position: Position }
  | { readonly kind: "inspect"; readonly isOn: boolean }
  /** Reads resource packs of Minecraft for the blocks of the world; later ones replace files of earlier ones. */
  | { readonly kind: "looks"; readonly files: readonly Blob[] }
  | { readonly kind: "alive"; readonly id: number }
  /** Begins to mesh for a pool of the page, in a worker that holds no world. */
  | { readonly kind: "serveMeshes" }
  /** Leaves the world; the worker answers `closed` and does nothing more. */
  | { readonly kind: "close" };

/** The first voxel that a ray hits, and the voxel of air before it. */
export interface Hit {
  readonly voxel: Position;
  readonly before: Position;
  readonly block: number;
  readonly distance: number;
}

/** What a voxel holds. */
export interface VoxelContent {
  /** `undefined` when the voxel is not loaded. */
  readonly block: number | undefined;
  /** The encoded data that hangs on it, if any. */
  readonly data: Uint8Array | undefined;
}

/** The page's information about one region. */
export interface RegionInfo {
  readonly region: Position;
  /** `undefined` in a world that no other client can change. */
  readonly clock: number | undefined;
  /** Whether the region holds any edits; otherwise the generator supplies all of it. */
  readonly isConcrete: boolean;
}

/** Messages from the worker that holds the world to the page. */
export type WorkerMessage =
  | { readonly kind: "facts"; readonly facts: WorldFacts }
  | { readonly kind: "status"; readonly status: WorldStatus }
  | { readonly kind: "notice"; readonly text: string; readonly isBad: boolean }
  /** What boxes of chunks hold now, encoded with `chunkPartsCodec`; and whether by an edit of this page. */
  | { readonly kind: "chunks"; readonly parts: Uint8Array; readonly isOwn: boolean }
  /** Regions whose chunks the page has to forget. */
  | { readonly kind: "forget"; readonly regions: readonly Position[] }
  /** How a resource pack draws the blocks of the world. */
  | {
      readonly kind: "looks";
      readonly textures: TextureLayers;
      /** By name of the type, and its properties as JSON. */
      readonly looks: ReadonlyMap<string, BlockLook>;
    }
  | {
      readonly kind: "mapTile";
      readonly tile: readonly [number, number];
      readonly size: readonly [number, number];
      readonly pixels: Uint8ClampedArray<ArrayBuffer>;
    }
  /** Whether the worker has sent all of a map. */
  | { readonly kind: "progress"; readonly sliceId: number; readonly isDone: boolean }
  | { readonly kind: "picked"; readonly id: number; readonly hit: Hit | undefined }
  | { readonly kind: "changed"; readonly boxes: readonly Box[] }
  | { readonly kind: "entities"; readonly entities: readonly DrawnEntity[] }
  | { readonly kind: "regions"; readonly notes: readonly RegionInfo[] }
  | { readonly kind: "numbers"; readonly numbers: Numbers }
  | ({ readonly kind: "voxel"; readonly id: number } & VoxelContent)
  | { readonly kind: "built"; readonly id: number; readonly answer: BuildAnswer }
  | { readonly kind: "buildNews"; readonly news: BuildNews }
  | { readonly kind: "alive"; readonly id: number }
  | { readonly kind: "closed" };
