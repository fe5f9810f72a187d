export type { Arguments } from "./arguments.ts";
export type { ArgumentSpec, Command, OptionSpec } from "./command.ts";
export { COMMANDS } from "./commands.ts";
export type { Context } from "./context.ts";
export { EXIT, type ExitCode } from "./exit-codes.ts";
export { run } from "./program.ts";
export type { Surroundings, TextSink } from "./surroundings.ts";
