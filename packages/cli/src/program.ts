import { createRequire } from "node:module";
import { printable } from "@orthant/core/arguments";
import type { GeneratorSource } from "@orthant/core/generate";
import { Argument, CommanderError, Option, Command as Parser } from "commander";
import {
  type ArgumentSpec,
  Arguments,
  type Command,
  GENERATORS_OPTION,
  type OptionSpec,
  optionsOf,
} from "./command/command.ts";
import { Context } from "./command/context.ts";
import type { CommandEnvironment } from "./command/environment.ts";
import { type GameGenerator, passedGenerators, withGameGenerators } from "./command/game-generators.ts";
import { EXIT, type ExitCode, UsageError } from "./command/usage.ts";
import { COMMANDS } from "./commands.ts";
import { reportFailure } from "./failure.ts";
import { loadGenerators, loadProjectGenerators } from "./generators/load-generators.ts";
import { runAsProcess } from "./run-as-process.ts";

/** A fixed width, so that the reference can show the help. */
const HELP_COLUMNS = 80;

/** Settings of {@link run}. */
export interface RunOptions {
  /** The words after the program's name. Default: those of this process. */
  readonly argv?: readonly string[];
  /** A game's own generators, in addition to those of Orthant. Every command then works with its worlds. */
  readonly generators?: readonly GeneratorSource[];
  /** Where the command prints and what stops it. Default: this process, whose exit code `run` then sets. */
  readonly environment?: CommandEnvironment;
}

/**
 * Runs one command line of Orthant and returns its exit code. A game that has its own generators makes its own
 * command line with it:
 *
 *     import { run } from "orthant/command-line";
 *     import { hills } from "./hills.mjs";
 *     await run({ generators: [hills] });
 */
export async function run({ argv, generators = [], environment }: RunOptions = {}): Promise<ExitCode> {
  const passed = passedGenerators(generators);
  if (environment !== undefined) return runIn(environment, argv ?? process.argv.slice(2), passed);
  return runAsProcess((ofProcess) => runIn(ofProcess, argv ?? process.argv.slice(2), passed));
}

async function runIn(
  environment: CommandEnvironment,
  argv: readonly string[],
  passed: readonly GameGenerator[],
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = parserOf(environment, async (command, args, output) => {
    const own = [...passed];
    const names = args.all("generators");
    for (const name of names) own.push(...(await loadGenerators(name, process.cwd())));
    if (own.length === 0) {
      const warn = (problem: string): void => environment.errors.write(`orthant: ${printable(problem)}\n`);
      own.push(...(await loadProjectGenerators(process.cwd(), warn)));
    }
    exitCode = await command.run(args, new Context(environment, output, withGameGenerators(own)));
  });
  try {
    const unusable = argv.find((word) => typeof word !== "string" || word.includes("\0"));
    if (unusable !== undefined)
      throw new UsageError(`${JSON.stringify(unusable)} is not valid on a command line`);
    await program.parseAsync(withKnownHelp(argv).map(escapeNegativeCoordinates), { from: "user" });
    return exitCode;
  } catch (error) {
    // The parser has already printed what is wrong, and also throws for help.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      if (error.code !== "commander.help") environment.errors.write(`hint: ${helpHint(argv)}\n`);
      return EXIT.usage;
    }
    return reportFailure(error, environment);
  }
}

/** Leaves out a request for help about a command that does not exist, for which the parser would show the help of all. */
function withKnownHelp(argv: readonly string[]): readonly string[] {
  const [command, ...rest] = argv[0] === "help" ? argv.slice(1) : argv;
  const isKnown = command === undefined || command.startsWith("-") || command === "help";
  if (isKnown || COMMANDS.some(({ name }) => name === command)) return argv;
  return [command, ...rest.filter((word) => word !== "-h" && word !== "--help")];
}

function helpHint(argv: readonly string[]): string {
  const command = argv.map((word) => COMMANDS.find(({ name }) => name === word)).find((found) => found);
  return command === undefined
    ? "orthant --help lists the commands"
    : `orthant ${command.name} --help tells how it is used`;
}

/** The parser's message about an invalid choice. */
const WRONG_CHOICE =
  /^error: (?:option '(?:-\w, )?(?<flag>--[\w-]+)[^']*' argument|command-argument value) '(?<value>.*)' is invalid(?: for argument '(?<argument>[\w-]+)')?\. Allowed choices are (?<choices>.+)\.$/m;

