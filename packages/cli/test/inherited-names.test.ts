import { cp } from "node:fs/promises";
import { join } from "node:path";
import { COMMANDS } from "@orthant/cli";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

/** Names that every object inherits: one that can be set, and one that cannot. */
const INHERITED = ["__proto__", "constructor"];
/** Values that name a file or a folder, which the command would write. */
const PLACE = /<(?:file|folder)>/;
/** These run until they are interrupted. */
const ENDLESS: ReadonlySet<string> = new Set(["serve", "bench"]);
const UNEXPECTED = "this should not happen";

let root: string;
let world: string;
beforeAll(async () => {
  root = await temporaryFolder();
  world = await makeSampleWorld();
});

/** Returns values for the arguments of a command: a world of its own, and places that do not exist yet. */
async function argumentsOf(command: (typeof COMMANDS)[number]): Promise<string[]> {
  const own = join(root, `${Math.random()}`);
  await cp(world, own, { recursive: true });
  return command.arguments
    .filter(({ name }) => name.startsWith("<"))
    .map(({ name, choices }, index) => {
      if (choices !== undefined) return choices[0] ?? "";
      if (/<(?:world|before|backup|file)>/.test(name) && index === 0) return own;
      return name === "<voxel>" ? "0,0,0" : name === "<name>" ? "a" : `${own}-${index}`;
    });
}

/** Returns options that lead what a command writes by default into this folder to a place that does not exist yet. */
function placesOf(command: (typeof COMMANDS)[number]): readonly string[] {
  return command.options
    .filter((option) => PLACE.test(option.flags) && option.default !== undefined)
    .map(({ flags }) => `${flagOf(flags)}=${join(root, `${Math.random()}`)}`);
}

function flagOf(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? "";
}

describe.each(COMMANDS.filter(({ name }) => !ENDLESS.has(name)))("orthant $name", (command) => {
  const options = command.options.filter(({ flags }) => flags.includes("<") && !PLACE.test(flags));

  test("refuses or accepts names that objects inherit as every option and argument", async () => {
    for (const inherited of INHERITED) {
      const lines: string[][] = [];
      for (const { flags } of options) {
        const flag = flagOf(flags);
        for (const value of flags.includes("=") ? [`${inherited}=1`, inherited] : [inherited])
          lines.push([...(await argumentsOf(command)), `${flag}=${value}`]);
      }
      for (const [index, { name }] of command.arguments.entries()) {
        const words = await argumentsOf(command);
        const isPlace = /folder|after/.test(name) || words[index]?.startsWith(root) === true;
        words[index] = isPlace ? join(root, inherited) : inherited;
        lines.push(words);
      }
      for (const line of lines) {
        const { errors } = await capture([command.name, ...line, ...placesOf(command)]);
        expect(errors, `${command.name} ${line.join(" ")}`).not.toContain(UNEXPECTED);
      }
    }
  });
});
