import type { DroppedFile } from "../message/to-world.ts";

/** Files of a folder that are looked at: a save has far fewer. */
const FILES_MAX = 20_000;

/** Lets a folder or file be dropped anywhere on the page. `onOver` says whether something is held over it. */
export function watchDrops(
  onOver: (isOver: boolean) => void,
  onDrop: (files: Promise<readonly DroppedFile[]>) => void,
): void {
  let depth = 0;
  addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth++;
    onOver(true);
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) onOver(false);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    onOver(false);
    if (event.dataTransfer !== null) onDrop(filesOf(event.dataTransfer));
  });
}

/** Lets files be chosen with an input, of which nothing is read either. */
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

/** All files of what was dropped, with their paths. Nothing of them is read. */
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
    // A reader gives a part of the folder at a time, and nothing when it has given all.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    for (const inside of part) await collect(inside, files);
  }
}
