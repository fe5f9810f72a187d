import { OrthantError } from "@orthant/core";
import {
  applyPixelRepair,
  detectPixelWorld,
  openPixelSave,
  type PixelSave,
  planPixelRepair,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { type Save, verifySave } from "@orthant/save";
import { closing } from "../format/closing.ts";
import type { ExportRequest, Format, OpenConversion, WorldInfo } from "../format/format.ts";
import { formatAmount, formatBytes, formatTime } from "../format/text.ts";
import { convertTreeToPixel } from "./from-tree.ts";
import { convertPixelToPixel, type PixelTargetKind } from "./pixel-to-pixel.ts";
import { convertPixelToTree } from "./to-tree.ts";

/** A file that a conversion writes. */
interface Target {
  readonly kind: PixelTargetKind;
  /** Its name in the new folder. */
  readonly path: string;
}

const TARGETS: ReadonlyMap<string, Target> = new Map([
  ["pxsw", { kind: "version2", path: "world.pxsw" }],
  ["pxsw1", { kind: "native", path: "world.save" }],
]);

/** Pixel worlds, both versions: a world is one file. */
export const pixelWorldFormat: Format = {
  name: "pixelworld",
  title: "pixel world",
  isOneFile: true,
  targets: ["orthant", ...TARGETS.keys()],

  async detect(disk, file) {
    const found = await detectPixelWorld(disk, file);
    return found && { format: "pixelworld", dialect: found.dialect, evidence: found.path };
  },

  info: ({ disk, world }) => closing(openPixelSave(disk, world.evidence), infoOf),

  async verify({ disk, world, environment }) {
    const progress = environment.progress("verifying", "chunks");
    try {
      return await verifyPixelWorld(disk, world.evidence, { onChunk: () => progress.advance(1) });
    } finally {
      progress.end();
    }
  },

  async planRepair({ disk, world: { evidence, dialect } }) {
    const plan = await planPixelRepair(disk, evidence);
    const { chunks, bodies, carved, losses, findings } = plan;
    const found = carved.length === 0 ? "" : `, and ${carved.length} that were found without the index`;
    const kept = `${formatAmount(chunks.length, "chunk")} and ${formatAmount(bodies.length, "body", "bodies")}`;
    return {
      findings,
      facts: {
        dialect,
        chunks: chunks.length,
        bodies: bodies.length,
        carved: carved.length,
        losses: losses.map((message) => ({ what: "pixels", chunks: null, message })),
      },
      lines: [
        `keeps ${kept}${found}`,
        ...losses.map((loss) => `loss: ${loss}`),
        losses.length === 0 ? "loses nothing" : formatAmount(losses.length, "loss", "losses"),
      ],
      hasLosses: losses.length > 0,
      async apply(target) {
        await applyPixelRepair(disk, evidence, plan, target, evidence);
        await (await openPixelSave(target, evidence)).close();
      },
    };
  },

  async convert({ disk, world: { evidence, dialect = "" } }, to) {
    if (TARGETS.get(to)?.kind === dialect)
      throw new OrthantError("ORT_ARGUMENT", `"${evidence}" is ${dialect} already`);
    const save = await openPixelSave(disk, evidence);
    const common = {
      from: dialect,
      unit: "chunks",
      steps: save.chunkCount,
      close: () => save.close(),
    } as const;
    const target = TARGETS.get(to);
    if (target === undefined) {
      return {
        ...common,
        to,
        run: (made, onChunk) => convertPixelToTree(save, made, { acceptLosses: true, onChunk }),
        verify: (made) => verifySave(made),
      };
    }
    const { kind, path } = target;
    return {
      ...common,
      to: kind,
      run: (made, onChunk) =>
        convertPixelToPixel(save, kind, made && { disk: made, path }, { acceptLosses: true, onChunk }),
      verify: (made) => verifyPixelWorld(made, path),
    };
  },

  exporters: {
    pxsw: (save, request) => exportTo("pxsw", save, request),
    pxsw1: (save, request) => exportTo("pxsw1", save, request),
  },
};

function exportTo(to: "pxsw" | "pxsw1", save: Save, { standInBlock }: ExportRequest): OpenConversion {
  const { kind, path } = TARGETS.get(to) as Target;
  const options = { acceptLosses: true, standInBlock };
  return {
    from: "orthant",
    to: kind,
    unit: "chunks",
    run: (made, onChunk) =>
      convertTreeToPixel(save, kind, made && { disk: made, path }, { ...options, onChunk }),
    verify: (made) => verifyPixelWorld(made, path),
    close: () => save.close(),
  };
}

function infoOf(save: PixelSave): WorldInfo {
  const { dialect, facts, modifiedMs, generation, chunkCount, bodyCount, fileBytes, deadBytes } = save;
  const { worldSeed, createdMs, chunkEdge, layers } = facts;
  const generatorId = facts.generator?.generatorId ?? null;
  const storages = { empty: 0, delta: 0, full: 0 };
  for (const { storage } of save.chunks()) storages[storage]++;
  const { full, delta, empty } = storages;
  return {
    facts: {
      worldSeed,
      createdMs,
      lastModifiedMs: modifiedMs,
      generation,
      chunkEdge,
      layers,
      generatorId,
      chunks: chunkCount,
      storages,
      bodies: bodyCount,
      totalBytes: fileBytes,
      deadBytes,
    },
    rows: [
      ["seed", String(worldSeed)],
      ["generation", dialect === "version2" ? String(generation) : undefined],
      ["created", formatTime(createdMs)],
      ["modified", formatTime(modifiedMs)],
      ["chunks of", `${chunkEdge} x ${chunkEdge} pixels`],
      ["layers", layers.map(({ name, kept }) => (kept === 255 ? name : `${name} (bits ${kept})`)).join(", ")],
      ["generator", generatorId ?? "not said"],
      ["chunks", `${formatAmount(chunkCount, "chunk")}: ${full} full, ${delta} as changes, ${empty} empty`],
      ["bodies", String(bodyCount)],
      ["on disk", formatBytes(fileBytes)],
      ["dead", formatBytes(deadBytes)],
    ],
  };
}
