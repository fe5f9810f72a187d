/**
 * The commands of `orthant`, for a game's own command line.
 *
 * @module orthant/command-line
 */

export type { GeneratorSource } from "@orthant/core/generate";
export type { ArgumentSpec, Arguments, Command, OptionSpec } from "./command.ts";
export { COMMANDS } from "./commands.ts";
export type { Context } from "./context.ts";
export type { CommandEnvironment, TextSink } from "./environment.ts";
export { type RunOptions, run } from "./program.ts";
export { EXIT, type ExitCode } from "./usage.ts";
