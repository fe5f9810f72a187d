import { runFor, startSmallest } from "@orthant/testkit";
import { SIZE_OPTIONS } from "./size.ts";

/** Starts each suite at its smallest size as a process of `program`. Returns the exit code. */
export function startAllSuites(suites: readonly string[], program: string): Promise<number> {
  return startSmallest({
    what: "suites",
    names: suites,
    run: (suite, msMax) => runFor(msMax, [program, suite, ...SIZE_OPTIONS]),
    workOf(suite, output) {
      const figures = output.split("\n").filter((line) => line.startsWith(`${suite}/`)).length;
      return figures === 0 ? undefined : `${figures} figures`;
    },
    print: (line) => console.log(line),
  });
}
