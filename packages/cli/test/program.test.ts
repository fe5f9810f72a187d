import { mkdir, writeFile } from "node:fs/promises";
import { COMMANDS, EXIT } from "@orthant/cli";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

const SCREEN_LINES = 25;
const SCREEN_COLUMNS = 80;

describe("orthant", () => {
  test("--help fits a screen and lists every command", async () => {
    const { exitCode, output, errors } = await capture(["--help"]);
    const lines = output.trimEnd().split("\n");
    expect(exitCode).toBe(EXIT.ok);
    expect(errors).toBe("");
    expect(lines.length).toBeLessThanOrEqual(SCREEN_LINES);
    expect(lines.every((line) => line.length <= SCREEN_COLUMNS)).toBe(true);
    for (const { name, summary } of COMMANDS) {
      expect(lines.some((line) => line.startsWith(`  ${name} `) && line.endsWith(summary))).toBe(true);
    }
  });

  test("--version prints only the version", async () => {
    expect(await capture(["--version"])).toEqual({ exitCode: EXIT.ok, output: "0.1.0\n", errors: "" });
  });

  test.each(COMMANDS.map(({ name }) => name))("%s --help has an example", async (name) => {
    const { exitCode, output } = await capture([name, "--help"]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).toMatch(new RegExp(`\nExamples:\n {2}.*orthant ${name}`));
    expect(output).toContain("--json");
    expect(output).toContain("--quiet");
  });

  test.each<[what: string, argv: readonly string[], message: string]>([
    ["nothing", [], "orthant COMMAND --help says more"],
    [
      "another word for a command",
      ["import", "x.schem"],
      "orthant: unknown command 'import'\n(Did you mean one of convert, paste?)",
    ],
    ["a command that there is not", ["verfiy"], "orthant: unknown command 'verfiy'\n(Did you mean verify?)"],
    [
      "help for a command that there is not",
      ["verfiy", "--help"],
      "orthant: unknown command 'verfiy'\n(Did you mean verify?)",
    ],
    [
      "help for a command that there is not, with the word help",
      ["help", "frobnicate"],
      "orthant: unknown command 'frobnicate'",
    ],
    ["an option that there is not", ["info", "x", "--loud"], "orthant: unknown option '--loud'"],
    ["too few arguments", ["get", "x"], "orthant: missing required argument 'voxel'"],
    ["too many arguments", ["info", "x", "y"], "orthant: too many arguments for 'info'"],
    [
      "a value that is not among the choices",
      ["create", "x", "-t", "1D"],
      '--template: "1D" is not one of platforms, terrain, tiles',
    ],
    ["an invalid position", ["get", "x", "1,2,three"], 'orthant: voxel: "1,2,three" is not a position'],
    ["a character that no file has", ["info", "x\0y"], 'orthant: "x\\u0000y" is not valid on a command line'],
    ["an invalid number", ["ls", "x", "--limit", "all"], 'orthant: --limit: "all" is not a whole number'],
  ])("explains what is wrong with %s and exits with code 2", async (_what, argv, message) => {
    const { exitCode, output, errors } = await capture(argv);
    expect(exitCode).toBe(EXIT.usage);
    expect(output).toBe("");
    expect(errors).toContain(message);
  });

  test("reports a missing folder in one line, with exit code 1", async () => {
    const folder = await temporaryFolder();
    expect(await capture(["info", `${folder}/nowhere`])).toEqual({
      exitCode: EXIT.failed,
      output: "",
      errors: `orthant: there is no folder "${folder}/nowhere"; check how it is spelled [ORT_NOT_FOUND]\n`,
    });
  });

  test("reports that a folder holds no world, whatever the names of its files", async () => {
    const folder = await temporaryFolder();
    await writeFile(`${folder}/manifest.json`, "{}");
    await mkdir(`${folder}/data`);
    await writeFile(`${folder}/data/dt-000001.v4dt`, "not a pack at all");
    const { exitCode, errors } = await capture(["verify", folder]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain("holds no world of a format that is known here");
  });

  test("shows a stack trace only on request", async () => {
    const plain = await capture(["info", "/dev/null/x"]);
    const debugged = await capture(["info", "/dev/null/x"], { environment: { ORTHANT_DEBUG: "1" } });
    expect(plain.errors).not.toMatch(/^\s+at /m);
    expect(debugged.errors).toMatch(/^\s+at /m);
  });

  test("exits with code 1 when it is interrupted", async () => {
    const folder = await temporaryFolder();
    await capture(["create", `${folder}/world`]);
    const { exitCode, errors } = await capture(["verify", `${folder}/world`], {
      signal: AbortSignal.abort(),
    });
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toBe("orthant: interrupted\n");
  });

  test("uses colours only on a terminal", async () => {
    const folder = await temporaryFolder();
    await capture(["create", `${folder}/world`]);
    const verify = ["verify", `${folder}/world`];
    const escapeCode = "\u001b[";
    expect((await capture(verify)).output).not.toContain(escapeCode);
    expect((await capture(verify, { isTerminal: true })).output).toContain(`${escapeCode}32mno damage`);
    const muted = await capture(verify, { isTerminal: true, environment: { NO_COLOR: "1" } });
    expect(muted.output).not.toContain(escapeCode);
  });

  test("is quiet on request, and still prints the object of --json", async () => {
    const folder = await temporaryFolder();
    expect(await capture(["create", `${folder}/world`, "--quiet"])).toEqual({
      exitCode: EXIT.ok,
      output: "",
      errors: "",
    });
    const both = await capture(["verify", `${folder}/world`, "--quiet", "--json"]);
    expect(JSON.parse(both.output)).toMatchObject({ whole: true, findings: [] });
  });
});