/** The parser's message about an unknown command, with names that look like it. */
const UNKNOWN_COMMAND = /^error: unknown command '(?<word>.*)'(?:\n\(Did you mean .*\?\))?$/m;

/** Words for our commands that other programs use, and that do not look like ours. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["check", "verify"],
  ["compare", "diff"],
  ["copy", "backup"],
  ["fix", "repair"],
  ["gc", "compact"],
  ["history", "log"],
  ["import", "one of convert, paste"],
  ["init", "create"],
  ["list", "ls"],
  ["new", "create"],
  ["render", "map"],
  ["rollback", "restore"],
  ["show", "info"],
  ["start", "serve"],
]);

/** Rewrites the parser's error messages in this program's style. */
function rewrittenMessage(text: string): string {
  const { word = "" } = UNKNOWN_COMMAND.exec(text)?.groups ?? {};
  const meant = OTHER_WORDS.get(word);
  if (meant !== undefined) return `orthant: unknown command '${word}'\n(Did you mean ${meant}?)\n`;
  const { flag, argument, value, choices } = WRONG_CHOICE.exec(text)?.groups ?? {};
  if (choices !== undefined) return `orthant: ${flag ?? argument}: "${value}" is not one of ${choices}\n`;
  return text.replace(/^error: /, "orthant: ");
}

type Execute = (
  command: Command,
  args: Arguments,
  output: { readonly json: boolean; readonly quiet: boolean },
) => Promise<void>;

function parserOf({ output, errors }: CommandEnvironment, execute: Execute): Parser {
  const program = new Parser("orthant")
    .version(readVersion(), "-V, --version")
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
      outputError: (text, write) => write(rewrittenMessage(text).split("\n").map(printable).join("\n")),
      getOutHelpWidth: () => HELP_COLUMNS,
      getErrHelpWidth: () => HELP_COLUMNS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: false });
  program.addOption(parserOption(GENERATORS_OPTION));
  program.helpInformation = () => rootHelp(COMMANDS, readVersion());
  for (const command of COMMANDS) addCommand(program, command, execute);
  return program;
}

function addCommand(program: Parser, command: Command, execute: Execute): void {
  const { name, summary, details, notes = [], examples } = command;
  const parser = program
    .command(name)
    .summary(summary)
    .description(details === undefined ? `${summary}.` : `${summary}. ${details}`)
    .addHelpText("after", ["", ...listed(notes), ...listed(["Examples:", ...examples])].join("\n").trimEnd());
  for (const argument of command.arguments) parser.addArgument(parserArgument(argument));
  for (const option of optionsOf(command)) parser.addOption(parserOption(option));
  parser.action(async () => {
    const options = parser.optsWithGlobals();
    const output = { json: options["json"] === true, quiet: options["quiet"] === true };
    await execute(command, new Arguments(parser.processedArgs, options), output);
  });
}

/** Returns a heading with indented lines, and an empty line after them. */
function listed([heading, ...lines]: readonly string[]): readonly string[] {
  return heading === undefined ? [] : [heading, ...lines.map((line) => `  ${line}`), ""];
}

function parserArgument({ name, description, choices }: ArgumentSpec): Argument {
  const argument = new Argument(name, description);
  return choices === undefined ? argument : argument.choices(choices);
}

function parserOption({ flags, description, default: value, choices, repeated }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (repeated === true) {
    option.argParser((word: string, words: readonly string[] | undefined) => [...(words ?? []), word]);
  }
  if (value !== undefined) option.default(value);
  return choices === undefined ? option : option.choices(choices);
}

/** The parser takes even `-1,2,3,4` for an option. A space before it, trimmed later, prevents that. */
function escapeNegativeCoordinates(word: string): string {
  return /^-\d/.test(word) ? ` ${word}` : word;
}

/** Returns the text of `orthant --help`, which fits a screen of 80 by 25. */
function rootHelp(commands: readonly Command[], version: string): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `orthant ${version}: voxel worlds. orthant COMMAND --help says more.`,
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
  ].join("\n");
}

/** Returns the version of this package. */
function readVersion(): string {
  const manifest: { readonly version: string } = createRequire(import.meta.url)("#manifest");
  return manifest.version;
}
