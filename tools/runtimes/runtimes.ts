/** A test that a runtime does not pass, and why. */
export interface LeftOutTest {
  /** A part of the title that names the test, or several of one kind. */
  readonly title: string;
  readonly why: string;
}

/** A program that runs JavaScript, from the package in the folder of its name beside this file. */
export interface Runtime {
  readonly name: string;
  /** Path of the program inside its package. */
  readonly program: string;
  /** What comes before the script on the command line. */
  readonly parameters: readonly string[];
  /** How the test runner keeps test files apart, if its default does not work here. */
  readonly pool?: "forks";
  /** Whether it compiles JavaScript with another engine than Node, so that tests of pure code run on it, too. */
  readonly hasOtherEngine?: boolean;
  readonly leftOut: readonly LeftOutTest[];
}

const SIZES = "expects sizes of records as Node compresses them";
const NO_EXIT_CODE =
  "Deno reports no exit code of a process that it sent a signal; the command does exit with 0";
const NO_PARAMETERS = "the test starts the runtime as Node is started, without `run -A`";

/** The runtimes that the tests run on. docs/reference/runtimes.md has the same list. */
export const RUNTIMES: readonly Runtime[] = [
  { name: "node20", program: "bin/node", parameters: [], leftOut: [] },
  { name: "node22", program: "bin/node", parameters: [], leftOut: [] },
  { name: "node24", program: "bin/node", parameters: [], leftOut: [] },
  {
    name: "bun",
    program: "bin/bun",
    parameters: ["--bun"],
    hasOtherEngine: true,
    leftOut: [
      {
        title: "reloads its certificate without a restart",
        why: "Bun keeps the certificate that it started with: restart the server",
      },
      {
        title: "never finish their TLS handshake",
        why: "Bun waits for them: closing the server may take until they give up",
      },
      { title: "answer 404 for unknown paths", why: "Bun itself answers 400 to the path `*`" },
      {
        title: "are limited by network before they send anything",
        why: "the third silent connection is closed, and not only the fourth; not explained yet",
      },
      {
        title: "[S71] another thread writes the same bytes",
        why: "Bun compresses differently on another thread",
      },
      {
        title: "are the same as those of this one, in the same order",
        why: "Bun compresses differently on another thread",
      },
      {
        title: "[S71, S72] are refused alike when damaged",
        why: "Bun compresses differently on another thread",
      },
      { title: "[S72] a stream of a hundred megabytes", why: SIZES },
      { title: "[S90] compacts a pack again when more of it is dead", why: SIZES },
      { title: "[S89] leaves a pack unchanged when a needed record is damaged", why: SIZES },
    ],
  },
  {
    name: "deno",
    program: "deno",
    parameters: ["run", "-A", "--no-lock"],
    // A thread of Deno cannot remove its listeners, which the test runner does when it ends one.
    pool: "forks",
    leftOut: [
      { title: "then saves and exits with 0", why: NO_EXIT_CODE },
      { title: "treats two simultaneous signals as one", why: NO_EXIT_CODE },
      { title: "stays with a stopped holder, which may wake up", why: NO_EXIT_CODE },
      { title: "prints no error when the reader of its output is gone", why: NO_PARAMETERS },
      { title: "keeps no process alive when it is idle", why: NO_PARAMETERS },
      {
        title: "rejects an unusable one",
        why: "Deno does not check a certificate before a client connects",
      },
      {
        title: "are limited by network before they send anything",
        why: "the connection that reads the metrics is closed, too; not explained yet",
      },
    ],
  },
];

/** Tests of what depends on the runtime: files, locks, sockets, processes, workers, time and compression. */
export const RUNTIME_TESTS: readonly string[] = [
  ...testsOf("disk", "disk-contract node-disk node-lock overlay-disk synced-calls tar"),
  ...testsOf("testkit", "runtime"),
  ...testsOf("worker-pool", "pool"),
  ...testsOf("client", "real-server"),
  ...testsOf("world", "journal journal-binding journal-entities journal-readers"),
  ...testsOf("cli", "killed-serve processes serve signals program"),
  ...testsOf("server", "joining closing sync-clients http-endpoints upgrades wire1"),
];

/** Tests of pure code, which depends only on the engine that compiles it. */
export const ENGINE_TESTS: readonly string[] = ["packages/core/test/", "packages/save/test/"];

function testsOf(folder: string, names: string): readonly string[] {
  return names.split(" ").map((name) => `packages/${folder}/test/${name}.test.ts`);
}
