// Builds dist/: the library as ES modules, the CLI as CommonJS with V8's compiled code beside it, and the type
// declarations of what is public. It is made in .cache/ and swapped in whole, so that a dist/ in use is never half there.
// `node build.mjs` builds both, `node build.mjs --fast` leaves the types out.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { bridgeTo, toCommonJs } from "./tools/common-js.mjs";
import { fillCodeCache } from "./tools/fill-code-cache.mjs";
import { nodeBuiltins } from "./tools/node-builtins.mjs";
import { ownBuild } from "./tools/own-build.mjs";
import { parsedJson } from "./tools/parsed-json.mjs";
import { besideFile, regexpsBeside, regexpsFile } from "./tools/shared-regexps.mjs";
import { sharedUndici, undiciFile } from "./tools/shared-undici.mjs";
import { shortenedLocals, shortenedNames } from "./tools/shortened-names.mjs";
import { publicDeclarations } from "./tools/public-declarations.mjs";
import { CLI_LAYERS } from "./tools/cli-layers.mjs";
import { layeredBundle } from "./tools/layered-bundle.mjs";

const outdir = "dist";
const workshop = `.cache/build-${process.pid}`;
const building = join(workshop, "new");
const replaced = join(workshop, "old");

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

try {
  await bundle();
  await fillCodeCache(building);
  if (!process.argv.includes("--fast")) declareTypes();
  swapIn();
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

async function bundle() {
  const names = [shortenedNames, shortenedLocals()];
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
  const [library, cli, undici, regexps] = await Promise.all([
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
    }),
    layeredBundle({
      layers: CLI_LAYERS,
      entries: fromProgram,
      options: {
        ...options,
        outdir: `${outdir}/cli`,
        plugins: [
          ownBuild(import.meta.dirname),
          clusterFromLibrary,
          sharedUndici("../"),
          ...names,
          nodeBuiltins,
          parsedJson,
        ],
      },
    }),
    undiciFile({ ...options, outdir }),
    regexpsFile({ ...options, outdir }),
  ]);
  mkdirSync(join(building, "cli"), { recursive: true });
  for (const { name, contents } of [...library.files, undici, regexps, besideFile])
    writeFileSync(join(building, name), contents);
  for (const file of cli.files) {
    const { name, contents } = toCommonJs(file);
    writeFileSync(join(building, "cli", name), contents);
  }
  for (const { name, contents } of Object.keys(fromLibrary).map(bridgeTo))
    writeFileSync(join(building, name), contents);
  const metafiles = [cli, library, undici, regexps].map(({ metafile }) => metafile);
  const inputs = Object.assign({}, ...metafiles.map((metafile) => metafile.inputs));
  const outputs = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs));
  const metafile = JSON.stringify({ inputs, outputs });
  writeFileSync(join(building, "metafile.json"), metafile.replaceAll(/"(dist\/cli\/[\w-]+)\.js"/g, '"$1.cjs"'));
}

function declareTypes() {
  const emitted = join(workshop, "types");
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json", "--outDir", emitted];
  execFileSync(process.execPath, tsc, { stdio: "inherit" });
  const files = new Map(
    readdirSync(emitted, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".d.ts"))
      .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(emitted, path), "utf8")]),
  );
  const { exports, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const entries = typeEntries(exports, [...files.keys()]);
  const declarations = publicDeclarations(files, entries, Object.keys(peerDependencies));
  for (const [path, text] of declarations) {
    const target = join(building, "types", path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const bytes = [...declarations.values()].reduce((sum, text) => sum + text.length, 0);
  const kilobytes = Math.round(bytes / 1000);
  process.stderr.write(`declarations: ${declarations.size} files, ${kilobytes} kB, of ${files.size} that tsc emits\n`);
}

/** The declaration files that package.json's exports name; a "*" stands for any path. */
function typeEntries(exports, paths) {
  return Object.values(exports).flatMap(({ types }) => {
    if (types === undefined) return [];
    const [before, after] = relative("dist/types", types).split("*");
    return after === undefined ? [before] : paths.filter((path) => path.startsWith(before) && path.endsWith(after));
  });
}

function swapIn() {
  try {
    renameSync(outdir, replaced);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  renameSync(building, outdir);
}
