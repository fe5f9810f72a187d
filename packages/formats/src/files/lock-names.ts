const LOCK_NAME = /\.lock(?:~|$)/;

/**
 * Returns whether a name is that of a lock, or of a claim to one. It may lie beside a save but is not part of
 * it.
 */
export function isLockName(name: string): boolean {
  return LOCK_NAME.test(name);
}

/** Returns the lock for writing a file: two writers would write the same temporary file. */
export function lockOf(path: string): string {
  return `${path}.lock`;
}
