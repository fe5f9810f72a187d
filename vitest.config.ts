import { defineConfig } from "vitest/config";
import { SummaryReporter } from "./tools/summary-reporter.ts";

// Tests run from the sources of the workspace packages, so that they see a change without a build.
const conditions = ["@orthant/source", "module", "node", "development"];

/** Packages whose tests change nothing that other tests see, so that files of one worker may share loaded modules. */
const SHARED =
  "packages/{cli,client,cluster,core,formats,mesh,orthant,protocol,save,server,world}/test/**/*.test.ts";
/**
 * Tests that take long, for `npm run check` alone: power cuts, killed processes and simulations, which also run as short
 * campaigns, whole games in a browser, clusters with faults, guides followed word by word, and cases by the thousand.
 */
const LONG = [
  "campaigns/{journal,light,steps,save-crash,save-repair,sim,cluster-sim,model,rot,compaction,pxsw-crash,marsminer-crash,trades,operations}.test.ts",
  "campaigns/cluster/{guide-cluster,nats-faults,killed-midway}.test.ts",
  "examples/test/{created-pages,starters,survival-page}.test.ts",
  "examples/village/test/village.test.ts",
  "packages/cli/test/{beside-a-writer,cluster,import-resume,sessions}.test.ts",
  "packages/core/test/chunk/canonical-form.test.ts",
  "packages/disk/test/opfs-disk.test.ts",
  "packages/formats/test/marsminer/convert.test.ts",
  "packages/pixel-world/test/{stale-writer,stopped-process}.test.ts",
  "packages/protocol/test/wire1/abuse.test.ts",
  "packages/three/test/view/{scenes,world-view}.test.ts",
  "packages/viewer/test/{dropped-saves,mounted-viewer}.test.ts",
  "packages/world/test/{blocks-power-cuts,browser-power-cuts,change-generator,edit-origins,journal-model,model,original-problems,stale-writer,stopped-process,upgrade}.test.ts",
];
const OTHERS = ["packages/*/test/**/*.test.ts", "{benchmarks,campaigns,examples,golden,tools}/**/*.test.ts"];
const GENERATED = "**/{node_modules,build,dist}/**";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["dot", new SummaryReporter()],
    testTimeout: 60_000,
    setupFiles: ["./tools/unclosed-files.ts"],
    pool: "threads",
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "shared", include: [SHARED], exclude: LONG, isolate: false } },
      { extends: true, test: { name: "long", include: LONG } },
      {
        extends: true,
        test: { name: "isolated", include: OTHERS, exclude: [GENERATED, SHARED, ...LONG] },
      },
    ],
  },
});
