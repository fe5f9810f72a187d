import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import {
  type Backbone,
  ClusterGateway,
  ClusterNode,
  createClusterWorld,
  DiskFolders,
  FIRST_SHARD,
  ShardFolders,
} from "@orthant/cluster";
import {
  heartbeatKey,
  leaseKey,
  mapKey,
  natsNames,
  ownerAddress,
  ownerAnswerCodec,
  ownerRequestCodec,
  subjectsOf,
} from "@orthant/cluster/internal";
import { systemTime } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { HOSTILE_KINDS, hostileRequest } from "@orthant/testkit/cluster";
import { createWorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GUIDE_USERS, GuideNats } from "./guide-nats.ts";
import { waitUntil } from "./waiting.ts";

const START_MS = 120_000;
const WORLD = "town";
const { GATEWAY_API, JETSTREAM_API, TABLE_FEED_PREFIX, TABLE_STREAM } = natsNames;
const JOURNAL = natsNames.journalStream(WORLD, FIRST_SHARD);

/** The subjects that names.ts makes, by the name of its export, as a process of the cluster uses them. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  journalSubject: [natsNames.journalSubject(WORLD, FIRST_SHARD, { kind: "control" })],
  journalPrefix: [`${natsNames.journalPrefix(WORLD, FIRST_SHARD)}0_0_0_0.0_0_0_0`],
  feedPrefix: [`${natsNames.feedPrefix(WORLD, FIRST_SHARD)}0_0_0_0.0_0_0_0`],
  sectorFeed: [natsNames.sectorFeed(WORLD, "0_0_0_0").replaceAll("*", "0_0_0_0")],
  TABLE_PREFIX: [`${natsNames.TABLE_PREFIX}${leaseKey(WORLD, FIRST_SHARD)}`],
  tableSubject: [mapKey(WORLD), leaseKey(WORLD, FIRST_SHARD), heartbeatKey(WORLD, "a")].map(
    natsNames.tableSubject,
  ),
  TABLE_FEED_PREFIX: [`${TABLE_FEED_PREFIX}${leaseKey(WORLD, FIRST_SHARD)}`],
  TABLE_STREAM: apiSubjects(TABLE_STREAM),
  journalStream: apiSubjects(JOURNAL),
  JOURNAL_STREAM_PREFIX: apiSubjects(`${natsNames.JOURNAL_STREAM_PREFIX}other_0`),
  JETSTREAM_API: [`${JETSTREAM_API}.INFO`, `${JETSTREAM_API}.STREAM.NAMES`],
  GATEWAY_API: [`${GATEWAY_API}.STREAM.DELETE.${TABLE_STREAM}`, `${GATEWAY_API}.STREAM.INFO.${JOURNAL}`],
  addressSubject: [natsNames.addressSubject(`n.${WORLD}.a`)],
  topicSubject: [natsNames.topicSubject("other")],
  inboxPrefix: ["owner", "operator", "gateway-b"].map((user) => `${natsNames.inboxPrefix(user)}.x`),
  LEADER_ELECTED: [natsNames.LEADER_ELECTED + JOURNAL],
  SERVER_SETTINGS_SUBJECT: [`${natsNames.SERVER_SETTINGS_SUBJECT}.other`, "$SYS.REQ.SERVER.PING.JSZ"],
};
/** Exports of names.ts that make no subject. */
const READERS = ["readJournalSubject", "readTableKey", "isInbox"];

function apiSubjects(stream: string): readonly string[] {
  const requests = [
    "CREATE",
    "UPDATE",
    "PURGE",
    "DELETE",
    "INFO",
    "MSG.GET",
    "MSG.DELETE",
    "SNAPSHOT",
    "RESTORE",
  ];
  return [
    ...requests.map((request) => `${JETSTREAM_API}.STREAM.${request}.${stream}`),
    `${JETSTREAM_API}.DIRECT.GET.${stream}`,
    `${JETSTREAM_API}.CONSUMER.CREATE.${stream}`,
  ];
}

