/** One broken rule: where it is, what is wrong, and what to do about it. */
export interface Finding {
  readonly path: string;
  /** Starting at 1; 0 when the finding is about the whole file. */
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}

/** Formats a finding as one line that editors turn into a link. */
export function formatFinding({ path, line, problem, remedy }: Finding): string {
  const place = line === 0 ? path : `${path}:${line}`;
  return `${place} ${problem}; ${remedy}`;
}
