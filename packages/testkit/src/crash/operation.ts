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
