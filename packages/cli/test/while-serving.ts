import { type Captured, type CaptureOptions, capture } from "./captured.ts";

/** The output of `serve --json`. */
export interface Announcement {
  readonly url: string;
  readonly page: string;
  readonly wire1Port: number | null;
  readonly token: string;
  readonly playerId: string;
  readonly role: string;
  readonly acknowledges: string;
}

/** Serves a world in this process while `use` runs, and then stops it as Ctrl-C does. */
export async function whileServing(
  argv: readonly string[],
  use: (announcement: Announcement) => Promise<void>,
  options: CaptureOptions = {},
): Promise<Captured> {
  const stop = new AbortController();
  let announce: (text: string) => void = () => undefined;
  const announced = new Promise<string>((resolve) => {
    announce = resolve;
  });
  const served = capture(["serve", ...argv, "--port", "0", "--json"], {
    ...options,
    signal: stop.signal,
    onOutput: (text) => announce(text),
  });
  try {
    const early = served.then(({ errors }) => Promise.reject(new Error(errors)));
    await use(JSON.parse(await Promise.race([announced, early])) as Announcement);
  } finally {
    stop.abort();
    await served;
  }
  return served;
}
