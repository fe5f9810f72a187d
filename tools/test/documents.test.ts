import { describe, expect, test } from "vitest";
import { checkArchitecturePage } from "../documents/architecture-page.ts";
import { checkCampaignTotals } from "../documents/campaign-totals.ts";
import { checkCampaignsPage } from "../documents/campaigns-page.ts";
import { checkEditPath } from "../documents/edit-path.ts";
import { checkErrorTable } from "../documents/error-table.ts";
import { checkFormatRules } from "../documents/format-rules.ts";
import { checkIndexPage } from "../documents/index-page.ts";
import { checkLinks, checkPaths } from "../documents/links.ts";
import { checkNames } from "../documents/names.ts";
import { checkWorldPage } from "../documents/world-page.ts";
import type { Finding } from "../finding.ts";
import { type SourceTree, sourceFile } from "../source-tree.ts";

function treeOf(files: Readonly<Record<string, string>>): SourceTree {
  return Object.entries(files).map(([path, text]) => sourceFile(path, text));
}

function problemsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ problem }) => problem);
}

describe("the lists of campaigns and suites", () => {
  const programs = {
    "campaigns/main.ts":
      'import type { Campaign } from "./campaign.ts";\nimport { killCampaign } from "./kill.ts";\n',
    "benchmarks/main.ts":
      'import { lineOf, type Suite } from "./figure.ts";\nimport { treeLimits, treeSuite } from "./tree.ts";\n' +
      'const wire = async () => (await import("./wire.ts")).wireSuite;\n',
  };

  test("are accepted when they have a row for each", () => {
    const page =
      "| Campaign | What |\n| --- | --- |\n| `kill` | kills |\n\n| Suite | What |\n| --- | --- |\n| `tree` | reads |\n| `wire` | sends |\n";
    expect(problemsOf(checkCampaignsPage(treeOf({ ...programs, "docs/campaigns.md": page })))).toEqual([]);
  });

  test("are rejected when one is missing", () => {
    const page = "`npm run campaign -- kill` is in a sentence alone.";
    expect(problemsOf(checkCampaignsPage(treeOf({ ...programs, "docs/campaigns.md": page })))).toEqual([
      "does not list kill",
      "does not list tree",
      "does not list wire",
    ]);
  });
});

describe("the files of an edit", () => {
  const table = (...rows: readonly string[]): string =>
    rows.map((row, index) => `| ${index + 1} | [\`file.ts\`](${row} |\n`).join("");
  const files = {
    "door.ts": "export class Door {\n  knock(bell: Bell): void {}\n}\n",
    "hall.ts": 'import { Door } from "./door.ts";\nexport function enter(stairs: Stairs): void {}\n',
    "attic.ts": "class Attic implements Stairs {}\n",
  };

  test("are accepted when one leads to the next by its name or by the interface between them", () => {
    const page = table("door.ts) | rings", "hall.ts) | opens", "attic.ts) | is reached by `Stairs`");
    expect(checkEditPath(treeOf({ ...files, "ARCHITECTURE.md": page }))).toEqual([]);
  });

  test("are rejected when one is missing, or not there", () => {
    const page = table("hall.ts) | opens", "attic.ts) | is above", "cellar.ts) | is below");
    expect(problemsOf(checkEditPath(treeOf({ ...files, "ARCHITECTURE.md": page })))).toEqual([
      "lists attic.ts, to which no file above it leads",
      "lists cellar.ts, to which no file above it leads",
    ]);
  });
});

describe("the index of all pages", () => {
  test("lists every document, or the list of its folder does", () => {
    const pages = {
      "docs/README.md": "[words](words.md), [formats](formats/README.md)",
      "docs/formats/README.md": "[journal](journal.md)",
      "docs/words.md": "",
      "docs/formats/journal.md": "",
    };
    expect(checkIndexPage(treeOf(pages))).toEqual([]);
    expect(problemsOf(checkIndexPage(treeOf({ ...pages, "docs/guides/cluster.md": "" })))).toEqual([
      "does not list docs/guides/cluster.md",
    ]);
  });
});

