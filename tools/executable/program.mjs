// The code of an executable: the command line and the cluster as one CommonJS file, and the worker of disk storage as another.
// They are made from src, so that what both parts use is in them once.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { nodeBuiltins } from "../node-builtins.mjs";
import { parsedJson } from "../parsed-json.mjs";

const ENTRY = `
  import { runProcess } from "./src/main.js";
  void runProcess(process).then((code) => (process.exitCode = code));
`;

/** Under bun node:https is the faster end for many requests too, and undici's parser would be a tenth of the code. */
const oneTransport = {
  name: "one-transport",
  setup(pass) {
    pass.onLoad({ filter: /client[\\/]transport[\\/]undici\.ts$/ }, () => ({
      contents: `
        import { nodeHttpsTransport } from "./node-https.js";
        export const undiciTransport = (config, surroundings) => nodeHttpsTransport(config, surroundings, 128);`,
      resolveDir: "src/client/transport",
    }));
  },
};

const GRPC = "grpc.cjs.br";

/**
 * gRPC, which only etcd's storage uses, is compressed and without bytecode: else it would be a sixth of what an executable is
 * larger than its runtime. Unpacking it takes a tenth of a second.
 */
const packedGrpc = {
  name: "packed-grpc",
  setup(pass) {
    pass.onLoad({ filter: /@grpc[\\/]grpc-js[\\/].*index\.js$/ }, () => ({
      contents: `
        const { readFileSync } = process.getBuiltinModule("node:fs");
        const { brotliDecompressSync } = process.getBuiltinModule("node:zlib");
        const { Script } = process.getBuiltinModule("node:vm");
        const code = brotliDecompressSync(readFileSync(new URL("./${GRPC}", moduleUrl))).toString();
        const load = new Script("(function(module,exports,require){" + code + "\\n})", { filename: "grpc.cjs" });
        load.runInThisContext()(module, exports, require);`,
    }));
  },
};

/** The files, in `folder`. */
export async function bundleProgram(root, folder) {
  mkdirSync(folder, { recursive: true });
  const options = {
    absWorkingDir: root,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    mainFields: ["module", "main"],
    // bun has SQLite.
    external: ["libsql"],
    define: {
      "process.env.WS_NO_BUFFER_UTIL": '"1"',
      "process.env.WS_NO_UTF_8_VALIDATE": '"1"',
      "import.meta.url": "moduleUrl",
    },
    // Where bun puts the files of an executable.
    banner: { js: 'const moduleUrl=process.getBuiltinModule("node:url").pathToFileURL(Bun.main).href;' },
    plugins: [oneTransport, packedGrpc, nodeBuiltins, parsedJson],
    logLevel: "warning",
  };
  const program = join(folder, "kubets.js");
  const worker = join(folder, "sqlite-worker.js");
  const grpc = { ...options, plugins: [nodeBuiltins], entryPoints: ["@grpc/grpc-js"], write: false };
  const [packed] = await Promise.all([
    build(grpc),
    build({ ...options, stdin: { contents: ENTRY, resolveDir: root, sourcefile: "executable.ts" }, outfile: program }),
    build({ ...options, entryPoints: ["src/server/storage/sqlite/sqlite-worker.ts"], outfile: worker }),
  ]);
  for (const { contents } of packed.outputFiles) writeFileSync(join(folder, GRPC), brotliCompressSync(contents));
  return { entries: [program, worker], assets: [GRPC] };
}
