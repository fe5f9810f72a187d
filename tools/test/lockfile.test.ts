import { describe, expect, test } from "vitest";
import { checkLockfile } from "../lockfile/check-lockfile.ts";
import { type Platform, platformOf } from "../lockfile/platform.ts";
import { type Lockfile, missingPlatformEntries, withPlatformEntries } from "../lockfile/platform-entries.ts";
import { sourceFile } from "../source-tree.ts";

const INCOMPLETE: Lockfile = {
  packages: {
    "": {},
    "node_modules/@press/press": {
      version: "2.0.0",
      dev: true,
      optionalDependencies: { "@press/linux-x64-gnu": "2.0.0", "@press/darwin-arm64": "2.0.0" },
    },
    "node_modules/@press/linux-x64-gnu": { version: "2.0.0", dev: true, optional: true },
    "node_modules/zest": { version: "1.0.0" },
  },
};

describe("the missing entries", () => {
  test("are the optional dependencies that the lockfile does not list", () => {
    expect(missingPlatformEntries(INCOMPLETE)).toEqual([
      {
        location: "node_modules/@press/darwin-arm64",
        wantedBy: "node_modules/@press/press",
        entry: { version: "2.0.0", cpu: ["arm64"], dev: true, optional: true, os: ["darwin"] },
      },
    ]);
  });

  test("are added in alphabetical order, and then none is missing", () => {
    const complete = withPlatformEntries(INCOMPLETE);
    expect(Object.keys(complete.packages)).toEqual([
      "",
      "node_modules/@press/darwin-arm64",
      "node_modules/@press/linux-x64-gnu",
      "node_modules/@press/press",
      "node_modules/zest",
    ]);
    expect(missingPlatformEntries(complete)).toEqual([]);
  });

  test("are not marked for development when the package that wants them is not", () => {
    const packages = { "node_modules/a": { optionalDependencies: { "a-win32-x64-msvc": "~1.2.3" } } };
    expect(missingPlatformEntries({ packages }).map(({ entry }) => entry)).toEqual([
      { version: "1.2.3", cpu: ["x64"], optional: true, os: ["win32"] },
    ]);
  });

  test("do not include a package inside the folder of the one that wants it", () => {
    const packages = {
      "node_modules/a": { optionalDependencies: { "b-darwin-x64": "1.0.0" } },
      "node_modules/a/node_modules/b-darwin-x64": { version: "1.0.0" },
    };
    expect(missingPlatformEntries({ packages })).toEqual([]);
  });

  test("include a package inside the folder of another", () => {
    const packages = {
      "node_modules/a": { optionalDependencies: { "b-darwin-x64": "1.0.0" } },
      "node_modules/c/node_modules/b-darwin-x64": { version: "1.0.0" },
    };
    expect(missingPlatformEntries({ packages })).toHaveLength(1);
  });

  test("get separate locations when two packages want different versions", () => {
    const packages = {
      "node_modules/a": { optionalDependencies: { "c-darwin-x64": "1.0.0" } },
      "node_modules/b": { optionalDependencies: { "c-darwin-x64": "2.0.0" } },
    };
    expect(missingPlatformEntries({ packages }).map(({ location }) => location)).toEqual([
      "node_modules/c-darwin-x64",
      "node_modules/b/node_modules/c-darwin-x64",
    ]);
  });
});

describe("the platform", () => {
  test.each<[name: string, platform: Platform]>([
    ["@press/cli-darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
    ["@press/cli-linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
    ["@press/binding-linux-riscv64-gnu", { os: ["linux"], cpu: ["riscv64"], libc: ["glibc"] }],
    ["@press/binding-linux-arm-gnueabihf", { os: ["linux"], cpu: ["arm"] }],
    ["@press/binding-linux-arm-musleabihf", { os: ["linux"], cpu: ["arm"] }],
    ["@press/binding-android-arm-eabi", { os: ["android"], cpu: ["arm"] }],
    ["@press/binding-openharmony-arm64", { os: ["openharmony"], cpu: ["arm64"] }],
    ["@press/binding-freebsd-x64", { os: ["freebsd"], cpu: ["x64"] }],
    ["@press/binding-wasm32-wasi", { cpu: ["wasm32"] }],
    ["press-win32-ia32-msvc", { os: ["win32"], cpu: ["ia32"] }],
    ["@press/linux-loong64", { os: ["linux"], cpu: ["loong64"] }],
    ["fsevents", {}],
  ])("the platform of %s is guessed from its name", (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });
});

describe("the lockfile check", () => {
  function problemsOf(lockfile: Lockfile): readonly string[] {
    return checkLockfile([sourceFile("package-lock.json", JSON.stringify(lockfile))]).map(
      ({ problem }) => problem,
    );
  }

  test("rejects a lockfile with missing entries", () => {
    expect(problemsOf(INCOMPLETE)).toEqual([
      "lacks node_modules/@press/darwin-arm64, wanted by node_modules/@press/press",
    ]);
  });

  test("reads the lockfiles of all folders", () => {
    const whole = sourceFile("package-lock.json", JSON.stringify({ packages: {} }));
    const peers = sourceFile("benchmarks/peers/package-lock.json", JSON.stringify(INCOMPLETE));
    const other = sourceFile("docs/other-package-lock.json", JSON.stringify(INCOMPLETE));
    expect(checkLockfile([whole, peers, other])).toMatchObject([{ path: peers.path }]);
  });

  test("rejects an address that is not a link inside the workspace", () => {
    const packages = {
      "node_modules/@made-up/own": { resolved: "packages/own", link: true },
      "node_modules/zest": { resolved: "https://example.org/zest.tgz" },
    };
    expect(problemsOf({ packages })).toEqual(["has an address for node_modules/zest"]);
  });

  test("rejects a tree without a lockfile", () => {
    expect(checkLockfile([])).toMatchObject([{ problem: "is missing" }]);
  });
});
