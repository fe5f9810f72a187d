import { parentOf } from "@orthant/disk";

/** One operation on a disk. Files are identified by inode, because names change. */
export type DiskOperation =
  | { readonly kind: "create"; readonly inode: number; readonly path: string }
  | {
      readonly kind: "write";
      readonly inode: number;
      readonly path: string;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "truncate"; readonly inode: number; readonly path: string; readonly length: number }
  | { readonly kind: "rename"; readonly inode: number; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly inode: number; readonly path: string }
  | { readonly kind: "makeDirectory"; readonly path: string }
  | { readonly kind: "moveDirectory"; readonly path: string; readonly to: string }
  | { readonly kind: "sync"; readonly inode: number; readonly path: string }
  /** Saves the effects of one write, given by its index in the log, and nothing else of the file. */
  | { readonly kind: "syncWrite"; readonly inode: number; readonly path: string; readonly write: number }
  | { readonly kind: "syncDirectory"; readonly path: string };

/** Returns the whole log, one numbered line per operation, with the cut marked. */
export function describeLog(log: readonly DiskOperation[], cutAt: number): string {
  const lines = log.map(
    (operation, index) => `${String(index).padStart(5)}  ${describeOperation(operation)}`,
  );
  lines.splice(cutAt, 0, "  ---  power cut");
  return lines.join("\n");
}

/** Returns one readable line such as `write index.tmp 0+512`. */
function describeOperation(operation: DiskOperation): string {
  const { kind, path } = operation;
  const name = path === "" ? "(root)" : path;
  if (kind === "write") return `write ${name} ${operation.offset}+${operation.bytes.length}`;
  if (kind === "syncWrite") return `sync write ${operation.write} of ${name}`;
  if (kind === "truncate") return `truncate ${name} to ${operation.length}`;
  if (kind === "moveDirectory") return `move ${name} to ${operation.to}`;
  if (kind === "rename") return `rename ${name} to ${operation.to}`;
  return `${kind} ${name}`;
}

/** The unit that a drive writes entirely or not at all, unless a sector is torn. */
const SECTOR_BYTES = 512;

/** Bytes that reach one sector of a file. */
interface DataEffect {
  readonly kind: "data";
  readonly step: number;
  readonly inode: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A change of a file's length: it grows to hold written data, or a truncate sets it. */
interface SizeEffect {
  readonly kind: "grow" | "truncate";
  readonly step: number;
  readonly inode: number;
  readonly size: number;
}

/** A change of names in one step: a file appears, moves or disappears, or a directory appears or moves. */
export interface NameEffect {
  readonly kind: "name";
  readonly step: number;
  /** The affected file; `undefined` for a directory. */
  readonly inode: number | undefined;
  readonly removed: string | undefined;
  readonly added: string | undefined;
  /** The directories whose names change, and so must be synced. */
  readonly directories: readonly string[];
}

/** The smallest unit that a power cut can keep or lose. `step` is the operation's index in the log. */
export type Effect = DataEffect | SizeEffect | NameEffect;

/** Returns the effects of one operation on the disk, once they are written back. A sync has none. */
export function effectsOf(operation: DiskOperation, step: number): readonly Effect[] {
  switch (operation.kind) {
    case "create":
      return [nameEffect(step, operation.inode, undefined, operation.path)];
    case "remove":
      return [nameEffect(step, operation.inode, operation.path, undefined)];
    case "rename":
      return [nameEffect(step, operation.inode, operation.path, operation.to)];
    case "makeDirectory":
      return [nameEffect(step, undefined, undefined, operation.path)];
    case "moveDirectory":
      return [nameEffect(step, undefined, operation.path, operation.to)];
    case "truncate":
      return [{ kind: "truncate", step, inode: operation.inode, size: operation.length }];
    case "write":
      return writeEffects(operation, step);
    case "sync":
    case "syncWrite":
    case "syncDirectory":
      return [];
  }
}

function nameEffect(
  step: number,
  inode: number | undefined,
  removed: string | undefined,
  added: string | undefined,
): NameEffect {
  const paths = [removed, added].filter((path) => path !== undefined);
  return { kind: "name", step, inode, removed, added, directories: [...new Set(paths.map(parentOf))] };
}

function writeEffects(write: DiskOperation & { kind: "write" }, step: number): readonly Effect[] {
  const { inode, offset, bytes } = write;
  const end = offset + bytes.length;
  const effects: Effect[] = [];
  for (let start = offset; start < end; ) {
    const sectorEnd = Math.min(end, (Math.floor(start / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    effects.push({
      kind: "data",
      step,
      inode,
      offset: start,
      bytes: bytes.subarray(start - offset, sectorEnd - offset),
    });
    start = sectorEnd;
  }
  effects.push({ kind: "grow", step, inode, size: end });
  return effects;
}
