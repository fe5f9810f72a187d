import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { EXIT, type ExitCode } from "@orthant/cli";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capture } from "./captured.ts";
import { type MistakenPlaces, makeMistakenPlaces, ORTHANT } from "./mistaken-places.ts";

let places: MistakenPlaces;
beforeAll(async () => {
  places = await makeMistakenPlaces();
}, 60_000);
afterAll(() => places.server.stop());

const { failed, usage } = EXIT;
const SEE_ALL = "hint: orthant verify finds all damage, orthant repair brings back what it can";
const ANOTHER_FOLDER = "hint: name a folder that does not exist yet, or an empty one";
const IN_USE = [
  "orthant: the world is in use: process PID on HOST has it open (world.lock) [ORT_LOCKED]",
  "hint: end that program first, or use a command that only reads, such as info, verify or backup",
];

/** A wrong command line, its exit code, and the complete error output. PORT is a port in use. */
type Mistake = [what: string, command: string, exitCode: ExitCode, ...says: string[]];

const MISTAKES: readonly Mistake[] = [
  [
    "a command that there is not",
    "frobnicate",
    usage,
    "orthant: unknown command 'frobnicate'",
    "hint: orthant --help lists the commands",
  ],
  [
    "a command with a slip",
    "verfiy ./hills",
    usage,
    "orthant: unknown command 'verfiy'",
    "(Did you mean verify?)",
    "hint: orthant --help lists the commands",
  ],
  [
    "no world",
    "info",
    usage,
    "orthant: missing required argument 'world'",
    "hint: orthant info --help tells how it is used",
  ],
  [
    "a word too many",
    "info ./hills ./isles",
    usage,
    "orthant: too many arguments for 'info'. Expected 1 argument but got 2.",
    "hint: orthant info --help tells how it is used",
  ],
  [
    "an option that there is not",
    "info ./hills --loud",
    usage,
    "orthant: unknown option '--loud'",
    "hint: orthant info --help tells how it is used",
  ],
  [
    "an option with a slip",
    "info ./hills --jsno",
    usage,
    "orthant: unknown option '--jsno'",
    "(Did you mean --json?)",
    "hint: orthant info --help tells how it is used",
  ],
  [
    "a path that is not there",
    "info ./hils",
    failed,
    'orthant: there is no folder "./hils"; check how it is spelled [ORT_NOT_FOUND]',
  ],
  [
    "an empty folder",
    "info ./empty",
    failed,
    'orthant: the folder "./empty" holds no world of a format that is known here; orthant create makes a new one elsewhere [ORT_NOT_FOUND]',
  ],
  [
    "a folder with something else",
    "info ./photos",
    failed,
    'orthant: the folder "./photos" holds no world of a format that is known here; orthant create makes a new one elsewhere [ORT_NOT_FOUND]',
  ],
  [
    "a file that is not a world",
    "info ./notes.txt",
    failed,
    'orthant: the file "./notes.txt" is not a world in a known format; a world is a folder, or a file such as world.save, house.schem or map.tmj [ORT_NOT_FOUND]',
  ],
  [
    "a new world over an old one",
    "create ./hills",
    failed,
    'orthant: the folder "./hills" is not empty [ORT_NOT_EMPTY]',
    ANOTHER_FOLDER,
  ],
  [
    "a new world over a file",
    "create ./notes.txt",
    failed,
    'orthant: "./notes.txt" is a file; name a folder that does not exist yet [ORT_EXISTS]',
  ],
  [
    "a template that there is not",
    "create ./new --template terain",
    usage,
    'orthant: --template: "terain" is not one of platforms, terrain, tiles',
  ],
  [
    "a generator that there is not",
    "create ./new --generator hills",
    usage,
    'orthant: --generator: "hills" is not one of flat, maze, platforms, terrain',
  ],
  [
    "a seed that is not a number",
    "create ./new --seed abc",
    usage,
    'orthant: --seed: "abc" is not a whole number from 0 to 18446744073709551615',
  ],
  [
    "a parameter that the generator lacks",
    "create ./new --set relief=3",
    usage,
    'orthant: --set: there is no parameter "relief"; there are cellVoxels, structurePercent',
  ],
  [
    "a parameter without a value",
    "create ./new --set cellVoxels",
    usage,
    'orthant: --set: "cellVoxels" is not of the form name=value',
  ],
  [
    "a parameter out of its range",
    "create ./new --set structurePercent=300",
    usage,
    'orthant: --set structurePercent=300: parameters of "platforms": structurePercent is 300 (a number); it is a whole number from 0 to 100',
  ],
  [
    "a place that is not writable",
    "create /sys/new",
    failed,
    "orthant: the operating system does not permit it (/sys/.new.unfinished-…) [ORT_DISK_DENIED]",
    "hint: look at who owns the folder and who may read and write it",
  ],
  [
    "invalid coordinates",
    "get ./hills 1,two",
    usage,
    'orthant: voxel: "1,two" is not a position; write it as 1,-2,3,4',
  ],
  [
    "five coordinates",
    "get ./hills 1,2,3,4,5",
    usage,
    'orthant: voxel: "1,2,3,4,5" is not a position; write it as 1,-2,3,4',
  ],
  [
    "coordinates beyond the world",
    "get ./hills 99999999999999",
    usage,
    "orthant: voxel coordinate 99999999999999 is outside of the world, which goes from -34359738368 to 34359738367 [ORT_POSITION_RANGE]",
  ],
  [
    "a box that is upside down",
    "map ./hills --box 5,5,5..1,1,1",
    usage,
    'orthant: --box: "5,5,5..1,1,1" holds nothing; the lower corner comes first, and the upper one is not in it',
  ],
  [
    "half of a box",
    "map ./hills --box 5,5,5",
    usage,
    'orthant: --box: "5,5,5" is not a box; write it as 0,0,0,0..8,8,8,8',
  ],
  [
    "a picture in a folder that is not there",
    "map ./hills -o ./pictures/map.png",
    failed,
    'orthant: there is no folder "./pictures" for "map.png"; make it first [ORT_NOT_FOUND]',
  ],
  [
    "a picture over a file",
    "map ./hills -o ./notes.txt",
    failed,
    'orthant: there is "./notes.txt" already; --force replaces it [ORT_EXISTS]',
  ],
  [
    "a slice along an axis that there is not",
    "map ./hills --slice q=3",
    usage,
    'orthant: "q=3" is not a slice; write it as w=3 or w=0,4,8',
  ],
  [
    "a list of an unknown kind",
    "ls ./hills things",
    usage,
    'orthant: what: "things" is not one of leaves, regions, chunks, entities, players, generations, files',
    "hint: orthant ls --help tells how it is used",
  ],
  [
    "a generation that is not kept",
    "diff ./hills --generation 99",
    failed,
    "orthant: generation 99 is not there; there are some from 1 to 2, and orthant log lists them [ORT_NOT_FOUND]",
  ],
  [
    "a backup of a generation that is not kept",
    "backup ./hills ./copy --generation 99",
    failed,
    "orthant: generation 99 is not there; there are some from 1 to 2, and orthant log lists them [ORT_NOT_FOUND]",
  ],
  [
    "nothing to compare with",
    "diff ./hills",
    usage,
    "orthant: name another world to compare with, or a --generation of this one",
  ],
  [
    "a name that is a number",
    "tag ./hills 5",
    usage,
    'orthant: "5" is not a name for a generation: 1 to 64 characters in one line, and not only digits [ORT_ARGUMENT]',
  ],
  [
    "a name that no state has",
    "restore ./hills --box 0..8 --from opening-day",
    failed,
    'orthant: a generation called "opening-day" is not kept; 2 are, from 1 of TIME to 2 of TIME [ORT_NOT_FOUND]',
  ],
  [
    "a name to remove that no state has",
    "tag ./hills opening-day --remove",
    failed,
    'orthant: no generation is called "opening-day"; none has a name [ORT_NOT_FOUND]',
  ],
  [
    "an invalid date",
    "restore ./hills --box 0..8 --from 2026-99-99",
    usage,
    'orthant: --from: "2026-99-99" is not a date; write it as 2026-11-15 or TIME',
  ],
  [
    "a roll-back without a state",
    "restore ./hills --box 0..8",
    usage,
    "orthant: --box and --from belong together: give both, or neither",
  ],
  [
    "a restore over a world",
    "restore ./hills ./isles",
    failed,
    'orthant: the folder "./isles" is not empty [ORT_NOT_EMPTY]',
    ANOTHER_FOLDER,
  ],
  [
    "a backup into the world itself",
    "backup ./hills ./hills/copy",
    usage,
    'orthant: "./hills/copy" lies inside the world "./hills"; name a folder beside it',
  ],
  [
    "a backup into a folder that is full",
    "backup ./hills ./photos",
    failed,
    'orthant: the folder "./photos" is not empty [ORT_NOT_EMPTY]',
    ANOTHER_FOLDER,
  ],
  [
    "a conversion that loses",
    "convert ./isles ./old --to flat",
    failed,
    "orthant: nothing was written, because it would lose: the name of the world, the generator [ORT_LOSS]",
    "hint: --accept-loss writes it all the same; --dry-run lists what is lost",
  ],
  [
    "a conversion that cannot be",
    "convert ./hills ./old --to flat",
    failed,
    "orthant: chunks of 16 x 16 x 16 x 1 voxels, where a flat save has 8 x 8 x 8 x 8 [ORT_DIALECT]",
    "hint: --to chooses another format; orthant convert --help lists them",
  ],
  [
    "a conversion to what it is",
    "convert ./hills ./new --to orthant",
    usage,
    'orthant: "./hills" is orthant already; --to chooses another format',
  ],
  [
    "a schematic without a place",
    "paste ./isles ./hills",
    usage,
    "orthant: say where it goes, as in --at 10,70,-4",
  ],
  [
    "a world in itself",
    "paste ./hills ./hills --at 0,0,0",
    usage,
    'orthant: "./hills" cannot be pasted into itself',
  ],
  [
    "a world of other dimensions",
    "paste ./isles ./hills --at 0,0,0 --box 0,0,0..1,1,1",
    usage,
    "orthant: what is pasted has 4 dimensions, and the world has 3; both need the same number [ORT_ARGUMENT]",
  ],
  [
    "a place with too many coordinates",
    "paste ./isles ./hills --at 0,0,0,5",
    usage,
    "orthant: [0, 0, 0, 5] has more than the 3 axes of the world",
  ],
  [
    "what is pasted that is not a world",
    "paste ./notes.txt ./hills --at 0,0,0",
    failed,
    'orthant: the file "./notes.txt" is not a world in a known format; a world is a folder, or a file such as world.save, house.schem or map.tmj [ORT_NOT_FOUND]',
  ],
  [
    "entities that are not pasted",
    "paste ./hills-large ./hills --at 0,0,0",
    failed,
    "orthant: nothing was written, because it would lose: entities [ORT_LOSS]",
    "hint: --accept-loss writes it all the same; --dry-run lists what is lost",
  ],
  [
    "a paste into a served world",
    "paste ./hills ./hills-served --box 0,100,0..4,104,4 --at 0,0,0",
    failed,
    ...IN_USE,
  ],
  [
    "a conversion to an unknown format",
    "convert ./hills ./new --to zip",
    usage,
    'orthant: --to: "zip" is not one of orthant, v3, flat, marsminer, pxsw, pxsw1, tilesave',
    "hint: orthant convert --help tells how it is used",
  ],
  [
    "a manifest that is damaged",
    "info ./hills-manifest",
    failed,
    "orthant: the world is damaged: the manifest is not JSON (manifest.json) [ORT_MANIFEST]",
    SEE_ALL,
  ],
  [
    "a manifest that is gone",
    "info ./hills-no-manifest",
    failed,
    "orthant: the world is damaged: a file is missing (manifest.json) [ORT_NOT_FOUND]",
    SEE_ALL,
  ],
  [
    "an index that is damaged",
    "ls ./hills-index chunks",
    failed,
    "orthant: the world is damaged: the page is damaged (index/ix-main.g0000000000000002.v4ix at offset 49) [ORT_CHECKSUM]",
    SEE_ALL,
  ],
  [
    "a pack that is damaged",
    "ls ./hills-pack chunks",
    failed,
    "orthant: the world is damaged: the record is damaged (data/dt-000001.v4dt at offset 46) [ORT_CHECKSUM]",
    SEE_ALL,
  ],
  [
    "a pack that is gone",
    "info ./hills-no-pack",
    failed,
    "orthant: the world is damaged: pack 1 is missing, and parts of the world are stored there; restore a backup, or bring back the rest with orthant repair (data/dt-000001.v4dt) [ORT_NOT_FOUND]",
    SEE_ALL,
  ],
  [
    "a file that was cut off",
    "ls ./hills-players players",
    failed,
    "orthant: the world is damaged: need 4 bytes, have 2 (players.g0000000000000002.v4p at offset 8) [ORT_TRUNCATED]",
    SEE_ALL,
  ],
  [
    "a journal that is damaged",
    "serve ./hills-journal --port 0",
    failed,
    "orthant: group 0 of the journal is damaged, and group 1 behind it is not (journal/g0000000000000003.e00000002.v4jn at offset 48) [ORT_JOURNAL]",
    "hint: copy the folder; then orthant serve --damaged-journal cut opens it without what follows the damage",
  ],
  [
    "a world of a newer version",
    "info ./hills-newer",
    failed,
    "orthant: this version of orthant cannot read it: unsupported manifest version 99 (expected 3) (manifest.json) [ORT_VERSION]",
    "hint: use the newest orthant; if no newer one wrote the world it is damaged, and orthant repair helps",
  ],
  [
    "a world of an unknown generator",
    "serve ./foreign --port 0",
    failed,
    'orthant: there is no generator "my-game:islands" here; there are flat, maze, platforms, terrain [ORT_GENERATOR_UNKNOWN]',
    "hint: --generators ./FILE names a module of the world's game that has this generator",
  ],
  [
    "a world of a newer generator",
    "serve ./flat-99 --port 0",
    failed,
    'orthant: made with another version of the generator "flat" (9e9b79f415d6cd7c) than the one here (9fdaedf416e6368a) [ORT_GENERATOR_VERSION]',
    "hint: use the versions of orthant and of the world's own generators with which it was made",
  ],
  [
    "a world of Polychora that is not converted",
    "serve ./polychora --port 0",
    failed,
    'orthant: "./polychora" is a world of polychora-flat, which this command does not support; orthant convert converts it to an Orthant world; --read-only serves it as it is [ORT_DIALECT]',
  ],
  ["a world that is served already", "serve ./hills-served --port 0", failed, ...IN_USE],
  ["a change to a world that is served", "tag ./hills-served monday", failed, ...IN_USE],
  [
    "a port that is taken",
    "serve ./hills --port PORT",
    failed,
    "orthant: cannot listen at 127.0.0.1, port PORT: another program listens there already [ORT_LISTEN]",
    "hint: choose another --port or --host",
  ],
  [
    "a port that there is not",
    "serve ./hills --port 99999",
    usage,
    'orthant: --port: "99999" is not a whole number from 0 to 65535',
  ],
  [
    "an address of another machine",
    "serve ./hills --host 192.0.2.1",
    failed,
    "orthant: cannot listen at 192.0.2.1, port 7440: this machine has no such address [ORT_LISTEN]",
    "hint: choose another --port or --host",
  ],
  [
    "a certificate without its key",
    "serve ./hills --certificate ./notes.txt",
    usage,
    "orthant: --certificate and --key belong together: give both, or neither",
  ],
  [
    "a certificate that is not there",
    "serve ./hills --certificate ./no.pem --key ./notes.txt",
    usage,
    'orthant: --certificate: there is no file "./no.pem"; check how it is spelled',
  ],
  [
    "an invalid certificate",
    "serve ./hills --certificate ./notes.txt --key ./notes.txt",
    failed,
    "orthant: the certificate and its key cannot be used: error:0480006C:PEM routines::no start line [ORT_LISTEN]",
    "hint: --certificate and --key name two files in PEM that belong together",
  ],
  [
    "an invalid origin",
    "serve ./hills --port 0 --origin example.org",
    usage,
    'orthant: "example.org" is not an origin; write it as https://example.org, without a path, or * for all of them [ORT_ARGUMENT]',
  ],
  [
    "a framing page that is not an origin",
    "serve ./hills --port 0 --frame-ancestors https://example.org/game",
    usage,
    'orthant: "https://example.org/game" in page.frameAncestors is not an origin such as https://example.org, without a path [ORT_ARGUMENT]',
  ],
  [
    "a secret that is not there",
    "serve ./hills --secret-file ./secret.txt",
    usage,
    'orthant: there is no file "./secret.txt" with a secret; orthant token --new-secret --secret-file FILE makes a new file with a good one',
  ],
  [
    "a secret that is too short",
    "token --secret-file ./short.txt",
    usage,
    'orthant: the secret in "./short.txt" is too short, so it could be guessed; orthant token --new-secret --secret-file FILE makes a new file with a good one',
  ],
  [
    "a port that there is not",
    "serve ./hills --port 99999",
    usage,
    'orthant: --port: "99999" is not a whole number from 0 to 65535',
  ],
  [
    "a port of Wire v1 that there is not",
    "serve ./hills --port 0 --wire1 70000",
    usage,
    'orthant: --wire1: "70000" is not a whole number from 0 to 65535',
  ],
  [
    "an invalid address",
    "serve ./hills --port 0 --wire1 0 --wire1-allow here",
    usage,
    'orthant: "here" is not an address, nor a network such as 10.0.0.0/24 [ORT_ARGUMENT]',
  ],
  [
    "a list of the revoked that is not there",
    "serve ./hills --port 0 --revoked ./no.txt",
    usage,
    'orthant: --revoked: there is no file "./no.txt"; check how it is spelled',
  ],
  [
    "a key that is a folder",
    "token --private-key ./photos",
    usage,
    'orthant: --private-key: "./photos" is a folder, where a file is wanted',
  ],
  [
    "a secret that is a folder",
    "token --secret-file ./photos",
    usage,
    'orthant: "./photos" is a folder, where the file of a secret is wanted',
  ],
  ["no secret", "token", usage, "orthant: no secret: give --secret-file, --private-key or ORTHANT_SECRET"],
  [
    "an invalid key",
    "token --private-key ./notes.txt",
    usage,
    "orthant: the key is not an Ed25519 key in PEM, such as openssl genpkey -algorithm ed25519 makes [ORT_ARGUMENT]",
  ],
  [
    "a role that there is not",
    "token --secret-file ./short.txt --role king",
    usage,
    'orthant: --role: "king" is not one of viewer, builder, admin',
    "hint: orthant token --help tells how it is used",
  ],
  [
    "an invalid time span",
    "serve ./hills --expires soon",
    usage,
    'orthant: --expires: "soon" is not a time span; write it as 90s, 15m, 12h or 7d',
  ],
  [
    "a key file that is not there",
    "token --private-key ./no.pem",
    usage,
    'orthant: --private-key: there is no file "./no.pem"; check how it is spelled',
  ],
  [
    "a new secret over an old one",
    "token --secret-file ./short.txt --new-secret",
    usage,
    "orthant: ./short.txt is there already; leave out --new-secret to use it",
  ],
];

