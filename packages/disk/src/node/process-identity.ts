import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { systemCode } from "./system-error.ts";

/** Distinguishes a process from every other, even after a restart, in a container, or on another machine. */
export interface ProcessIdentity {
  /** The machine's name, escaped for use in a file name. */
  readonly host: string;
  /** Changes whenever the machine's kernel starts. */
  readonly boot: string;
  /** Process ids are only comparable within one space. */
  readonly pidSpace: string;
  readonly pid: number;
  /** When the process started, to detect a reused process id. */
  readonly start: string;
}

/** `unknown` if this process cannot check: another machine or another container. */
export type Liveness = "alive" | "dead" | "unknown";

// Without /proc these stay empty, and only host and process id count.
const UNTOLD = "0";

/** Returns the identity of this process. */
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
  // Machines may share a host name, as containers and images do: another boot is another machine or a restart
  // of this one.
  if (other.boot !== own.boot || other.pidSpace !== own.pidSpace) return "unknown";
  if (own.boot === UNTOLD && other.host !== own.host) return "unknown";
  if (isRunning(other.pid) && (await startOf(other.pid)) === other.start) return "alive";
  // Without a boot id, another machine of the same name is indistinguishable from this one.
  return own.boot === UNTOLD ? "unknown" : "dead";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return systemCode(error) === "EPERM";
  }
}

async function startOf(pid: number): Promise<string> {
  const status = await told(readFile(`/proc/${pid}/stat`, "utf8"));
  // The second field is the command in parentheses and may contain spaces; the start time is the 20th after
  // it.
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? UNTOLD;
}

async function told(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch {
    // No /proc, or the process is gone: callers treat the missing value as a value of its own.
    return UNTOLD;
  }
}
