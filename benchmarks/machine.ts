import { statfsSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";

/** Properties of the machine that figures depend on. */
export interface Machine {
  readonly processors: string;
  readonly node: string;
  readonly system: string;
  readonly memory: string;
  /** File system of the folder in which suites write. */
  readonly fileSystem: string;
}

const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x5846_5342, "xfs"],
  [0x9123_683e, "btrfs"],
  [0x0102_1994, "tmpfs, which lies in memory"],
  [0x794c_7630, "overlayfs"],
  [0x2fc1_2fc1, "zfs"],
]);

/** Describes the current machine. */
export function thisMachine(): Machine {
  const { type } = statfsSync(tmpdir());
  return {
    processors: `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`,
    node: `Node ${process.version}`,
    system: `${process.platform} ${release()}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    fileSystem: FILE_SYSTEMS.get(type) ?? `file system 0x${type.toString(16)}`,
  };
}

/** Returns the date, such as `2026-11-15`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Formats the machine in one line. */
export function machineLine({ processors, node, system, memory, fileSystem }: Machine): string {
  return `${processors}, ${node}, ${system}, ${memory}, ${fileSystem}`;
}
