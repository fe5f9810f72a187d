import { connectBackbone, NATS_NOTES, NATS_OPTIONS } from "../cluster/nats-options.ts";
import { type Arguments, type Command, dashed } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { EXIT, UsageError } from "../command/usage.ts";

/** The actions, and the options that only they accept. */
const OPTIONS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["create", ["shards"]],
  ["status", []],
  ["move", ["to"]],
  ["split", ["box", "as"]],
  ["drain", ["force"]],
  ["backup", ["shards"]],
  ["restore", ["shards"]],
  ["back-to-one", ["shards", "savesOnly"]],
]);

/** The argument after the world's name. */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ["create", "the folder of a world"],
  ["move", "a shard"],
  ["split", "a shard"],
  ["drain", "a node"],
  ["backup", "a new folder"],
  ["restore", "the folder of a backup"],
  ["back-to-one", "a new folder"],
]);

/** `orthant cluster`. */
export const clusterCommand: Command = {
  name: "cluster",
  summary: "Manage a clustered world",
  details: [
    "create copies a world into a cluster; status shows shards and nodes;",
    "move gives a shard to another node, and split turns a part of a shard into a new one, both while players build;",
    "drain moves all shards of a node to other nodes, before you stop it;",
    "backup copies all shards, also while players build; restore replaces the world by a backup, and back-to-one writes it",
    "as a single world: stop all owners and gateways before these two.",
  ].join(" "),
  arguments: [
    { name: "<action>", description: "what to do", choices: [...OPTIONS_OF.keys()] },
    { name: "<world>", description: "its name in the cluster: a-z, 0-9 and -" },
    { name: "[target]", description: "move, split: a shard; drain: a node; others: a folder" },
  ],
  usesGenerators: true,
  options: [
    { flags: "--shards <folder>", description: "the folder that all owners share, for actions on folders" },
    { flags: "--to <node>", description: "move: the new owner (default: the node with the fewest shards)" },
    { flags: "--box <box>", description: "split: voxels; every sector that they touch moves" },
    { flags: "--as <name>", description: "split: name of the new shard" },
    { flags: "--force", description: "drain: even if no other node can take the shards" },
    {
      flags: "--saves-only",
      description: "back-to-one: without NATS, as of the last saves; also for a backup",
    },
    ...NATS_OPTIONS,
  ],
  notes: NATS_NOTES,
  examples: [
    "orthant cluster create town my-world --shards /srv/orthant",
    "orthant cluster status town --nats tls://a.example.org:4222",
    "orthant cluster move town 0 --to b",
    "orthant cluster split town 0 --box 0,-512,0..1024,512,1024 --as east",
    "orthant cluster drain town a",
    "orthant cluster backup town backups/monday --shards /srv/orthant",
    "orthant cluster restore town backups/monday --shards /srv/orthant",
    "orthant cluster back-to-one town my-world --shards /srv/orthant",
  ],

  async run(args, context) {
    const [name, world] = [args.at(0), args.at(1)];
    requireFitting(name, args);
    const { act, actAlone, requireClusterName } = await import("../cluster/actions.ts");
    requireClusterName(args, 1, "world");
    if (await actAlone(name, args, context)) return EXIT.ok;
    const backbone = await connectBackbone(args, context, roleFor(name), `orthant cluster ${name} ${world}`);
    try {
      await untilEnding(act(name, backbone, args, context), context);
    } finally {
      await backbone.close();
    }
    return EXIT.ok;
  },
};

/** These two write what only owners may write. */
function roleFor(name: string): "owner" | "operator" {
  return name === "restore" || name === "back-to-one" ? "owner" : "operator";
}

/** Rejects options that the action does not use, because they are likely mistakes. */
function requireFitting(name: string, args: Arguments): void {
  const target = TARGETS.get(name);
  if (target === undefined && args.at(2) !== "") throw new UsageError(`${name} takes only a world`);
  if (target !== undefined && args.at(2) === "")
    throw new UsageError(`${name} needs ${target} after the world`);
  for (const [other, options] of OPTIONS_OF) {
    const stray = options.find(
      (option) =>
        !OPTIONS_OF.get(name)?.includes(option) && (args.text(option) !== undefined || args.has(option)),
    );
    if (stray !== undefined) throw new UsageError(`--${dashed(stray)} is for ${other}, not for ${name}`);
  }
}

/** A node that received a command continues with it, even if the user stops waiting. */
async function untilEnding(work: Promise<void>, context: Context): Promise<void> {
  const ending = context.whenEnding().then(() => Promise.reject(new Error("interrupted")));
  await Promise.race([work, ending]);
}
