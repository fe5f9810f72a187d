import type { Box, OrthantError } from "@orthant/core";

/**
 * Something that was noticed about a save, whatever its format. `damage` means that it has lost or may have lost
 * something; `notice` is what a crash or an old program leaves behind and nobody needs.
 */
export interface Finding {
  readonly severity: "damage" | "notice";
  /** Relative to the save's root. */
  readonly file: string;
  /** Bytes from the start of the file, where known. */
  readonly offset: number | undefined;
  /** The error code, which names the rule that is broken; a notice has none. */
  readonly code: OrthantError["code"] | undefined;
  readonly message: string;
  /** The generation that is hurt; `undefined` when the finding belongs to none. */
  readonly generation: number | undefined;
  /** The chunks that are hurt, where known. */
  readonly cell: Box | undefined;
}

/** The finding that an error is. */
export function findingOf(error: OrthantError, file: string, generation?: number, cell?: Box): Finding {
  const { path = file, offset } = error.context;
  return {
    severity: "damage",
    file: path,
    offset,
    code: error.code,
    message: error.detail,
    generation,
    cell,
  };
}

/** A notice about a file. */
export function noticeOf(file: string, message: string, offset?: number): Finding {
  return {
    severity: "notice",
    file,
    offset,
    code: undefined,
    message,
    generation: undefined,
    cell: undefined,
  };
}

/** Whether nothing that was found is damage. */
export function isWhole(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity === "notice");
}
