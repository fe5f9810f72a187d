import { WIRE1_DROPS, type Wire1Counts } from "@orthant/protocol";
import { Counter, Gauge, type Registry } from "prom-client";

/** Registers the metrics of Wire v1; all of them are 0 when it is disabled. */
export function registerWire1Metrics(registry: Registry, counts: () => Wire1Counts | undefined): void {
  const registers = [registry];
  new Gauge({
    name: "orthant_wire1_sessions",
    help: "Sessions of Wire v1.",
    registers,
    collect() {
      this.set(counts()?.sessions ?? 0);
    },
  });
  new Counter({
    name: "orthant_wire1_datagrams_total",
    help: "Datagrams of Wire v1 that were taken and sent.",
    labelNames: ["direction"],
    registers,
    collect() {
      this.reset();
      this.inc({ direction: "in" }, counts()?.taken ?? 0);
      this.inc({ direction: "out" }, counts()?.sentDatagrams ?? 0);
    },
  });
  new Counter({
    name: "orthant_wire1_dropped_total",
    help: "Datagrams of Wire v1 that came and had no effect, by why.",
    labelNames: ["reason"],
    registers,
    collect() {
      this.reset();
      for (const reason of WIRE1_DROPS) this.inc({ reason }, counts()?.dropped[reason] ?? 0);
    },
  });
}
