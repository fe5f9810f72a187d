/**
 * The commands of `orthant`, for a game's own command line.
 *
 * @module @orthant/cli
 */

export type { GeneratorSource } from "@orthant/core/generate";
export type { ArgumentSpec, Arguments, Command, OptionSpec } from "./command/command.ts";
export type { Context } from "./command/context.ts";
export type { CommandEnvironment, TextSink } from "./command/environment.ts";
export { EXIT, type ExitCode } from "./command/usage.ts";
export { COMMANDS } from "./commands.ts";
export { type RunOptions, run } from "./program.ts";