describe("the totals of campaigns", () => {
  const program = 'import { killCampaign } from "./kill.ts";\nimport { simCampaign } from "./sim.ts";\n';
  const problemsOfPage = (page: string): readonly string[] =>
    problemsOf(
      checkCampaignTotals(treeOf({ "campaigns/main.ts": program, "docs/guides/how-we-test.md": page })),
    );
  const between = (rows: string): string =>
    `<!-- campaign totals: begin -->\n\n${rows}\n<!-- campaign totals: end -->\n`;

  test("are accepted when they have a row for each campaign", () => {
    expect(problemsOfPage(between("| `kill` | 3 |\n| `sim`  | 5 |\n"))).toEqual([]);
  });

  test("are rejected when a campaign is missing, even if another table on the page lists it", () => {
    expect(problemsOfPage(`| \`sim\` | plays |\n\n${between("| `kill` | 3 |\n")}`)).toEqual([
      "has no row for the campaign sim in its table of totals",
    ]);
  });

  test("are rejected when they have a row for a removed campaign", () => {
    expect(problemsOfPage(between("| `kill` | 3 |\n| `sim` | 5 |\n| `soak` | 1 |\n"))).toEqual([
      "has totals of soak, which is not a campaign",
    ]);
  });
});

describe("the table of errors", () => {
  const meanings = { ORT_APPLE: "the apple is rotten", ORT_PEAR: "the pear is hard" };
  const apple = "| `ORT_APPLE` | the apple is rotten | wash it |";
  const pear = "| `ORT_PEAR`  | the pear is hard    | wait |";

  function problemsOfPage(...rows: readonly string[]): readonly string[] {
    const page = ["# Errors", "| Code | Meaning | Remedy |", "| --- | --- | --- |", ...rows].join("\n");
    return problemsOf(checkErrorTable(treeOf({ "docs/reference/errors.md": page }), meanings));
  }

  test("is accepted when it matches the code", () => {
    expect(problemsOfPage(apple, pear)).toEqual([]);
  });

  test("is rejected when it lacks a code", () => {
    expect(problemsOfPage(apple)).toEqual(["lacks ORT_PEAR"]);
  });

  test("is rejected when it lists a code that does not exist", () => {
    const plum = "| `ORT_PLUM` | the plum is blue | eat it |";
    expect(problemsOfPage(apple, pear, plum)).toEqual(["lists ORT_PLUM, which does not exist"]);
  });

  test("is rejected when it lists a code twice", () => {
    expect(problemsOfPage(apple, pear, apple)).toEqual(["lists ORT_APPLE twice"]);
  });

  test("is rejected when a meaning differs from the code", () => {
    const fresh = "| `ORT_APPLE` | the apple is fresh | |";
    expect(problemsOfPage(fresh, pear)).toEqual(['gives ORT_APPLE the meaning "the apple is fresh"']);
  });

  test("must exist", () => {
    expect(problemsOf(checkErrorTable([], meanings))).toEqual(["is missing"]);
  });
});

