/** Public names that are not called with rubbish, each for the reason above it. */
export const NOT_CALLED: ReadonlySet<string> = new Set([
  // Only a function of the package creates one: createWorld, snapshot, connect, createServer and so on.
  "new World",
  "new WorldHistory",
  "new WorldSnapshot",
  "new ClientWorld",
  "new OrthantServer",
  "new PixelWorld",
  "new PixelSaveHandle",
  "new PixelSaveWriter",
  "new Version1Writer",
  // A program makes one with texts of its own; the type of each is not checked again.
  "new OrthantError",
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
  "PixelSaveWriter.seal",
  "PixelSaveWriter.publish",
  "PixelSaveWriter.close",
  "Version1Writer.addChunk",
  "Version1Writer.addPayload",
  "Version1Writer.addBody",
  "Version1Writer.finish",
  "Version1Writer.close",
  // The same as connect, for the packages of Orthant; connect calls it.
  "connectReplica",
  // It reads the code of an error of the system.
  "systemCode",
]);
