// The code of an executable: the command line and the cluster, and the worker of disk storage. They are made from src, so that
// what both parts use is in them once. The first is many CommonJS files, split where src loads on demand: at the start of a
// file the runtime makes every function that stands in it, so one file of all would take a start 15 ms.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { CLI_LAYERS } from "../cli-layers.mjs";
import { toCommonJs } from "../common-js.mjs";
import { layeredBundle } from "../layered-bundle.mjs";
import { nodeBuiltins } from "../node-builtins.mjs";
import { ownBuild } from "../own-build.mjs";
import { parsedJson } from "../parsed-json.mjs";
import { regexpsFile, regexpsOnDemand } from "../shared-regexps.mjs";

/** Where bun puts the files of an executable. */
const MODULE_URL = 'process.getBuiltinModule("node:url").pathToFileURL(Bun.main).href';

const ENTRY = `
  globalThis.moduleUrl = ${MODULE_URL};
  void require("./main.cjs").runProcess(process).then((code) => (process.exitCode = code));
`;

/** Under bun its own fetch starts fastest. undici's parser would be a tenth of the code. */
const bunTransport = {
  name: "bun-transport",
  setup(pass) {
    pass.onLoad({ filter: /client[\\/]transport[\\/]create-transport\.ts$/ }, () => ({
      contents: 'export { createTransport } from "./create-bun-transport.js";',
      resolveDir: "src/client/transport",
    }));
  },
};

/**
 * Texts that few commands need lie compressed beside the code. In the code they would be twice: as source and in the bytecode.
 */
class PackedTexts {
  /** Paths in `folder`. */
  files = new Set();

  constructor(folder) {
    this.folder = folder;
  }

  /** JavaScript for the text, which is unpacked when that is evaluated. */
  add(name, text) {
    const file = `${name}.br`;
    writeFileSync(join(this.folder, file), brotliCompressSync(text));
    this.files.add(file);
    return `process.getBuiltinModule("node:zlib").brotliDecompressSync(
      process.getBuiltinModule("node:fs").readFileSync(new URL("./${file}", moduleUrl))).toString()`;
  }
}

const LARGE_JSON_BYTES = 4_000;

/** An esbuild plugin for large JSON files; it leaves small ones to the next. */
const packedJson = (texts) => ({
  name: "packed-json",
  setup(pass) {
    pass.onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      if (text.length < LARGE_JSON_BYTES) return undefined;
      return { contents: `export default /* @__PURE__ */ JSON.parse(${texts.add(basename(path), text)});` };
    });
  },
});

/** An esbuild plugin for gRPC, which only etcd's storage uses. Loading it takes a tenth of a second. */
const packedGrpc = (texts, code) => ({
  name: "packed-grpc",
  setup(pass) {
    pass.onLoad({ filter: /@grpc[\\/]grpc-js[\\/].*index\.js$/ }, () => ({
      contents: unpacked(texts, "grpc.cjs", code),
    }));
  },
});

/** An esbuild plugin for Go's regular expressions, which servers use for patterns of custom kinds: they come with the first. */
const packedRegexps = (texts, { name, contents }) =>
  regexpsOnDemand(`(() => {
    const module = { exports: {} };
    const { exports } = module;
    ${unpacked(texts, name, Buffer.from(contents).toString())}
    return module.exports.RE2JS;
  })()`);

/** JavaScript that runs a packed CommonJS module. `require` is an expression for what the module requires other files by. */
const unpacked = (texts, name, code, require = "require") => `
  const { Script } = process.getBuiltinModule("node:vm");
  const code = ${texts.add(name, code)};
  const run = new Script("(function(module,exports,require){" + code + "\\n})", { filename: "${name}" });
  run.runInThisContext()(module, exports, ${require});`;