describe("the rules of formats", () => {
  const PAGE = "docs/formats/fruit.md";
  const TEST = "packages/made-up/test/fruit.test.ts";

  function problemsWith(page: string, tests: string, testPath = TEST): readonly string[] {
    return problemsOf(checkFormatRules(treeOf({ [PAGE]: page, [testPath]: tests })));
  }

  test.each<[what: string, tests: string]>([
    ["in the title of a test", 'test("[QZ1] rejects [QZ2] this", () => {});'],
    ["together in one pair of brackets", 'test("[QZ1, QZ2] rejects this", () => {});'],
    ["in a title made by a template", "test(`[QZ1] [QZ2] rejects ${name}`, () => {});"],
    [
      "in the title of a group and in one of a test",
      'describe("[QZ1] a", () => { it("[QZ2] b", () => {}); });',
    ],
    ["in the rows of a table", 'test.each([\n  ["QZ1", 1],\n  ["QZ2", 2],\n])("[%s] rejects %s", () => {});'],
    ["in the title of a table", 'test.each<[number]>([[1], [2]])("[QZ1] [QZ2] rejects %s", () => {});'],
  ])("are accepted when tests cite them %s", (_what, tests) => {
    expect(problemsWith("- **QZ1** One.\n- **QZ2** Two.\n", tests)).toEqual([]);
  });

  test.each(["packages/testkit/src/contracts/fruit.ts", "golden/fruit.ts", "tools/test/fruit.test.ts"])(
    "may be cited in %s",
    (path) => {
      expect(problemsWith("- **QZ1** One.", 'test("[QZ1] a", () => {});', path)).toEqual([]);
    },
  );

  test.each<[what: string, tests: string]>([
    ["nothing", 'test("rejects this", () => {});'],
    ["only a comment", '// test("[QZ1] rejects this")'],
    ["only a text that is not a title", 'const title = "[QZ1] rejects this";'],
    ["only another rule whose id starts the same", 'const rule = "QZ12";'],
  ])("are rejected when %s cites them", (_what, tests) => {
    expect(problemsWith("- **QZ1** One.", tests)).toEqual(["declares QZ1, which no test cites"]);
  });

  test("are not proven by code that is not a test", () => {
    const tests = 'test("[QZ1] a", () => {});';
    expect(problemsWith("- **QZ1** One.", tests, "packages/made-up/src/fruit.ts")).toEqual([
      "declares QZ1, which no test cites",
    ]);
  });

  test.each<[where: string, tests: string]>([
    ["a title", 'test("[QZ1, QZ3] a", () => {});'],
    ["a row of a table", 'test.each([["QZ1"], ["QZ3"]])("[%s] a", () => {});'],
  ])("must be declared when %s cites them", (_where, tests) => {
    expect(problemsWith("- **QZ1** One.", tests)).toEqual([
      "cites QZ3, which no page in docs/formats declares",
    ]);
  });

  test("are not cited by a list of strings unless the title asks for it", () => {
    expect(problemsWith("", 'test.each(["QZ3"])("reads %s", () => {});')).toEqual([]);
  });

  test("are declared only once across all pages", () => {
    const tree = treeOf({
      "docs/formats/apple.md": "- **QZ1** One.",
      "docs/formats/pear.md": "\n- **QZ1** One again.",
      [TEST]: 'test("[QZ1] a", () => {});',
    });
    expect(checkFormatRules(tree)).toMatchObject([
      { path: "docs/formats/pear.md", line: 2, problem: "declares QZ1 a second time" },
    ]);
  });
});

describe("links", () => {
  const files = {
    "README.md": "# Fruit\n",
    "docs/guides/apples.md":
      "# Apples\n## How to `peel` them, *fast*\n## Twice\n## Twice\n```\n# Not a heading\n```\n",
  };

  function problemsOfLink(link: string): readonly string[] {
    return problemsOf(checkLinks(treeOf({ ...files, "docs/index.md": `# Index\n\nText ${link} text.\n` })));
  }

  test.each([
    "[a](guides/apples.md)",
    "[`code`](./guides/apples.md)",
    '[a](../README.md#fruit "Title")',
    "[a](/README.md)",
    "[a](guides/)",
    "[a](#index)",
    "[a](guides/apples.md#how-to-peel-them-fast)",
    "[a](guides/apples.md#twice-1)",
    "[a](https://example.org/nowhere.md)",
    "`[a](nowhere.md)`",
    "\n```md\n[a](nowhere.md)\n```\n",
  ])("links such as %s are accepted", (link) => {
    expect(problemsOfLink(link)).toEqual([]);
  });

  test.each<[link: string, problem: string]>([
    ["[a](nowhere.md)", "links to nowhere.md, but there is no docs/nowhere.md"],
    ["[a](guides/nowhere/)", "links to guides/nowhere/, but there is no docs/guides/nowhere"],
    ["[a](#nowhere)", "links to #nowhere, but docs/index.md has no such heading"],
    ["[a](../README.md#pears)", "links to ../README.md#pears, but README.md has no such heading"],
    [
      "[a](guides/apples.md#not-a-heading)",
      "links to guides/apples.md#not-a-heading, but docs/guides/apples.md has no such heading",
    ],
    ["\n\n[a]: nowhere.md\n", "links to nowhere.md, but there is no docs/nowhere.md"],
  ])("links such as %s are rejected", (link, problem) => {
    expect(problemsOfLink(link)).toEqual([problem]);
  });
});