describe("the credential of a gateway in other hands", () => {
  const refused = new Set<string>();
  const lost: unknown[] = [];
  let folder = "";
  let nats: GuideNats;
  let backbones: readonly Backbone[] = [];
  let node: ClusterNode;
  let gateway: ClusterGateway;
  let thief: NatsConnection;
  let edits = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "orthant-stolen-"));
    nats = await GuideNats.start(folder);
    const owner = await nats.connect("owner", GUIDE_USERS.owner);
    const honest = await nats.connect("gateway", GUIDE_USERS.gatewayB);
    backbones = [owner, honest];
    const source = new MemoryDisk();
    await (await createWorldEngine(source, { name: "Town" })).close();
    const folders = new ShardFolders(new DiskFolders(new NodeDisk(folder)), WORLD);
    await createClusterWorld({ backbone: owner, folders, world: WORLD, source, random: systemRandomBits });
    const shared = { time: systemTime, generators: DEFAULT_GENERATORS, world: WORLD };
    node = new ClusterNode({
      ...{ ...shared, backbone: owner, folders, node: "a", random: systemRandomBits },
      events: { onLost: (_shard, error) => lost.push(error), onForeign: (_shard, error) => lost.push(error) },
    });
    await node.start();
    gateway = await ClusterGateway.open({ ...shared, backbone: honest });
    const { user, password: pass } = GUIDE_USERS.gatewayA;
    thief = await connect({
      ...{ servers: [...nats.cluster.urls], user, pass, inboxPrefix: natsNames.inboxPrefix(user) },
      tls: { caFile: nats.caFile },
    });
    void collectRefusals(thief, refused);
    await build();
  }, START_MS);

  afterAll(async () => {
    await thief.close();
    gateway.close();
    await node.stop();
    for (const backbone of backbones) await backbone.close();
    await nats.dispose();
    rmSync(folder, { recursive: true });
  });

  /** Makes an edit through the honest gateway, and checks that it is made. */
  async function build(): Promise<void> {
    const edit = { kind: "voxels", placements: [{ voxel: [1, 2, 3, 0], block: 1 + (edits % 2) }] } as const;
    const { status } = await gateway.world.edit(edit, { clientId: 5n, editId: ++edits });
    expect(status).toBe("applied");
    expect(lost).toEqual([]);
  }

  test(
    "is refused every subject that only other roles use, to publish and to subscribe",
    async () => {
      expect([...Object.keys(SUBJECTS), ...READERS].sort()).toEqual(Object.keys(natsNames).sort());
      const forbidden = [...new Set(Object.values(SUBJECTS).flat())];
      for (const subject of forbidden) thief.publish(subject, "x");
      const own = subjectsOf("gateway", GATEWAY_API, GUIDE_USERS.gatewayA.user);
      const others = [
        ...subjectsOf("owner", JETSTREAM_API, GUIDE_USERS.owner.user),
        ...subjectsOf("operator", JETSTREAM_API, GUIDE_USERS.operator.user),
        ...subjectsOf("gateway", GATEWAY_API, GUIDE_USERS.gatewayB.user),
      ].filter(({ action, family }) => !own.some((use) => use.action === action && use.family === family));
      const heard = [
        ...new Set(others.flatMap(({ action, family }) => (action === "subscribe" ? [family] : []))),
      ];
      for (const subject of [...heard, ">", "_INBOX.>", "j.>", "$KV.>"])
        thief.subscribe(subject, { callback: () => undefined });
      for (const { action, probe } of others) if (action === "publish") thief.publish(probe, "x");
      await thief.flush();
      await waitUntil(() => refused.size >= forbidden.length, "the servers refuse what is forbidden");
      expect(forbidden.filter((subject) => !refused.has(`publish ${subject}`))).toEqual([]);
      expect(heard.length).toBeGreaterThan(2);
      expect(heard.filter((subject) => !refused.has(`subscription ${subject}`))).toEqual([]);
      const sent = others.filter(({ action }) => action === "publish");
      expect(sent.filter(({ probe }) => !refused.has(`publish ${probe}`))).toEqual([]);
      await build();
    },
    START_MS,
  );

  test(
    "does not let a process start in another role, and the error names what is missing",
    async () => {
      const { owner, gatewayA } = GUIDE_USERS;
      await expect(nats.connect("owner", gatewayA)).rejects.toThrow(
        /ORT_BACKBONE_PERMISSION: .*user gateway-a .*role owner.*publish "j\.>".*publish "\$KV\.orthant\.>".*subscribe "a\.i\.>"/,
      );
      await expect(nats.connect("gateway", owner)).rejects.toThrow(
        /user owner .*role gateway.*publish "t\.p\.>"/,
      );
    },
    START_MS,
  );

  test(
    "cannot have an answer written to a journal or to the table",
    async () => {
      const before = await stored();
      const term = node.shards.get(FIRST_SHARD)?.term ?? 0;
      const permitted = [
        natsNames.addressSubject(ownerAddress(WORLD, FIRST_SHARD, term)),
        ...["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET"].map(
          (name) => `${GATEWAY_API}.${name}.${TABLE_STREAM}`,
        ),
        natsNames.SERVER_SETTINGS_SUBJECT,
      ];
      const targets = ["journalSubject", "journalPrefix", "tableSubject", "feedPrefix", "TABLE_FEED_PREFIX"];
      const requests = [JSON.stringify({ last_by_subj: `$KV.orthant.${leaseKey(WORLD, FIRST_SHARD)}` }), "x"];
      for (const subject of permitted)
        for (const reply of targets.flatMap((target) => SUBJECTS[target] ?? []))
          for (const request of requests) thief.publish(subject, request, { reply });
      await thief.flush();
      await build();
      const after = await stored();
      // Nothing but the edit above, and heartbeats.
      expect(after.journal - before.journal).toBe(1);
      expect(after.keys).toEqual(before.keys);
      expect(node.shards.get(FIRST_SHARD)?.term).toBe(term);
    },
    START_MS,
  );

  test(
    "does not stop an owner or another gateway by what it may send",
    async () => {
      const term = node.shards.get(FIRST_SHARD)?.term ?? 0;
      const address = natsNames.addressSubject(ownerAddress(WORLD, FIRST_SHARD, term));
      const topic = natsNames.topicSubject(`p.${WORLD}.0_0_0_0`);
      const release = gateway.world.keep({ min: [0, 0, 0, 0], max: [1, 1, 1, 1] });
      for (let size = 0; size < 400; size++) {
        for (const kind of [0, 1, 2, 3, 4]) {
          const bytes = Buffer.concat([Buffer.from([kind]), randomBytes(size)]);
          thief.publish(address, bytes, { reply: `${natsNames.inboxPrefix(GUIDE_USERS.gatewayA.user)}.x` });
          thief.publish(topic, bytes);
        }
      }
      thief.publish(address, new Uint8Array(1_900_000));
      await thief.flush();
      await build();
      release();
      expect(node.shards.get(FIRST_SHARD)?.term).toBe(term);
    },
    START_MS,
  );

  test.each(HOSTILE_KINDS)(
    "[K71] does not stop an owner by requests with extreme boxes, counts and ids: %s",
    async (kind) => {
      const term = node.shards.get(FIRST_SHARD)?.term ?? 0;
      const address = natsNames.addressSubject(ownerAddress(WORLD, FIRST_SHARD, term));
      for (let seed = 100; seed < 110; seed++) {
        const asked = hostileRequest(new Prng(seed), kind);
        const answered = thief.request(address, asked, { timeout: 10_000 });
        await build();
        await answered;
      }
      expect(node.shards.get(FIRST_SHARD)?.term).toBe(term);
    },
    START_MS,
  );

  test(
    "[K71] is refused a fill of a million million regions at once",
    async () => {
      const term = node.shards.get(FIRST_SHARD)?.term ?? 0;
      const box = { min: [-1e8, -1e8, -1e8, 0], max: [-1, -1, -1, 1] } as const;
      const edits = [
        { clientId: 9n, editId: 1, isRepeat: false, edit: { kind: "fill", box, block: 3 } },
      ] as const;
      const request = encode(ownerRequestCodec, { kind: "edits", edits });
      expect(request.length).toBeLessThan(40);
      const address = natsNames.addressSubject(ownerAddress(WORLD, FIRST_SHARD, term));
      const { data } = await thief.request(address, request, { timeout: 2_000 });
      expect(decode(ownerAnswerCodec(4_096), data)).toEqual({
        kind: "edits",
        outcomes: [{ kind: "rejected", code: "ORT_LIMIT" }],
      });
      await build();
      expect(node.shards.get(FIRST_SHARD)?.term).toBe(term);
    },
    START_MS,
  );

  /** Returns what the streams have, except for heartbeats. */
  async function stored(): Promise<{ readonly journal: number; readonly keys: readonly string[] }> {
    const { user, password: pass } = GUIDE_USERS.operator;
    const connection = await connect({
      ...{ servers: [...nats.cluster.urls], user, pass, inboxPrefix: natsNames.inboxPrefix(user) },
      tls: { caFile: nats.caFile },
    });
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    const journal = (await streams.info(JOURNAL)).state.last_seq;
    const table = await streams.info(TABLE_STREAM, { subjects_filter: ">" });
    const keys: string[] = [];
    for (const subject of Object.keys(table.state.subjects ?? {}).sort()) {
      const message = await streams.getMessage(TABLE_STREAM, { last_by_subj: subject });
      const isHeartbeat = subject.includes(".beat.");
      keys.push(`${subject} ${isHeartbeat ? "" : Buffer.from(message?.data ?? []).toString("hex")}`);
    }
    await connection.close();
    return { journal, keys };
  }
});

async function collectRefusals(connection: NatsConnection, refused: Set<string>): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === "error" && status.error instanceof errors.PermissionViolationError)
      refused.add(`${status.error.operation} ${status.error.subject}`);
  }
}
