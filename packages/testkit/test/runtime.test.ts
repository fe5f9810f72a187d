import { expect, test } from "vitest";

const wanted = process.env["ORTHANT_RUNTIME"];

test.runIf(wanted !== undefined)("tests run on the runtime that `npm run runtimes` asked for", () => {
  const { bun, deno, node = "" } = process.versions as Readonly<Record<string, string | undefined>>;
  const name = bun !== undefined ? "bun" : deno !== undefined ? "deno" : `node${node.split(".")[0]}`;
  expect(name).toBe(wanted);
});
