import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode } from "./system-error.ts";

/** What tells one process from every other, also after a restart, in a container, or on another machine. */
export interface ProcessIdentity {
  /** The machine's name, spelled so that it can be part of a file name. */
  readonly host: string;
  /** Changes with each start of the machine's kernel. */
  readonly boot: string;
  /** Process numbers mean something only among processes of the same space. */
  readonly pidSpace: string;
  readonly pid: number;
  /** When the process began, so that a reused number is not taken for it. */
  readonly start: string;
}

/** `unknown` where this process has no way to look: another machine, or another container. */
export type Liveness = "alive" | "dead" | "unknown";

// Where the system has no /proc these stay empty, and only host and process number count.
const UNTOLD = "0";

/** Who this process is. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const boot = await told(readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  const pidSpace = await told(readlink("/proc/self/ns/pid"));
  return {
    host: encodeURIComponent(hostname()),
    boot: boot.trim().slice(0, 8),
    pidSpace: pidSpace.replace(/\D/g, "") || UNTOLD,
    pid: process.pid,
    start: await startOf(process.pid),
  };
}

/** Whether another process still runs, as far as this one can tell. */
export async function livenessOf(other: ProcessIdentity, own: ProcessIdentity): Promise<Liveness> {
  // Machines may share a host name, as containers and images do: another boot is another machine or a restart of this one.
  if (other.boot !== own.boot || other.pidSpace !== own.pidSpace) return "unknown";
  if (own.boot === UNTOLD && other.host !== own.host) return "unknown";
  if (isRunning(other.pid) && (await startOf(other.pid)) === other.start) return "alive";
  // Without a boot id a machine of the same name cannot be told from this one.
  return own.boot === UNTOLD ? "unknown" : "dead";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to somebody else.
    return systemCode(error) === "EPERM";
  }
}

async function startOf(pid: number): Promise<string> {
  const status = await told(readFile(`/proc/${pid}/stat`, "utf8"));
  // The second field is the command in brackets and may hold spaces; the start is the 20th after it.
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? UNTOLD;
}

async function told(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch {
    // No /proc, or the process is gone: the callers treat "nothing told" as a value of its own.
    return UNTOLD;
  }
}
