const LOCK_NAME = /\.lock(?:~|$)/;

/** Whether a name is that of a lock, or of a claim to one: it may lie beside a save, and is no part of it. */
export function isLockName(name: string): boolean {
  return LOCK_NAME.test(name);
}

/** The lock of who writes a file: two writers would write the same unfinished one. */
export function lockOf(path: string): string {
  return `${path}.lock`;
}
