import { requireText } from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import { OLD_BLOCKS } from "./old-blocks-table.ts";

/** A block from before Minecraft 1.13 as a state of 1.13. */
export interface FlattenedState {
  readonly state: string;
  /** Whether the table lists this very data; else the nearest of the same id is taken. */
  readonly isExact: boolean;
}

/** Bits of data that old games set without a meaning, the most common first. */
const SPARE_BITS = [4, 2, 1, 8];

let table: ReadonlyMap<number, ReadonlyMap<number, string>> | undefined;

/** Returns the state of an old block, `id:data`; `undefined` for ids that no game had, such as those of mods. */
export function flattenBlock(numbers: string): FlattenedState | undefined {
  const match = /^(\d{1,4}):(\d{1,2})$/.exec(requireText("numbers", numbers, "it is id:data, such as 17:4"));
  if (match === null) return undefined;
  table ??= parseTable(OLD_BLOCKS);
  const states = table.get(Number(match[1]));
  if (states === undefined) return undefined;
  const data = Number(match[2]);
  const exact = states.get(data);
  if (exact !== undefined) return { state: exact, isExact: true };
  for (const bit of SPARE_BITS) {
    const near = states.get(data & ~bit);
    if (near !== undefined) return { state: near, isExact: false };
  }
  const [first] = states.values();
  return first === undefined ? undefined : { state: first, isExact: false };
}

function parseTable(text: string): ReadonlyMap<number, ReadonlyMap<number, string>> {
  const found = new Map<number, Map<number, string>>();
  for (const line of text.trim().replaceAll("\n ", " ").split("\n")) {
    const [blocks = "", properties = "", rows = ""] = line.split(/ \[|\] /);
    for (const block of blocks.split(" ")) {
      const [id = "", name = ""] = block.split(":");
      const states = getOrAdd(found, Number(id), () => new Map<number, string>());
      for (const row of rows.split(" ")) {
        const [data = "", ...values] = row.split(".");
        states.set(Number.parseInt(data, 16), `minecraft:${name}${filled(properties, values)}`);
      }
    }
  }
  return found;
}

/** Gives the properties without a value those of a row, in their order. */
function filled(properties: string, values: readonly string[]): string {
  if (properties === "") return "";
  let next = 0;
  const pairs = properties
    .split(",")
    .map((pair) => (pair.includes("=") ? pair : `${pair}=${values[next++] ?? ""}`));
  return `[${pairs.join(",")}]`;
}
