import { readFileSync } from "node:fs";
import * as protocol from "@orthant/protocol";
import * as internal from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { DEFAULT_WIRE1_LIMITS, WIRE1_DROPS } from "@orthant/protocol/wire1";
import { DEFAULT_SERVER_LIMITS } from "@orthant/server";
import { EDIT_OUTCOMES, GOODBYE_REASONS, REFUSALS } from "@orthant/server/internal";
import { describe, expect, test } from "vitest";
import { ask, serve } from "./served-world.ts";

const page = readFileSync("docs/reference/limits.md", "utf8");

/** Returns the rows of the table under a heading, without the two header rows. */
function tableUnder(heading: string, text = page): readonly (readonly string[])[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function namesUnder(heading: string): readonly string[] {
  return tableUnder(heading).map(([name = ""]) => name.replaceAll("`", ""));
}

function figuresUnder(heading: string): Readonly<Record<string, number>> {
  const rows = tableUnder(heading).map(([name = "", figure = ""]) => {
    return [name.replaceAll("`", ""), Number(figure.replaceAll(",", ""))] as const;
  });
  return Object.fromEntries(rows);
}

describe("the page about limits lists", () => {
  test("every limit of clients, players, networks and the server, with its default", () => {
    const tables = ["One client", "One player", "Anonymous players of one network", "The server as a whole"];
    const rows = tables.flatMap((title) => Object.entries(figuresUnder(title)));
    expect(Object.fromEntries(rows)).toEqual(DEFAULT_SYNC_LIMITS);
    expect(rows.length).toBe(Object.keys(DEFAULT_SYNC_LIMITS).length);
  });

  test("every limit of the operations of a role, with its default", () => {
    expect(Object.entries(figuresUnder("Operations of a role"))).toEqual(
      Object.entries(protocol.DEFAULT_OPERATION_LIMITS),
    );
  });

  test("every limit of networks and sockets, with its default", () => {
    expect(figuresUnder("Networks and sockets")).toEqual(DEFAULT_SERVER_LIMITS);
  });

  test("every limit of Wire v1, with its default", () => {
    expect(figuresUnder("Wire v1")).toEqual(DEFAULT_WIRE1_LIMITS);
  });

  test("every limit of the protocol's messages", () => {
    const constants = Object.entries({ ...protocol, ...internal }).filter(([name]) =>
      /^[A-Z_]+_MAX$/.test(name),
    );
    expect(constants.length).toBeGreaterThan(10);
    expect(figuresUnder("Parts of the protocol")).toEqual(Object.fromEntries(constants));
  });

  test("every reason for which a connection ends", () => {
    expect(namesUnder("Why a connection ends")).toEqual(GOODBYE_REASONS);
  });

  test("every reason for which an edit is rejected", () => {
    const refusals = EDIT_OUTCOMES.filter(
      (outcome) => !["applied", "unchanged", "duplicate"].includes(outcome),
    );
    expect(namesUnder("Why an edit is rejected")).toEqual(refusals);
  });

  test("every reason for which the server itself refuses", () => {
    expect(namesUnder("Why the server itself refuses")).toEqual(REFUSALS);
  });
});

test("[W41] the page about Wire v1 lists every reason for which a datagram has no effect", () => {
  const wire1Page = readFileSync("docs/formats/wire-v1.md", "utf8");
  const reasons = tableUnder("Why a datagram has no effect", wire1Page).map(([name = ""]) =>
    name.replaceAll("`", ""),
  );
  expect(reasons).toEqual(WIRE1_DROPS);
});

test("the reference page of the server lists every metric", async () => {
  const counts = {
    claimed: 0,
    lost: 0,
    journalsLost: 0,
    vacant: [],
    regions: 0,
    openEdits: 0,
    isBackboneAway: false,
    distantPlayers: 0,
  };
  const server = await serve({ cluster: () => ({ ...counts, owned: [] }) });
  const { text } = await ask(server, "/metrics");
  const there = [...text.matchAll(/^# TYPE (?<name>orthant_\w+) /gm)].map(({ groups }) => groups?.["name"]);
  const reference = readFileSync("docs/reference/server.md", "utf8");
  const rows = ["Numbers", "Numbers of a cluster"].flatMap((title) => tableUnder(title, reference));
  const listed = rows.map(([name = ""]) => name.replaceAll("`", ""));
  expect([...listed].sort()).toEqual([...there].sort());
});
