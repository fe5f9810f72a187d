import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { goldenPath, hasGolden } from "@orthant/testkit/golden";
import { orthantCommand } from "@orthant/testkit/process";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./captured.ts";
import { matchesShown, type Session, sessionOf } from "./console-session.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ORTHANT = orthantCommand();
/** Pages with terminal sessions, each run in its own folder. */
const PAGES: readonly string[] = [
  "README.md",
  "docs/guides/bring-your-world.md",
  "docs/guides/first-world.md",
  "docs/guides/run-a-server.md",
  "docs/guides/take-your-world-elsewhere.md",
];
/** Files that readers of a page have already, by the golden files that stand for them. */
const OWN_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/guides/bring-your-world.md": {
    "Home/level.dat": "minecraft/level/level.dat",
    "Home/region/r.0.0.mca": "minecraft/1.19.4/r.0.0.mca",
    "house.schem": "schematics/sponge-v2/smallhouse1.schem",
    "axes.vox": "vox/real/axes.vox",
    "level.tmj": "tiled/finite-csv.tmj",
    "things.tsx": "tiled/things.tsx",
    "luanti-world/map.sqlite": "luanti/5.6.1-v29/map.sqlite",
    "luanti-world/world.mt": "luanti/5.6.1-v29/world.mt",
  },
};
/** Runs the program; a server uses any free port and receives Ctrl-C as soon as it says so. */
const PROGRAM = `#!/bin/sh
if [ "$1" = serve ]; then
  case "$*" in *--port*) ;; *) set -- "$@" --port 0 ;; esac
  shown=$(mktemp)
  "${process.execPath}" "${ORTHANT}" "$@" >"$shown" 2>&1 &
  until grep -q "press Ctrl-C" "$shown" || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
  kill -INT $! 2>/dev/null
  wait $!
  code=$?
  cat "$shown"
  rm "$shown"
  exit $code
fi
exec "${process.execPath}" "${ORTHANT}" "$@"
`;
/** All pages run at once, one of them with 20 commands, which takes long on a busy machine. */
const SESSION_MS = 240_000;

/** Runs all commands of a session in one shell, in order. Returns the output of each. */
async function play(
  { files, commands }: Session,
  own: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly string[])[]> {
  const folder = await temporaryFolder();
  const [work, programs, printed] = ["work", "programs", "printed"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [work, programs, printed]) mkdirSync(made);
  symlinkSync(join(ROOT, "node_modules"), join(work, "node_modules"));
  // Replaces npx, which would find the same program a second later.
  for (const [name, script] of Object.entries({ orthant: PROGRAM, npx: '#!/bin/sh\nexec "$@"\n' })) {
    writeFileSync(join(programs, name), script, { mode: 0o755 });
  }
  for (const [name, content] of files) writeFileSync(join(work, name), content);
  for (const [name, golden] of Object.entries(own)) {
    mkdirSync(join(work, dirname(name)), { recursive: true });
    copyFileSync(goldenPath("imports", golden), join(work, name));
  }
  // Each runs in the shell itself, so that $? and variables persist.
  const script = commands
    .map(({ command }, index) => `{ ${command}\n} > "${printed}/${index}" 2>&1`)
    .join("\n");
  await promisify(execFile)("bash", ["-c", `${script}\ntrue`], {
    cwd: work,
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` },
  });
  return commands.map((_command, index) => {
    const text = readFileSync(join(printed, String(index)), "utf8");
    return text === "" ? [] : text.trimEnd().split("\n");
  });
}

/** Whether the golden files that stand for files of the reader are here. */
function hasFiles(page: string): boolean {
  return Object.values(OWN_FILES[page] ?? {}).every((golden) => hasGolden("imports", golden));
}

function sessionIn(page: string): Session {
  return sessionOf(readFileSync(join(ROOT, page), "utf8"));
}

describe.concurrent("a page with a terminal session", () => {
  test.each(PAGES.filter(hasFiles))(
    "%s can be followed as written",
    async (page) => {
      const session = sessionIn(page);
      const printed = await play(session, OWN_FILES[page]);
      for (const [index, { command, expected, line }] of session.commands.entries()) {
        const actual = printed[index] ?? [];
        const isShown =
          actual.length === expected.length &&
          actual.every((text, at) => matchesShown(expected[at] ?? "", text));
        expect(isShown ? expected : actual, `line ${line}: ${command}`).toEqual(expected);
      }
    },
    SESSION_MS,
  );

  test("is listed here", () => {
    const guides = readdirSync(join(ROOT, "docs/guides")).map((name) => `docs/guides/${name}`);
    const pages = ["README.md", ...guides].filter((page) => sessionIn(page).commands.length > 0);
    expect(pages).toEqual(PAGES);
  });

  test("shows every step of a first world, and a script of five lines", () => {
    const session = sessionIn("docs/guides/first-world.md");
    const commands = session.commands.map(({ command }) => command);
    for (const step of ["create", "map", "verify", "repair", "diff", "serve", "info"]) {
      expect(
        commands.some((command) => command.includes(`orthant ${step} `)),
        step,
      ).toBe(true);
    }
    expect(session.files.get("edit.mjs")?.trimEnd().split("\n")).toHaveLength(5);
  });
});

describe("comparing a page with actual output", () => {
  test.each<[what: string, shown: string, actual: string, matches: boolean]>([
    ["the same line", "whole: 0 notices", "whole: 0 notices", true],
    ["another number", "whole: 0 notices", "whole: 1 notices", false],
    ["what differs each time", "token  …", "token  eyJhbGci", true],
    ["nothing in its place", "token  …", "token  ", false],
    ["a letter for a point", "1.8 KiB", "1x8 KiB", false],
    ["more behind it", "packs  1", "packs  12", false],
  ])("handles %s", (_what, shown, actual, matches) => {
    expect(matchesShown(shown, actual)).toBe(matches);
  });

  test("runs every command of a page in one shell", async () => {
    const page = ["```console", "$ printf 'a\\nb\\n'; false", "a", "b", "$ echo $?", "1", "```"].join("\n");
    expect(await play(sessionOf(page))).toEqual([["a", "b"], ["1"]]);
  });
});
