import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseAst } from "vite";

/** A change of one place in a function of the built packages, which is found in the syntax tree. */
export interface CodeChange {
  /** The package and the function: `world/Class.method`, `world/Class.#method`, `world/value.method` or `world/function`. */
  readonly in: string;
  readonly place: Place;
  /** The expression to put there. A `$` in it stands for the code that was there. */
  readonly code: string;
}

/** Selects the one place in a function that a change replaces. */
export interface Place {
  /** For messages, such as `call("save")`. */
  readonly name: string;
  find(scope: Node): readonly Found[];
}

/** A node of a syntax tree, as ESTree defines it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Code that may be replaced. */
interface Found {
  readonly start: number;
  readonly end: number;
  /** The name of a shorthand property, which must come before its new value. */
  readonly label?: string;
}

/** A call of a function, with the `await` before it. The name may be the end of a path: `queue.add`. */
export function call(name: string, which?: number): Place {
  return place(`call("${name}")`, which, (node, parents) =>
    isCallOf(node, name) ? [withAwait(node, parents)] : [],
  );
}

/** An argument of a call of a function. */
export function argument(name: string, index: number): Place {
  return place(`argument("${name}", ${index})`, undefined, (node) => {
    const found = isCallOf(node, name) ? (node["arguments"] as readonly Node[])[index] : undefined;
    return found === undefined ? [] : [found];
  });
}

/** What a variable, a property or a field gets. */
export function value(name: string, which?: number): Place {
  return place(`value("${name}")`, which, (node, parents) => {
    if (node.type === "VariableDeclarator") return isNamed(node["id"], name) ? nodes(node["init"]) : [];
    if (node.type === "AssignmentExpression") return isNamed(node["left"], name) ? nodes(node["right"]) : [];
    if (node.type !== "Property" || parents.at(-1)?.type !== "ObjectExpression") return [];
    if (!isNamed(node["key"], name)) return [];
    return nodes(node["value"]).map((found) =>
      node["shorthand"] === true ? { ...found, label: `${name}: ` } : found,
    );
  });
}

/** The smallest condition, operand of `&&` or `||`, or returned value that has all of these names in it. */
export function condition(...names: readonly string[]): Place {
  const hasNames = (node: Node): boolean => {
    const found = new Set(visit(node).map(([inner]) => nameOf(inner)));
    return names.every((name) => found.has(name));
  };
  const all = place(`condition("${names.join('", "')}")`, undefined, (node) =>
    conditionsIn(node).filter(hasNames),
  );
  return {
    name: all.name,
    find(scope) {
      const found = all.find(scope);
      return found.filter((one) => !found.some((other) => other !== one && isWithin(other, one)));
    },
  };
}

/** A text. */
export function literal(text: string): Place {
  return place(`literal("${text}")`, undefined, (node) =>
    node.type === "Literal" && node["value"] === text ? [node] : [],
  );
}

/** Returns the path of the built module that has the function of a change. */
export function moduleOf({ in: path }: CodeChange): string {
  const [, name = "", first = ""] = /^([\w-]+)\/([^.]+)/.exec(path) ?? [];
  const declaration = new RegExp(`^(?:export )?(?:class|const|(?:async )?function\\*?) ${first}\\b`, "m");
  const [one, another] = builtModules(name).filter((file) => declaration.test(readFileSync(file, "utf8")));
  if (one === undefined || another !== undefined)
    throw new Error(`${first} is in ${one === undefined ? "no module" : "two modules"} of ${name}`);
  return one;
}

