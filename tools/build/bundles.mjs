// Bundles the library as ES modules and the program as CommonJS. Each writes its files into a folder that becomes dist/.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CLI_LAYERS } from "../cli-layers.mjs";
import { bridgeTo, toCommonJs } from "../common-js.mjs";
import { layeredBundle } from "../layered-bundle.mjs";
import { nodeBuiltins } from "../node-builtins.mjs";
import { ownBuild } from "../own-build.mjs";
import { parsedJson } from "../parsed-json.mjs";
import { besideFile, regexpsBeside, regexpsFile } from "../shared-regexps.mjs";
import { sharedUndici, undiciFile } from "../shared-undici.mjs";
import { shortenedLocals, shortenedNames } from "../shortened-names.mjs";

const root = resolve(import.meta.dirname, "../..");
const outdir = "dist";

/** Of both bundles: what they share is shortened once. */
const names = [shortenedNames, shortenedLocals()];

/** What the program takes from the library, as files on demand: all that serves. */
const fromLibrary = {
  "cluster-named": "src/cluster/named/index.ts",
  "cluster-apiserver": "src/cluster/apiserver/component.ts",
  "cluster-programs": "src/cluster/programs/index.ts",
  "cluster-stored": "src/cluster/stored/index.ts",
  // Modules of other programs are imported, which a cached script cannot; and templates hold lines that look like a module's.
  "project-modules": "src/project/load-project.ts",
  "project-templates": "src/project/templates/operator-files.ts",
};

const clusterFromLibrary = {
  name: "cluster-from-library",
  setup(pass) {
    for (const [name, module] of Object.entries(fromLibrary)) {
      const path = module.replace(/^src|\.ts$/g, "").replaceAll(/[/.-]/g, "\\$&");
      pass.onResolve({ filter: new RegExp(`${path}\\.js$`) }, () => ({ path: `../${name}.js`, external: true }));
    }
  },
};

/** What the library takes from the program: the command line that containers call as kubectl. */
const fromProgram = { kubectl: "src/kubectl.ts" };

const programFromCli = {
  name: "program-from-cli",
  setup(pass) {
    pass.onResolve({ filter: /^\.\.\/\.\.\/kubectl\.js$/ }, () => ({ path: "./cli/kubectl.cjs", external: true }));
  },
};

const options = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // Methods, and exported functions and classes are called in traces what they are called in src.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // fastest-levenshtein is an ES module only there.
  mainFields: ["module", "main"],
  // Optional peers: disk storage on a Node without node:sqlite asks for the one, kubets/vitest for the other.
  external: ["libsql", "vitest"],
  logLevel: "warning",
};

/** Writes the library, and the files that the program shares with it. */
export async function bundleLibrary(folder) {
  const [library, undici, regexps] = await Promise.all([
    bundleModules(),
    undiciFile({ ...options, outdir }),
    regexpsFile({ ...options, outdir }),
  ]);
  mkdirSync(folder, { recursive: true });
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()))
    if (name !== "metafile.json") rmSync(join(folder, name));
  const bridges = Object.keys(fromLibrary).map(bridgeTo);
  for (const { name, contents } of [...library.files, undici, regexps, besideFile, ...bridges])
    writeFileSync(join(folder, name), contents);
  noteModules(folder, [library, undici, regexps], (output) => !output.startsWith("dist/cli/"));
}

/** Writes the program. Removes the code cache, which belongs to the code that is replaced. */
export async function bundleProgram(folder) {
  const cli = await bundleCommands();
  rmSync(join(folder, "cli"), { recursive: true, force: true });
  mkdirSync(join(folder, "cli"), { recursive: true });
  for (const file of cli.files) {
    const { name, contents } = toCommonJs(file);
    writeFileSync(join(folder, "cli", name), contents);
  }
  noteModules(folder, [cli], (output) => output.startsWith("dist/cli/"));
}

const bundleModules = () =>
  layeredBundle({
    layers: [
      // What `kubets` loads at its import.
      { name: "client", roots: ["src/client/index.ts", "src/library/kubernetes-client.ts"] },
      // What a server loads, and what a cluster adds: a hundred small files would cost a start as many milliseconds. The actions
      // have their part of it without the server.
      { name: "machinery", both: ["src/actions/index.ts", "src/cluster/start-cluster.ts"] },
      // What `kubets/kind` loads: declarations of kinds, which operators have too.
      {
        name: "kinds",
        roots: ["kind", "crd", "kind-scheme", "conversion", "proto"].map(
          (name) => `src/server/kinds-in-code/${name}.ts`,
        ),
      },
      // What judges objects by a declaration or a definition.
      { name: "judge", roots: ["src/server/kinds-in-code/judge-value.ts"] },
      { name: "api-server", roots: ["src/cluster/start-server.ts"] },
      { name: "control-plane", roots: ["src/cluster/start-cluster.ts"] },
      // CommonJS: in a file of its own it does not give every other file esbuild's helpers for it.
      { name: "grpc", roots: ["src/server/storage/etcd/grpc-channel.ts"] },
    ],
    entries: {
      index: "src/index.ts",
      cluster: "src/cluster/index.ts",
      server: "src/cluster/server.ts",
      kind: "src/cluster/kind.ts",
      "server-testing": "src/cluster/server-testing.ts",
      actions: "src/actions/index.ts",
      vitest: "src/testing/vitest.ts",
      "node-test": "src/testing/node-test.ts",
      // What the program's commands load that run servers and components.
      ...fromLibrary,
      // Beside the file that starts them.
      "sqlite-worker": "src/server/storage/sqlite/sqlite-worker.ts",
    },
    options: {
      ...options,
      outdir,
      plugins: [programFromCli, sharedUndici("./"), regexpsBeside, ...names, nodeBuiltins, parsedJson],
    },
  });

const bundleCommands = () =>
  layeredBundle({
    layers: CLI_LAYERS,
    entries: fromProgram,
    options: {
      ...options,
      outdir: `${outdir}/cli`,
      plugins: [ownBuild(root), clusterFromLibrary, sharedUndici("../"), ...names, nodeBuiltins, parsedJson],
    },
  });

/** Replaces in metafile.json the outputs that `isOwn` names; inputs of both bundles stay together. */
function noteModules(folder, bundles, isOwn) {
  const file = join(folder, "metafile.json");
  const before = readMetafile(file);
  const kept = Object.entries(before.outputs).filter(([output]) => !isOwn(output));
  const metafiles = bundles.map(({ metafile }) => metafile);
  const added = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs));
  // The program's first, whatever was built last: a module that both hold is looked up there.
  const inProgram = ([output]) => output.startsWith("dist/cli/");
  const all = [...kept, ...Object.entries(added)];
  const outputs = Object.fromEntries([...all.filter(inProgram), ...all.filter((one) => !inProgram(one))]);
  const used = new Set(Object.values(outputs).flatMap((output) => Object.keys(output.inputs)));
  const stillUsed = Object.entries(before.inputs).filter(([input]) => used.has(input));
  const inputs = Object.assign(Object.fromEntries(stillUsed), ...metafiles.map((metafile) => metafile.inputs));
  const text = JSON.stringify({ inputs, outputs });
  writeFileSync(file, text.replaceAll(/"(dist\/cli\/[\w-]+)\.js"/g, '"$1.cjs"'));
}

function readMetafile(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return { inputs: {}, outputs: {} };
  }
}
