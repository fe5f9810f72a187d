import type { OrthantError, Timer, TimeSource } from "@orthant/core";

/** Waits for work, at most for `ms`. Then it throws the error of `late`; the work itself goes on. */
export async function within<Result>(
  time: TimeSource,
  ms: number,
  work: Promise<Result>,
  late: () => OrthantError,
): Promise<Result> {
  let timer: Timer | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = time.wait(ms, () => reject(late()));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    timer?.cancel();
    // The caller has the error already, unless the work fails after the time is up.
    work.catch(() => undefined);
  }
}
