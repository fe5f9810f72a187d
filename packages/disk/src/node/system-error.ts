import { type ErrorCode, OrthantError } from "@orthant/core";

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: "ORT_NOT_FOUND",
  ENOTDIR: "ORT_NOT_FOUND",
  EEXIST: "ORT_EXISTS",
  EISDIR: "ORT_ARGUMENT",
  ENOSPC: "ORT_DISK_FULL",
  EDQUOT: "ORT_DISK_FULL",
  EFBIG: "ORT_DISK_FULL",
  EACCES: "ORT_DISK_DENIED",
  EPERM: "ORT_DISK_DENIED",
  EROFS: "ORT_DISK_DENIED",
};

/** Runs one call into `node:fs` and turns what it throws into an `OrthantError` that names path and operation. */
export async function atBorder<Result>(
  operation: string,
  path: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const code = CODES[systemCode(error)] ?? "ORT_DISK_IO";
    const reason = error instanceof Error ? error.message : String(error);
    throw new OrthantError(code, `${operation}: ${reason}`, { path, operation }, { cause: error });
  }
}

/** The `code` of an error from the operating system, such as `ENOENT`; the empty string for any other value. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