/** A packed file that requires others: bun puts into the executable what it finds by name. */
function unpackedFile(texts, name, code) {
  const required = new Set(Array.from(code.matchAll(/\brequire\(("[^"]+")\)/g), ([, path]) => path));
  const cases = [...required].map((path) => `${path}:()=>require(${path})`);
  return `const files={${cases.join(",")}};${unpacked(texts, name, code, "(path)=>files[path]()")}`;
}

/**
 * What commands seldom run: the server, and what even a server's start leaves alone. The runtime makes bytecode of two levels of
 * functions, three times as large as the source: in a file with one of these modules a function around all code leaves only that
 * one bytecode, and the others are compiled when they are called. A cluster's start takes 16 ms more CPU by that, of 210, and the
 * executable is 1 MB smaller.
 */
const SELDOM_RUN = [
  "src/actions/copy/",
  "src/actions/forward-ports/",
  "src/api/admission/",
  "src/api/conversion/",
  "src/api/descriptions/",
  "src/api/examples/",
  "src/api/openapi/",
  "src/api/pod-security/",
  "src/api/quota/",
  "src/api/validation/",
  "src/client/events/",
  "src/client/informers/",
  "src/client/leaderelection/",
  "src/client/manager/",
  "src/client/workqueue/",
  "src/cli/object-tree/",
  "src/cluster/",
  "src/commands/cluster/",
  "src/commands/ctx/",
  "src/commands/debug/",
  "src/commands/decode/",
  "src/commands/drain/",
  "src/commands/expose/",
  "src/commands/kuberc/",
  "src/commands/envtest/",
  "src/commands/kuberc/",
  "src/commands/explain/",
  "src/commands/node/",
  "src/commands/ns/",
  "src/commands/port-forward/",
  "src/commands/proxy/",
  "src/commands/scheduler/",
  "src/commands/storage/",
  "src/commands/top/",
  "src/commands/tree/",
  "src/commands/watch/",
  "src/component/apiserver-flags/",
  "src/controllers/",
  "src/kustomize/",
  "src/machinery/text/gotemplate/",
  "src/machinery/apply/",
  "src/machinery/cel/",
  "src/machinery/text/gotemplate/",
  "src/machinery/rbac/",
  "src/machinery/structural/",
  "src/node/",
  "src/scheduler/",
  "src/server/",
];

/**
 * What even most servers never load: it lies compressed beside the code, which takes a fifth of the room, and is read, parsed and compiled
 * when it is first needed, in a few milliseconds. Nothing that a server's start or a command of every day loads may stand here.
 */
const PACKED = [
  "src/actions/copy/",
  "src/actions/forward-ports/",
  "src/api/descriptions/",
  "src/api/examples/",
  "src/api/openapi/",
  "src/api/validation/apiextensions/",
  "src/cli/object-tree/",
  "src/cluster/apiserver/",
  "src/client/transport/http-connect.ts",
  "src/client/transport/measured-transport.ts",
  "src/cluster/authentication/",
  "src/cluster/controller-manager/",
  "src/cluster/delegation/",
  "src/cluster/egress/",
  "src/cluster/encryption/",
  "src/cluster/envtest/",
  "src/cluster/monitoring/",
  "src/cluster/node/",
  "src/cluster/pki/foreign-authority.ts",
  "src/cluster/pki/identity-files.ts",
  "src/cluster/programs/",
  "src/cluster/scheduler/",
  "src/cluster/stages/log-life-cycle.ts",
  "src/cluster/stages/open-fairness.ts",
  "src/cluster/stored/",
  "src/cluster/tracing/",
  "src/commands/apiserver/",
  "src/commands/attach/",
  "src/commands/auth/",
  "src/commands/autoscale/",
  "src/commands/certificate/",
  "src/commands/cluster/status-table.ts",
  "src/commands/cluster-info/",
  "src/commands/controller-manager/",
  "src/commands/convert/",
  "src/commands/cp/",
  "src/commands/crd/",
  "src/commands/ctx/",
  "src/commands/debug/",
  "src/commands/decode/",
  "src/commands/drain/",
  "src/commands/edit/",
  "src/commands/events/",
  "src/commands/explain/",
  "src/commands/expose/",
  "src/commands/kuberc/",
  "src/commands/node/",
  "src/commands/ns/",
  "src/commands/plugin/",
  "src/commands/port-forward/",
  "src/commands/proxy/",
  "src/commands/replace/",
  "src/commands/rollout/",
  "src/commands/scheduler/",
  "src/commands/set/",
  "src/commands/storage/",
  "src/commands/taint/",
  "src/commands/top/",
  "src/commands/tree/",
  "src/commands/watch/",
  "src/component/",
  "src/controllers/horizontal-pod-autoscaler/",
  "src/controllers/required-kinds.ts",
  "src/kustomize/",
  // Expressions, and the formats that they share with schemas.
  "src/machinery/cel/",
  "src/machinery/metrics/",
  "src/machinery/structural/email-address.ts",
  "src/machinery/structural/formats.ts",
  "src/machinery/text/go/go-url.ts",
  "src/machinery/text/time-zone/",
  "src/machinery/validation/ip.ts",
  "src/node/scripted/images/",
  "src/node/scripted/programs/kubectl/",
  "src/server/aggregator/",
  "src/server/audit/",
  // What operators read.
  "src/server/debug/",
  "src/server/flow-control/",
  "src/server/metrics/",
  "src/server/storage/files/",
  "src/server/storage/postgres/",
  "src/server/tracing/",
  ...["awk", "compare", "dumps", "find", "network", "sed", "text-tools"].map(
    (folder) => `src/node/scripted/programs/${folder}/`,
  ),
  "src/server/authn/configuration/",
  "src/server/authn/oidc/",
  "src/server/authz/configuration/",
  "src/server/authz/webhook/",
  "src/server/storage/encryption/",
  "src/server/storage/etcd/",
];

/** Whether a file of these modules is packed: all of ours in it are, and others are there for their sake. */
const isPacked = (modules) => {
  const ours = modules.filter((module) => module.startsWith("src/"));
  return ours.length > 0 && ours.every((module) => PACKED.some((folder) => module.startsWith(folder)));
};

const isSeldomRun = (module) => SELDOM_RUN.some((folder) => module.startsWith(folder));
const withoutBytecode = (code) => `(()=>{${code}})();`;

/** A module that imports all of these, so that esbuild splits them from what else the same commands load. */
const seldomRunEntry = (root) =>
  modulesOf(root, SELDOM_RUN)
    .map((path, index) => `export * as m${index} from ${JSON.stringify(path)};\n`)
    .join("");

/** The absolute paths of the modules in folders. */
const modulesOf = (root, folders) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => join(root, folder, path))
      .sort(),
  );

/** A session's start loads 31 files without these: they would be a sixth of its time. */
const SESSION_LAYERS = [
  // What a command loads that speaks as client-go's typed clients do.
  {
    name: "typed",
    roots: [
      "src/actions/typed/typed-object.ts",
      "src/actions/typed/read-typed.ts",
      "src/actions/apply/last-applied.ts",
    ],
  },
  // What a command that enters a container loads: pods, the terminal, streams over WebSockets.
  {
    name: "session",
    roots: [
      "src/cli/container-session/container-command.ts",
      "src/cli/container-session/flags.ts",
      "src/cli/container-session/interrupt.ts",
      "src/cli/container-session/session-streams.ts",
      "src/cli/keep-memory-flat.ts",
      "src/cli/completion/pod-completers.ts",
      "src/actions/attachable-pod.ts",
      "src/polymorphic-helpers/pod-containers.ts",
      "src/client/streaming/remote-command.ts",
      "src/client/streaming/open-web-socket.ts",
    ],
  },
];

/**
 * Writes the files into `folder`.
 * @returns {Promise<{ entries: string[], assets: string[] }>} Absolute paths, and paths in the folder.
 */
export async function bundleProgram(root, folder) {
  mkdirSync(folder, { recursive: true });
  const options = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    mainFields: ["module", "main"],
    // bun has SQLite.
    external: ["libsql"],
    define: { "import.meta.url": "moduleUrl" },
    logLevel: "warning",
  };
  const texts = new PackedTexts(folder);
  const shipped = (name, code, modules) => {
    if (isPacked(modules)) return withoutBytecode(unpackedFile(texts, name, code));
    return modules.some(isSeldomRun) ? withoutBytecode(code) : code;
  };
  const grpc = await build({
    ...options,
    format: "cjs",
    plugins: [nodeBuiltins],
    entryPoints: ["@grpc/grpc-js"],
    write: false,
  });
  const regexps = await regexpsFile({ ...options, outdir: folder });
  const codeOf = ({ outputFiles: [{ text }] }) => text;
  const packed = [packedGrpc(texts, codeOf(grpc)), packedRegexps(texts, regexps), packedJson(texts)];
  const plugins = [ownBuild(root), bunTransport, ...packed, nodeBuiltins, parsedJson];
  const program = join(folder, "kubets.js");
  const worker = join(folder, "sqlite-worker.js");
  const seldomRun = join(folder, "seldom-run.mjs");
  writeFileSync(seldomRun, seldomRunEntry(root));
  const { files, metafile } = await layeredBundle({
    layers: [...CLI_LAYERS, ...SESSION_LAYERS],
    entries: { "seldom-run": seldomRun },
    options: { ...options, outdir: folder, plugins },
  });
  const outputs = Object.entries(metafile.outputs);
  const modulesIn = (name) => Object.keys(outputs.find(([path]) => path.endsWith(`/${name}`))[1].inputs);
  for (const file of files) {
    const { name, contents } = toCommonJs(file);
    writeFileSync(join(folder, name), shipped(name, contents, modulesIn(file.name)));
  }
  writeFileSync(program, ENTRY);
  await build({
    ...options,
    format: "cjs",
    banner: { js: `globalThis.moduleUrl=${MODULE_URL};` },
    plugins,
    entryPoints: ["src/server/storage/sqlite/sqlite-worker.ts"],
    outfile: worker,
  });
  return { entries: [program, worker], assets: [...texts.files] };
}
