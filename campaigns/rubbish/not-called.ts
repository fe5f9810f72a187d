/**
 * Entries below those that people call, whose arguments the entries above them check: a program that imports one of these
 * is a package of Orthant, or an importer that passes on what it has read.
 */
export const INNER_ENTRIES: Readonly<Record<string, string>> = {
  "@orthant/core/arguments": "the checks themselves",
  "@orthant/core/bytes": "codecs; the values that they write come from checked calls",
  "@orthant/core/chunk": "codecs and differences of chunks; World and ClientWorld check every argument",
  "@orthant/core/lattice": "boxes of four axes; World and ClientWorld convert every argument",
  "@orthant/core/light": "the light of chunks in memory, below World and ClientWorld",
  "@orthant/core/time": "waits and rates of the other packages",
  "@orthant/core/tree": "trees, patches and regions; World and ClientWorld check every argument",
  "@orthant/core/world": "what World and ClientWorld share below their checks",
  "@orthant/client/replica": "the world of a client with four axes, below ClientWorld",
  "@orthant/disk/files": "files of saves, below every function that takes a Disk",
  "@orthant/formats/imports": "formats for the commands, as in FOREIGN_FORMATS; they check their arguments",
  "@orthant/mesh/volume": "the mesher of the viewer, below buildMesh",
  "@orthant/pixel-world/lz4": "blocks of LZ4, below pixel worlds and importers",
  "@orthant/protocol": "what both ends of the protocol share, below the server and the client",
  "@orthant/protocol/client": "the client's end, below ClientWorld",
  "@orthant/protocol/server": "the server's end, below OrthantServer",
  "@orthant/protocol/wire1": "Wire v1, below the server",
  "@orthant/save/content": "values that a save stores, below World and the importers",
  "@orthant/save/files": "files of a save, below openSave and the importers",
  "@orthant/save/journal": "the journal of an open world, below World",
  "@orthant/world/engine": "an open world with four axes, below World",
};

/** Entries for pages, most of which only a browser can load; tests in a real browser call them. */
export const BROWSER_ENTRIES: ReadonlySet<string> = new Set([
  "@orthant/client/browser",
  "@orthant/disk/browser",
  "@orthant/server/worker",
  "@orthant/three",
  "@orthant/three/page",
  "@orthant/worker-pool/browser",
  "@orthant/viewer",
  "@orthant/viewer/worker",
  "@orthant/viewer/world-worker.js",
  "orthant/client",
  "orthant/worker",
]);

/** Entries for operators: their input is a command line, which the commands check, or the settings of a cluster. */
export const OPERATOR_ENTRIES: ReadonlySet<string> = new Set([
  "@orthant/cluster",
  "@orthant/cluster/nats",
  "@orthant/viewer/node",
  "@orthant/cli",
  "orthant/command-line",
]);

/** Public names that are not called with rubbish, each for the reason above it. */
export const NOT_CALLED: ReadonlySet<string> = new Set([
  // Only a function of the package creates one: createWorld, snapshot, connect, createServer and so on.
  "new World",
  "new WorldHistory",
  "new WorldSnapshot",
  "new Simulation",
  "new Transaction",
  "new Clipboard",
  // Below world.apply and world.clipboard, which check every argument.
  "new CachedVoxels",
  "CachedVoxels.forget",
  "CachedVoxels.block",
  "CachedVoxels.data",
  "placeInBox",
  "plannedChunk",
  "positionBefore",
  "prepareOperation",
  "prepareSelection",
  "turnIn",
  "turnedExtents",
  "turnedProperties",
  "new TransactionStore",
  "World.shownTransaction",
  "new KeyValueStore",
  "new KeyValueView",
  "new ClientWorld",
  "new PredictedPlayer",
  "new OrthantServer",
  "new PixelWorld",
  "new PixelSaveHandle",
  "new PixelSaveWriter",
  "new Version1Writer",
  // A program makes one with texts of its own; the type of each is not checked again.
  "new OrthantError",
  // Below exportBox, for the command line, which checks what it passes.
  "exportVoxels",
  "countEntities",
  // They end a stage, and every stage calls them.
  "World.close",
  "WorldSnapshot.close",
  "ClientWorld.close",
  "OrthantServer.close",
  "PixelWorld.close",
  // Tools of importers, which only write what they have read and checked.
  "PixelSaveWriter.addPixels",
  "PixelSaveWriter.addChunk",
  "PixelSaveWriter.addEncoded",
  "PixelSaveWriter.addBody",
  "PixelSaveWriter.addBodyRecord",
  "PixelSaveWriter.finish",
  "PixelSaveWriter.complete",
  "PixelSaveWriter.publish",
  "PixelSaveWriter.close",
  "Version1Writer.addChunk",
  "Version1Writer.addPayload",
  "Version1Writer.addBody",
  "Version1Writer.finish",
  "Version1Writer.close",
  "new Save",
  "new BulkSaveWriter",
  "BulkSaveWriter.add",
  "BulkSaveWriter.write",
  "BulkSaveWriter.checkpoint",
  "encodeBulkLeaves",
  "BulkSaveWriter.finish",
  "BulkSaveWriter.close",
  "createSave",
  "resumeSave",
  "plainDescription",
  "catalogOf",
  "chunkOfEntity",
  "importTileSave",
  "writeTileSave",
  "octreeOfBoxes",
  // They take what the save itself returned: leaves of its index, stored chunks, findings and states.
  "Save.readStored",
  "Save.readStoredOf",
  "Save.readChunks",
  "Save.readEntities",
  "Save.storePages",
  "Save.readStorePage",
  "Save.storeEntries",
  "Save.realize",
  "Save.share",
  "Save.close",
  "isWhole",
  "requireSave",
  "requireRegistry",
  "requirePixelGenerator",
  "MarsMinerSave.readChunk",
  "MarsMinerSave.readState",
  "MarsMinerSave.close",
  "new MarsMinerSave",
  "RegionFile.readColumn",
  "RegionFile.close",
  "RegionFile.withNewFindings",
  "new RegionFile",
  "new NbtCompound",
  "new ColumnSection",
  "visitVoxels",
  "tiledTileOf",
  // Only old saves are flat, and no program writes one for a test to open.
  "convertFlatSave",
  // The commands and the viewer call it with a format that has detected its world.
  "convertToMemory",
  // They write the texts of the command line from what it has read.
  "describeGenerator",
  "describeSaveRepair",
  "generatorInfo",
  "generatorInfoOf",
  "formatAmount",
  "formatBox",
  "formatBytes",
  "formatCount",
  "formatPosition",
  "formatTime",
  // The same as connect, for the packages of Orthant; connect calls it.
  "connectReplica",
  // It reads a recording that a server has written.
  "replayWire1InWorld",
  // Parts of hand-written generators, which pass on what their registry has checked.
  "describedBoxCodec",
  "generatorRef",
  "hashKey",
  "parametersOf",
  // It reads the code of an error of the system.
  "systemCode",
]);

/** Classes of which no method is called, each for the reason above it. */
export const NOT_CALLED_CLASSES: ReadonlySet<string> = new Set([
  // The index of an open save, which its own functions ask; `Save.leavesIn` asks it for programs.
  "LeafIndex",
  // Parts of hand-written generators, which pass on what their registry has checked.
  "ChunkCanvas",
  "GeneratedSpace",
  "GeneratorRef",
  "HashSequence",
  // What a converter counts, in its own words.
  "ConversionLosses",
]);
