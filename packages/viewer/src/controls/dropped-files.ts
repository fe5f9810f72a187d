import type { DroppedFile } from "../message/messages.ts";

/** Limit on the files collected from a dropped folder; a save has far fewer. */
const FILES_MAX = 20_000;

/** Accepts files and folders dropped anywhere on the page. Calls `onOver` when a drag enters or leaves it. */
export function watchDrops(
  onOver: (isOver: boolean) => void,
  onDrop: (files: Promise<readonly DroppedFile[]>) => void,
  signal: AbortSignal,
): void {
  let depth = 0;
  const listen = <Type extends keyof WindowEventMap>(
    type: Type,
    listener: (event: WindowEventMap[Type]) => void,
  ): void => addEventListener(type, listener, { signal });
  listen("dragenter", (event) => {
    event.preventDefault();
    depth++;
    onOver(true);
  });
  listen("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) onOver(false);
  });
  listen("dragover", (event) => event.preventDefault());
  listen("drop", (event) => {
    event.preventDefault();
    depth = 0;
    onOver(false);
    if (event.dataTransfer !== null) onDrop(filesOf(event.dataTransfer));
  });
}

/** Accepts files chosen with an input. Their contents are not read yet. */
export function watchChoice(
  input: HTMLInputElement,
  onChosen: (files: readonly DroppedFile[]) => void,
): void {
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])].slice(0, FILES_MAX);
    if (files.length > 0)
      onChosen(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    input.value = "";
  });
}

/** Lists all dropped files with their paths, without reading their contents. */
async function filesOf(transfer: DataTransfer): Promise<readonly DroppedFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const plain = [...transfer.files].map((file) => ({ path: file.name, file }));
  if (entries.length === 0) return plain;
  const files: DroppedFile[] = [];
  for (const entry of entries) await collect(entry, files);
  return files;
}

async function collect(entry: FileSystemEntry, files: DroppedFile[]): Promise<void> {
  if (files.length >= FILES_MAX) return;
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    files.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // `readEntries` returns the folder in batches, and an empty batch at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    for (const inside of part) await collect(inside, files);
  }
}
