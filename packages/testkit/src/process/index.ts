export { type ForeignWriter, startForeignWriter } from "./foreign-writer.ts";
export { type EndedProgram, runProgram } from "./run-program.ts";
