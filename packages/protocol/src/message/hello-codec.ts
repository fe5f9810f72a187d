import { type Codec, magic, option } from "@orthant/core";
import type { Hello, Kept } from "./client-message.ts";
import { counterCodec } from "./counter.ts";
import { epochCodec } from "./epoch-codec.ts";
import { NAME_BYTES_MAX, TOKEN_BYTES_MAX } from "./limits.ts";
import { PROTOCOL_MAGIC } from "./version.ts";
import { versionCodec } from "./version-codec.ts";

/** The letters that a hello begins with. */
export const magicCodec: Codec<typeof PROTOCOL_MAGIC> = magic(PROTOCOL_MAGIC);

const keptCodec: Codec<Kept | undefined> = option({
  write(out, { worldId, era }) {
    out.u64(worldId);
    epochCodec.write(out, era);
  },
  read: (input) => ({ worldId: input.u64(), era: epochCodec.read(input) }),
});

/** The first message of a connection. Rules N14 and N15 in docs/formats/protocol.md. */
export const helloCodec: Codec<Hello> = {
  write(out, hello) {
    magicCodec.write(out, PROTOCOL_MAGIC);
    versionCodec.write(out, hello.version);
    out.u64(hello.manifestHash);
    out.varU64(hello.featureBits);
    out.u64(hello.clientId);
    out.bytes(hello.token, TOKEN_BYTES_MAX);
    out.string(hello.name, NAME_BYTES_MAX);
    keptCodec.write(out, hello.kept);
    counterCodec.write(out, hello.openEditId);
  },

  read(input) {
    magicCodec.read(input);
    return {
      kind: "hello",
      version: versionCodec.read(input),
      manifestHash: input.u64(),
      featureBits: input.varU64(),
      clientId: input.u64(),
      token: input.bytes(TOKEN_BYTES_MAX),
      name: input.string(NAME_BYTES_MAX),
      kept: keptCodec.read(input),
      openEditId: counterCodec.read(input),
    };
  },
};
