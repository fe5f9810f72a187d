export { type EndedProgram, runProgram } from "./run-program.ts";
