import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createProject } from "./create-project.ts";
import { withQuestions } from "./questions.ts";
import { isTemplateName, TEMPLATE_NAMES, TEMPLATES, type TemplateName } from "./templates.ts";
import { WrongInput } from "./wrong-input.ts";

const DEFAULT_FOLDER = "my-world";
const DEFAULT_TEMPLATE: TemplateName = "three";

const LIST = TEMPLATE_NAMES.map((name) => `  ${name.padEnd(9)}${TEMPLATES[name].about}`).join("\n");
const HELP = `Starts a game on Orthant in a new folder.

usage: npm create orthant@latest
       npm create orthant@latest FOLDER -- --template NAME

templates:
${LIST}

options:
  --template NAME  the template to copy; asked for without it
  --version        print the version
  --help           print this text
`;

process.exitCode = await main(process.argv.slice(2));

async function main(parameters: readonly string[]): Promise<number> {
  try {
    return await run(parameters);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`create-orthant: ${message}\n`);
    return error instanceof WrongInput ? 2 : 1;
  }
}

async function run(parameters: readonly string[]): Promise<number> {
  const { folder: givenFolder, template: givenTemplate, help, version } = parse(parameters);
  const ownVersion = readVersion();
  if (help || version) {
    process.stdout.write(help ? HELP : `${ownVersion}\n`);
    return 0;
  }
  const { folder, template } = await choose(givenFolder, givenTemplate);
  await createProject(folder, template, ownVersion);
  process.stdout.write(
    ["", `Made ${folder}. ${TEMPLATES[template].next}`, "", nextSteps(folder), ""].join("\n"),
  );
  return 0;
}

interface Choice {
  readonly folder: string;
  readonly template: TemplateName;
}

/** Asks on a terminal for what the command line leaves open. */
async function choose(folder: string | undefined, template: string | undefined): Promise<Choice> {
  if (template !== undefined)
    return { folder: folder ?? DEFAULT_FOLDER, template: requireTemplate(template) };
  if (process.stdin.isTTY !== true) {
    const command = `npm create orthant@latest ${folder ?? DEFAULT_FOLDER} -- --template NAME`;
    throw new WrongInput(`name a template: ${command}, with one of ${TEMPLATE_NAMES.join(", ")}`);
  }
  return withQuestions(async (ask) => {
    const chosen = folder ?? (await ask("Folder", DEFAULT_FOLDER));
    process.stdout.write(`\n${LIST}\n\n`);
    return { folder: chosen, template: requireTemplate(await ask("Template", DEFAULT_TEMPLATE)) };
  });
}

interface Parameters {
  readonly folder: string | undefined;
  readonly template: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
}

function parse(parameters: readonly string[]): Parameters {
  const { values, positionals } = parseOrRefuse(parameters);
  const [folder, ...others] = positionals;
  if (others.length > 0) throw new WrongInput(`one folder, not ${positionals.join(" and ")}`);
  return { folder, template: values.template, help: values.help, version: values.version };
}

function parseOrRefuse(parameters: readonly string[]) {
  try {
    return parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new WrongInput(`${(error as Error).message}. --help lists the options`);
  }
}

function requireTemplate(name: string): TemplateName {
  if (isTemplateName(name)) return name;
  throw new WrongInput(`no template named ${JSON.stringify(name)}; there are ${TEMPLATE_NAMES.join(", ")}`);
}

function readVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

function nextSteps(folder: string): string {
  const steps = [
    `cd ${folder.includes(" ") ? JSON.stringify(folder) : folder}`,
    "npm install",
    "npm run dev",
  ];
  return steps.map((step) => `  ${step}\n`).join("");
}