describe("paths in backticks", () => {
  function problemsOfText(text: string): readonly string[] {
    const files = { "packages/made-up/src/apples.ts": "", "docs/index.md": text };
    return problemsOf(checkPaths(treeOf(files)));
  }

  test.each([
    "`packages/made-up/src/apples.ts`",
    "`packages/made-up/src/`",
    "`docs/index.md`",
    "`packages/*/src`",
    "`golden/<name>`",
    "`src/nowhere.ts`",
    "packages/nowhere",
    "\n```\n`packages/nowhere`\n```\n",
  ])("paths in backticks such as %s are accepted", (text) => {
    expect(problemsOfText(text)).toEqual([]);
  });

  test.each(["packages/nowhere/src", "packages/made-up/src/apple", "docs/nowhere.md", "tools/nowhere/"])(
    "paths in backticks such as %s are rejected when the repository lacks them",
    (path) => {
      expect(problemsOfText(`See \`${path}\`.`)).toEqual([`names ${path}, which is not in the repository`]);
    },
  );

  test("are not checked in the changelog", () => {
    expect(checkPaths(treeOf({ "CHANGELOG.md": "Removed `packages/nowhere`." }))).toEqual([]);
  });
});

describe("the architecture page", () => {
  const manifest = { "packages/made-up/package.json": '{ "name": "@orthant/made-up" }' };

  test("mentions every package", () => {
    const page = "- `@orthant/made-up` is for tests.";
    expect(checkArchitecturePage(treeOf({ ...manifest, "ARCHITECTURE.md": page }))).toEqual([]);
  });

  test("is rejected when it mentions only a package with a longer name", () => {
    const page = "- `@orthant/made-up-too` is for tests.";
    const findings = checkArchitecturePage(treeOf({ ...manifest, "ARCHITECTURE.md": page }));
    expect(problemsOf(findings)).toEqual(["does not mention @orthant/made-up"]);
  });

  test("is rejected when it is missing", () => {
    expect(problemsOf(checkArchitecturePage(treeOf(manifest)))).toEqual([
      "does not mention @orthant/made-up",
    ]);
  });
});

describe("the reference page of the world", () => {
  const sources = {
    "packages/world/src/index.ts": [
      'export { Orchard, type Row } from "./orchard.ts";',
      "export {",
      "  TREES_MAX,",
      "  type Options,",
      '} from "./options.ts";',
      'export type { Apple } from "./apple.ts";',
    ].join("\n"),
    "packages/world/src/orchard.ts": [
      "/** Trees. */",
      "export class Orchard {",
      "  readonly size: number;",
      "  readonly #trees = 1;",
      "  constructor(size: number) {",
      "    this.size = size;",
      "  }",
      "",
      "  get name(): string {",
      '    return "x";',
      "  }",
      "",
      "  async plant<Tree>(tree: Tree): Promise<void> {",
      "    wait(tree);",
      "  }",
      "",
      "  #water(): void {}",
      "}",
      "",
      "/** Private to the package. */",
      "export class Cellar {",
      "  store(): void {}",
      "}",
    ].join("\n"),
  };

  function problemsWith(page: string): readonly string[] {
    return problemsOf(checkWorldPage(treeOf({ ...sources, "docs/reference/world.md": page })));
  }

  const complete = "`Orchard` `Row` `TREES_MAX` `Options` `Apple` `size` `name` `plant(tree)`";

  test("is accepted when it mentions every export and every public member", () => {
    expect(problemsWith(complete)).toEqual([]);
  });

  test.each(["Orchard", "Row", "TREES_MAX", "Options", "Apple"])(
    "is rejected when it lacks an export such as %s",
    (name) => {
      expect(problemsWith(complete.replace(`\`${name}\``, name))).toContain(`does not mention ${name}`);
    },
  );

  test.each(["size", "name", "plant"])("is rejected when it lacks a member of a class such as %s", (name) => {
    expect(problemsWith(complete.replace(name, "x"))).toEqual([`does not mention Orchard.${name}`]);
  });

  test("must exist", () => {
    expect(problemsOf(checkWorldPage(treeOf(sources)))).toEqual(["is missing"]);
  });
});