/** Applies changes to the source of a module. Throws unless each finds exactly one place. */
export function mutate(source: string, changes: readonly CodeChange[]): string {
  const program = parseAst(source) as unknown as Node;
  const edits = changes.map(({ in: path, place: { name, find }, code }) => {
    const [found, another] = find(functionAt(program, path.replace(/^.*\//, "")));
    if (found === undefined || another !== undefined)
      throw new Error(`${path} has ${found === undefined ? "no" : "more than one"} ${name}`);
    const { start, end, label = "" } = found;
    const replaced = code.replace(/(?<![\w$])\$(?![\w$])/g, () => `(${source.slice(start, end)})`);
    return { start, end, text: `${label}(${replaced})` };
  });
  return edits
    .sort((one, other) => other.start - one.start)
    .reduce((changed, { start, end, text }) => changed.slice(0, start) + text + changed.slice(end), source);
}

function place(
  name: string,
  which: number | undefined,
  findIn: (node: Node, parents: readonly Node[]) => readonly Found[],
): Place {
  return {
    name: which === undefined ? name : `${name}, number ${which}`,
    find(scope) {
      const found = visit(scope).flatMap(([node, parents]) => findIn(node, parents));
      return which === undefined ? found : found.slice(which - 1, which);
    },
  };
}

/** Returns a node and all nodes in it in their order, each with those around it. */
function visit(node: Node, parents: readonly Node[] = []): readonly (readonly [Node, readonly Node[]])[] {
  const around = [...parents, node];
  return [
    [node, parents],
    ...Object.values(node)
      .flatMap(nodes)
      .flatMap((inner) => visit(inner, around)),
  ];
}

function nodes(field: unknown): readonly Node[] {
  if (Array.isArray(field)) return field.flatMap(nodes);
  return typeof field === "object" && field !== null && "type" in field ? [field as Node] : [];
}

/** Finds a function by the names on the way to it. */
function functionAt(program: Node, path: string): Node {
  let scope = program;
  for (const name of path.split(".")) {
    const inner =
      scope.type === "ClassDeclaration"
        ? nodes((scope["body"] as Node)["body"])
        : visit(scope).map(([node]) => node);
    const found = inner.find(
      (node) => DECLARATIONS.has(node.type) && isNamed(node["id"] ?? node["key"], name),
    );
    if (found === undefined) throw new Error(`there is no ${path}`);
    scope = found;
  }
  return scope;
}

const DECLARATIONS = new Set([
  "ClassDeclaration",
  "FunctionDeclaration",
  "VariableDeclarator",
  "MethodDefinition",
  "Property",
]);

function conditionsIn(node: Node): readonly Node[] {
  if (node.type === "LogicalExpression")
    return node["operator"] === "??" ? [] : nodes([node["left"], node["right"]]);
  if (node.type === "ReturnStatement") return nodes(node["argument"]);
  if (node.type === "ArrowFunctionExpression") return node["expression"] === true ? nodes(node["body"]) : [];
  return nodes(node["test"]);
}

function isCallOf(node: Node, name: string): boolean {
  return (node.type === "CallExpression" || node.type === "NewExpression") && isNamed(node["callee"], name);
}

function withAwait(node: Node, parents: readonly Node[]): Node {
  const around = parents.at(-1);
  const isAround = around?.type === "ChainExpression" || around?.type === "AwaitExpression";
  return isAround ? withAwait(around, parents.slice(0, -1)) : node;
}

/** Whether a path such as `this.#queue.add` ends with a name. */
function isNamed(node: unknown, name: string): boolean {
  const path = pathOf(node as Node);
  return path === name || path.endsWith(`.${name}`);
}

function pathOf(node: Node): string {
  if (node.type === "MemberExpression")
    return `${pathOf(node["object"] as Node)}.${pathOf(node["property"] as Node)}`;
  return nameOf(node) ?? "";
}

function nameOf({ type, name }: Node): string | undefined {
  if (type === "PrivateIdentifier") return `#${String(name)}`;
  return type === "Identifier" ? String(name) : undefined;
}

function isWithin(inner: Found, outer: Found): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** Returns what the compiler made of the sources of a package: no bundles, and nothing of files that have moved since. */
function builtModules(name: string): readonly string[] {
  const folder = resolve("packages", name);
  return readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map((file) => join(folder, "dist", file.replace(/\.ts$/, ".js")));
}
