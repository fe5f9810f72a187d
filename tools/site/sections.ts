/** A part of the site, with its own list of pages. */
export interface Section {
  readonly title: string;
  readonly groups: readonly Group[];
}

interface Group {
  readonly title: string;
  /**
   * Files of the repository, in the order of the list. `folder/*` stands for all pages of a folder that no other group
   * names, so that a new page is never missing.
   */
  readonly files: readonly string[];
}

/** The first page of the site. */
export const START_FILE = "README.md";

/** The order of everything on the site. */
export const SECTIONS: readonly Section[] = [
  {
    title: "Guides",
    groups: [
      {
        title: "Start",
        files: [
          "docs/README.md",
          "docs/guides/first-game.md",
          "docs/guides/first-world.md",
          "docs/guides/view-a-world.md",
          "docs/guides/build.md",
          "docs/guides/embed-a-world.md",
          "docs/words.md",
        ],
      },
      {
        title: "Make a game",
        files: [
          "docs/guides/write-a-generator.md",
          "docs/guides/improve-your-generator.md",
          "docs/guides/cookbook.md",
          "docs/guides/save-things-of-your-game.md",
          "docs/guides/simulate-a-world.md",
          "docs/guides/make-it-look-like-yours.md",
          "docs/guides/draw-it-yourself.md",
          "docs/guides/worlds-in-the-browser.md",
          "docs/guides/pixel-world.md",
        ],
      },
      {
        title: "Play together",
        files: [
          "docs/guides/share-a-world.md",
          "docs/guides/move-players.md",
          "docs/guides/write-a-client.md",
          "docs/guides/wire-v1-players.md",
        ],
      },
      {
        title: "Bring worlds in and out",
        files: [
          "docs/guides/bring-your-world.md",
          "docs/guides/take-your-world-elsewhere.md",
          "docs/guides/old-worlds.md",
        ],
      },
      { title: "More", files: ["docs/guides/*"] },
      { title: "Starters", files: ["examples/README.md", "examples/*"] },
    ],
  },
  {
    title: "Reference",
    groups: [
      { title: "Look up", files: ["docs/reference/cli.md", "docs/reference/errors.md"] },
      {
        title: "By topic",
        files: [
          "docs/reference/world.md",
          "docs/reference/blocks.md",
          "docs/reference/operations.md",
          "docs/reference/looks.md",
          "docs/reference/three.md",
          "docs/reference/three-page.md",
          "docs/reference/generators.md",
          "docs/reference/client.md",
          "docs/reference/server.md",
          "docs/reference/limits.md",
          "docs/reference/*",
        ],
      },
      { title: "Packages", files: ["packages/orthant/README.md", "packages/*"] },
    ],
  },
  {
    title: "Formats",
    groups: [
      {
        title: "Files and messages",
        files: [
          "docs/formats/README.md",
          "docs/formats/base-encoding.md",
          "docs/formats/polychora-save.md",
          "docs/formats/journal.md",
          "docs/formats/protocol.md",
          "docs/formats/*",
        ],
      },
    ],
  },
  {
    title: "Operations",
    groups: [
      {
        title: "Run it",
        files: [
          "docs/guides/run-a-server.md",
          "docs/guides/containers.md",
          "docs/guides/cluster.md",
          "docs/guides/recover-a-damaged-save.md",
        ],
      },
      { title: "Files to copy", files: ["docs/operations/*"] },
    ],
  },
  {
    title: "Decisions",
    groups: [{ title: "Why it is like this", files: ["docs/decisions/README.md", "docs/decisions/*"] }],
  },
  {
    title: "Project",
    groups: [
      { title: "Versions", files: ["CHANGELOG.md", "docs/releases.md"] },
      {
        title: "How good it is",
        files: ["docs/benchmarks.md", "docs/scale.md", "docs/guides/how-we-test.md", "SECURITY.md"],
      },
      { title: "Change it", files: ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*"] },
    ],
  },
];