describe("names in documents, comments and messages", () => {
  const code = "export function openSave(saveId: string): void {}\n";

  function problemsWith(files: Readonly<Record<string, string>>): readonly string[] {
    return problemsOf(checkNames(treeOf({ "packages/x/src/open.ts": code, ...files })));
  }

  test("are found in a page that names a removed function or option", () => {
    expect(
      problemsWith({ "docs/a.md": "Call `openSave(saveId)`; `upgradeSave` and `SAVE_MAX` are gone." }),
    ).toEqual(["names upgradeSave, which is not in the code", "names SAVE_MAX, which is not in the code"]);
  });

  test("are found in an error message and a comment that name a removed function", () => {
    const text = '/** As `oldOpen`. */\nthrow new Error("only read; upgradeSave makes a new file");\n';
    expect(problemsWith({ "packages/x/src/a.ts": text })).toEqual([
      "names oldOpen, which is not in the code",
      "names upgradeSave, which is not in the code",
    ]);
  });

  test("are accepted in code blocks, in whole strings, from other programs and in the changelog", () => {
    expect(
      problemsWith({
        "docs/a.md":
          "```sh\nNATS_PASSWORD=1\n```\n\nSet `NATS_PASSWORD`; `flatFloor` is a kind, `styleText` is Node's.",
        "packages/x/src/a.ts": 'const kind = "flatFloor";\n',
        "CHANGELOG.md": "`oldOpen` is gone.",
      }),
    ).toEqual([]);
  });

  test("are found where a page gives a class or an interface a member that it does not have", () => {
    const declared = `export class Orchard<D> extends Field {
  readonly #rows = 1;
  static async open<T>(path: T): Promise<Orchard> {
    plantTree(path);
  }
  get rowCount(): number { return this.fields.mowAll(this.#rows); }
}
export abstract class Meadow {}
interface Fields extends Meadow, Pick<Options, "a"> {
  readonly grassHeight?: number;
  mowAll(rows: number): void;
}
export class Field implements Fields {
  isMown = false;
}
`;
    const files = { "packages/x/src/orchard.ts": declared, "packages/y/src/call.ts": "plantTree; mowAll;\n" };
    const page = "`Orchard.open(path)`, `Orchard.rowCount`, `Orchard.isMown`, `Fields.mowAll`, `Math.floor`";
    expect(problemsWith({ ...files, "docs/a.md": `${page}, \`Field.isMown\`.` })).toEqual([]);
    expect(
      problemsWith({
        ...files,
        "docs/a.md": "`Orchard.plantTree`, `Fields.rowCount`, `Field.path` and `Fields.isMown`.",
      }),
    ).toEqual([
      "names Orchard.plantTree, which is not in the code",
      "names Fields.rowCount, which is not in the code",
      "names Field.path, which is not in the code",
      "names Fields.isMown, which is not in the code",
    ]);
  });

  test("do not count as code when only a test has them", () => {
    expect(
      problemsWith({ "docs/a.md": "Call `upgradeSave`.", "packages/x/test/a.test.ts": "upgradeSave();" }),
    ).toEqual(["names upgradeSave, which is not in the code"]);
  });
});
