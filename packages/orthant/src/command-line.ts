/**
 * The commands of `orthant`, for a game's own command line.
 *
 * @module orthant/command-line
 */

export {
  type ArgumentSpec,
  type Arguments,
  COMMANDS,
  type Command,
  type CommandEnvironment,
  type Context,
  EXIT,
  type ExitCode,
  type GeneratorSource,
  type OptionSpec,
  type RunOptions,
  run,
  type TextSink,
} from "@orthant/cli";
