import type { Box, OrthantError } from "@orthant/core";

/**
 * An observation about a save of any format. `damage` means that it has lost or may have lost something;
 * `notice` is a harmless leftover of a crash or an old program.
 */
export interface Finding {
  readonly severity: "damage" | "notice";
  /** Relative to the save's root. */
  readonly file: string;
  /** Bytes from the start of the file, where known. */
  readonly offset: number | undefined;
  /** Error code that names the broken rule; a notice has none. */
  readonly code: OrthantError["code"] | undefined;
  readonly message: string;
  /** The affected generation; `undefined` if the finding belongs to none. */
  readonly generation: number | undefined;
  /** The affected chunks, where known. */
  readonly chunks: Box | undefined;
}

/** Converts an error to a finding. */
export function findingOf(error: OrthantError, file: string, generation?: number, chunks?: Box): Finding {
  const { path = file, offset } = error.context;
  return {
    severity: "damage",
    file: path,
    offset,
    code: error.code,
    message: error.detail,
    generation,
    chunks,
  };
}

/** Returns a notice about a file. */
export function noticeOf(file: string, message: string, offset?: number): Finding {
  return {
    severity: "notice",
    file,
    offset,
    code: undefined,
    message,
    generation: undefined,
    chunks: undefined,
  };
}

/** Returns whether no finding is damage. */
export function isWhole(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity === "notice");
}