/** Runs a command line in the folder of all mistakes. Returns the portable part of its error output. */
async function make(command: string): Promise<{ exitCode: ExitCode; said: readonly string[] }> {
  const { root, server } = places;
  const argv = command
    .replace("PORT", server.port)
    .split(" ")
    .map((word) => word.replace(/^\.\//, `${root}/`));
  const { exitCode, errors } = await capture(argv);
  const said = errors
    .replaceAll(`${root}/`, "./")
    .replaceAll(`process ${server.pid} on ${hostname()}`, "process PID on HOST")
    .replaceAll(`port ${server.port}`, "port PORT")
    .replaceAll(/unfinished-\w+/g, "unfinished-…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  return { exitCode, said: said.trimEnd().split("\n") };
}
describe("error output", () => {
  test.each(MISTAKES)(
    "the error for %s says what to do: orthant %s",
    async (...[, command, exitCode, ...says]: Mistake) => {
      expect(await make(command)).toEqual({ exitCode, said: says });
    },
  );
});

describe("the program itself", () => {
  /** Runs a line of shell in which `orthant` is the program. */
  function shell(line: string): Promise<{ readonly code: number; readonly errors: string }> {
    const script = `orthant() { "${process.execPath}" "${ORTHANT}" "$@"; }; cd "${places.root}"; ${line}`;
    return new Promise((resolve) => {
      execFile("bash", ["-c", script], (error, _output, errors) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, errors }),
      );
    });
  }

  test("says in two lines that the disk is full, and leaves nothing behind", async () => {
    // For a writer, a limit on file sizes is the same as a full disk.
    const { code, errors } = await shell("trap '' XFSZ; ulimit -f 1; orthant backup hills-large copied");
    expect(code).toBe(failed);
    expect(errors).toMatch(/^orthant: the disk is full \(data\/dt-000001\.v4dt\) \[ORT_DISK_FULL\]$/m);
    expect(errors).toContain("hint: make room on the disk and try again; what was there before is as it was");
    expect(errors.trim().split("\n")).toHaveLength(2);
    expect((await readdir(places.root)).filter((name) => name.includes("copied"))).toEqual([]);
  });

  test.runIf(existsSync("/dev/full"))("says in one line that its output cannot be written", async () => {
    expect(await shell("orthant info hills > /dev/full")).toEqual({
      code: failed,
      errors: "orthant: what it prints cannot be written: ENOSPC: no space left on device, write\n",
    });
  });

  test("warns about an unencrypted server that accepts remote clients", async () => {
    const stop = new AbortController();
    const options = { signal: stop.signal, onOutput: () => stop.abort() };
    const open = await capture(
      ["serve", `${places.root}/isles`, "--port", "0", "--host", "0.0.0.0"],
      options,
    );
    expect(open.errors.split("\n")[0]).toBe(
      "warning: nothing is encrypted, tokens neither; give --certificate and --key, or put a proxy before it",
    );
  });
});
