import {
  FakeTime,
  type Link,
  type LinkEnd,
  LossyNetwork,
  type NetworkConditions,
  Prng,
  RELIABLE_NETWORK,
} from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const FRAMES = 200;

/** Records what an end receives: the first byte of each frame, and -1 when the link is gone. */
function heardBy(end: LinkEnd): number[] {
  const received: number[] = [];
  end.listen({
    receive: ([first = 0]) => received.push(first),
    disconnected: () => received.push(-1),
  });
  return received;
}

function open(
  conditions: Partial<NetworkConditions>,
  seed = 1,
): { time: FakeTime; network: LossyNetwork; link: Link } {
  const time = new FakeTime();
  const network = new LossyNetwork(time, new Prng(seed), { ...RELIABLE_NETWORK, ...conditions });
  return { time, network, link: network.connect() };
}

/** Sends many frames, a millisecond apart, and returns what arrived. */
function sendMany(conditions: Partial<NetworkConditions>, seed = 1): readonly number[] {
  const { time, link } = open(conditions, seed);
  const received = heardBy(link.ends[1]);
  for (let index = 0; index < FRAMES; index++) {
    link.ends[0].send(Uint8Array.of(index));
    time.advance(1);
  }
  time.advance(10_000);
  return received;
}

const ALL = Array.from({ length: FRAMES }, (_, index) => index);

describe("a calm network", () => {
  test("delivers every frame once, in order, after its delay", () => {
    const { time, link } = open({});
    const received = heardBy(link.ends[1]);
    link.ends[0].send(Uint8Array.of(7));
    link.ends[0].send(Uint8Array.of(8));
    time.advance(4);
    expect(received).toEqual([]);
    time.advance(1);
    expect(received).toEqual([7, 8]);
    expect(sendMany({})).toEqual(ALL);
  });

  test("carries frames both ways", () => {
    const { time, link } = open({});
    const left = heardBy(link.ends[0]);
    const right = heardBy(link.ends[1]);
    link.ends[0].send(Uint8Array.of(1));
    link.ends[1].send(Uint8Array.of(2));
    time.advance(5);
    expect([left, right]).toEqual([[2], [1]]);
  });

  test("keeps the order however long each frame takes", () => {
    expect(sendMany({ delayMsMin: 0, delayMsMax: 80 })).toEqual(ALL);
  });
});

describe("a lossy network", () => {
  test("loses frames, and all of them only when set so", () => {
    const received = sendMany({ loss: 0.3 });
    expect(received.length).toBeGreaterThan(FRAMES * 0.5);
    expect(received.length).toBeLessThan(FRAMES * 0.9);
    expect(sendMany({ loss: 1 })).toEqual([]);
  });

  test("delivers some frames twice", () => {
    const received = sendMany({ duplication: 0.3 });
    expect(received.length).toBeGreaterThan(FRAMES * 1.1);
    expect([...new Set(received)]).toEqual(ALL);
  });

  test("lets frames overtake each other", () => {
    const received = sendMany({ reordering: 0.3, delayMsMax: 50 });
    expect(received).not.toEqual(ALL);
    expect([...received].sort((a, b) => a - b)).toEqual(ALL);
  });

  test("breaks links, and both ends notice once", () => {
    const { time, link } = open({ cut: 1, noticeMsMax: 100 });
    const left = heardBy(link.ends[0]);
    const right = heardBy(link.ends[1]);
    link.ends[0].send(Uint8Array.of(1));
    link.ends[1].send(Uint8Array.of(2));
    link.cut();
    time.advance(100);
    expect([left, right]).toEqual([[-1], [-1]]);
  });

  test("loses or delivers frames in flight when a link breaks", () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const { time, link } = open({ noticeMsMax: 100 }, seed);
      const received = heardBy(link.ends[1]);
      link.ends[0].send(Uint8Array.of(1));
      link.cut();
      time.advance(1_000);
      outcomes.add(received.filter((byte) => byte >= 0).join());
    }
    expect([...outcomes].sort()).toEqual(["", "1"]);
  });

  test("repeats itself for the same seed, and differs for another", () => {
    const storm = { loss: 0.2, duplication: 0.2, reordering: 0.2, delayMsMax: 60 };
    expect(sendMany(storm, 5)).toEqual(sendMany(storm, 5));
    expect(sendMany(storm, 5)).not.toEqual(sendMany(storm, 6));
  });

  test("applies the conditions at the time of sending", () => {
    const { time, network, link } = open({ loss: 1 });
    const received = heardBy(link.ends[1]);
    link.ends[0].send(Uint8Array.of(1));
    network.conditions = RELIABLE_NETWORK;
    link.ends[0].send(Uint8Array.of(2));
    time.advance(5);
    expect(received).toEqual([2]);
  });
});

describe("closing a link", () => {
  test("lets sent frames arrive first", () => {
    const { time, link } = open({ delayMsMin: 1, delayMsMax: 90 });
    const left = heardBy(link.ends[0]);
    const right = heardBy(link.ends[1]);
    for (const byte of [1, 2, 3]) link.ends[0].send(Uint8Array.of(byte));
    link.ends[0].close();
    link.ends[0].close();
    time.advance(1_000);
    expect([left, right]).toEqual([[-1], [1, 2, 3, -1]]);
  });

  test("drops what either end sends afterwards", () => {
    const { time, link } = open({});
    const left = heardBy(link.ends[0]);
    const right = heardBy(link.ends[1]);
    link.ends[0].close();
    link.ends[0].send(Uint8Array.of(1));
    link.ends[1].send(Uint8Array.of(2));
    time.advance(1_000);
    link.ends[1].send(Uint8Array.of(3));
    time.advance(1_000);
    expect([left, right]).toEqual([[-1], [-1]]);
  });
});
