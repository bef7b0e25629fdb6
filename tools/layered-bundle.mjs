// Bundles several entry points so that a start-up loads few files. esbuild's splitting makes a file of every set of modules
// that the same entry points share, and each file costs a start about a millisecond. Here the modules that a start
// always needs are one file, a layer; everything else is split as esbuild does it.
//
// Guarantees: every module is in one output file; a module's code is as esbuild wrote it, but for the names of what it imports, and
// in ASCII.
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";

/**
 * @typedef {object} Layer
 * @property {string} name Of its file.
 * @property {string[]} [roots] Modules the layer holds with all they import statically. The first one's exports are the file's own.
 * @property {string[]} [both] In place of roots: two modules. The layer holds what both import statically.
 */

/**
 * Layers are made in order; a module belongs to the first that reaches it, and later ones import it from there.
 * @param {{ layers: Layer[], entries: Record<string, string>, options: import("esbuild").BuildOptions }} plan
 * @returns {Promise<{ files: { name: string, contents: Uint8Array }[], metafile: { inputs: object, outputs: object } }>}
 */
export async function layeredBundle({ layers: asked, entries, options }) {
  const roots = asked.flatMap(({ roots: own, both }) => own ?? both);
  const graph = await importGraph([...roots, ...Object.values(entries)], options);
  const layers = rooted(asked, graph);
  const owner = assignModules(layers, graph);
  const outside = outsideEntries(layers, entries, graph, owner);
  const shared = sharedModules(graph, owner, outside.keys());
  const commonJs = shared.find((module) => graph[module].format === "cjs");
  if (commonJs !== undefined) throw new Error(`${commonJs} is shared by layers: only ES modules can be`);
  const exports = layerNames(await exportedNames(shared, options), owner);

  const passes = [];
  for (const layer of layers) {
    passes.push({
      label: layer.roots[0],
      entryPoints: undefined,
      stdin: {
        contents: layerSource(layer, owner, exports),
        resolveDir: process.cwd(),
        sourcefile: `${layer.name}.js`,
      },
      outfile: `${options.outdir}/${layer.name}.js`,
      outdir: undefined,
      splitting: false,
      plugins: [takeFromLayers(layer.name, { layers, owner, exports, outside }), ...(options.plugins ?? [])],
    });
  }
  passes.push({
    entryPoints: Object.fromEntries([...outside].map(([module, name]) => [name, module])),
    splitting: true,
    plugins: [takeFromLayers(undefined, { layers, owner, exports, outside }), ...(options.plugins ?? [])],
  });
  const results = await Promise.all(
    passes.map(async ({ label, ...pass }) => ({
      label,
      ...(await build({ ...options, ...pass, write: false, metafile: true })),
    })),
  );
  const files = results.flatMap(({ outputFiles }) => namedIn(options.outdir, outputFiles));
  return {
    files: await mergeImports(files, layers, options),
    metafile: {
      inputs: graph,
      outputs: Object.assign({}, ...results.map((result) => outputsOf(result, options.outdir))),
    },
  };
}

/** esbuild's output files by their paths in the folder. */
const namedIn = (outdir, outputFiles) =>
  outputFiles.map(({ path, text }) => {
    const name = relative(resolve(outdir), path);
    return { name, contents: Buffer.from(inAscii(text, name)) };
  });

/**
 * esbuild leaves letters beyond ASCII in regular expressions as they are. One of them, and V8 keeps the whole file as two bytes a
 * character: a server's process was 6 MB larger for it.
 */
function inAscii(text, name) {
  const raw = /String\.raw`[^`]*[^\0-\x7f]/.exec(text);
  if (raw !== null) throw new Error(`${name} has a letter beyond ASCII in a raw text: ${raw[0]}`);
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const isStatic = ({ kind }) => kind === "import-statement" || kind === "require-call";

/** Made by a plugin, "namespace:path": each file has its own. */
const isVirtual = (module) => /^[\w-]{2,}:/.test(module);

/** What imports what, by path. */
async function importGraph(entryPoints, options) {
  const { metafile } = await build({ ...options, entryPoints, splitting: true, write: false, metafile: true });
  return metafile.inputs;
}

/** The modules and all that they import statically. */
function closure(roots, graph) {
  return closureOf(roots, (module) =>
    (graph[module]?.imports ?? []).filter((next) => isStatic(next) && next.path in graph).map(({ path }) => path),
  );
}

/** The layers with their roots: of a layer of what two modules have in common, all that no earlier layer holds. */
function rooted(layers, graph) {
  const held = new Set();
  return layers.map(({ both, ...layer }) => {
    const roots = both === undefined ? layer.roots : common(both, graph).filter((module) => !held.has(module));
    for (const module of closure(roots, graph)) held.add(module);
    return { ...layer, roots };
  });
}

/** What two modules both import statically. */
function common([one, other], graph) {
  const others = closure([other], graph);
  return [...closure([one], graph)].filter((module) => others.has(module) && !isVirtual(module));
}

/** The modules, what those lead to, and so on. */
function closureOf(roots, next) {
  const found = new Set(roots);
  for (const module of found) for (const one of next(module)) found.add(one);
  return found;
}

/** Module to the name of its layer. */
function assignModules(layers, graph) {
  const owner = new Map();
  for (const { name, roots } of layers) {
    for (const module of closure(roots, graph)) {
      if (!owner.has(module) && !isVirtual(module)) owner.set(module, name);
    }
  }
  return owner;
}

/** The modules of layers that something outside of their layer imports. */
function sharedModules(graph, owner, outside) {
  // A layer's module that another layer imports dynamically is a file of its own, which passes the layer's on.
  const shared = new Set([...outside].filter((module) => owner.has(module)));
  for (const [module, { imports }] of Object.entries(graph)) {
    for (const { path } of imports) {
      if (owner.has(path) && owner.get(path) !== owner.get(module)) shared.add(path);
    }
  }
  return [...shared];
}

/** The names each module exports, types left out. */
async function exportedNames(modules, options) {
  const all = closureOf(modules, starTargets);
  const { metafile } = await build({
    entryPoints: [...all],
    bundle: false,
    format: "esm",
    target: options.target,
    outdir: options.outdir,
    outbase: ".",
    write: false,
    metafile: true,
  });
  const own = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
  return new Map(modules.map((module) => [module, namesOf(module, own)]));
}

/** Its own names and, but for "default", those of the modules that it exports all of. */
function namesOf(module, own) {
  const others = [...closureOf([module], starTargets)].flatMap((one) => own.get(one).filter((n) => n !== "default"));
  return [...new Set([...own.get(module), ...others])];
}

/** The modules that a module exports all of: `export * from "./x.js"`. */
function starTargets(module) {
  const stars = readFileSync(module, "utf8").matchAll(/^export \* from "(\.[^"]*)\.js";/gm);
  return [...stars].map(([, path]) =>
    relative(process.cwd(), resolve(dirname(module), `${path}.ts`)).replaceAll("\\", "/"),
  );
}

/** For each module, its names and what they are called in its layer's file: "$0", "$1", ... */
function layerNames(exported, owner) {
  const counts = new Map();
  const next = (layer) => {
    const count = counts.get(layer) ?? 0;
    counts.set(layer, count + 1);
    return `$${count.toString(36)}`;
  };
  return new Map(
    [...exported].map(([module, names]) => [module, names.map((name) => [name, next(owner.get(module))])]),
  );
}

function layerSource({ name, roots }, owner, exports) {
  const lines = [...exports]
    .filter(([module]) => owner.get(module) === name)
    .map(
      ([module, names]) =>
        `export {${names.map(([name, alias]) => `${name} as ${alias}`).join(", ")}} from "./${module}";`,
    );
  return [`export * from "./${roots[0]}";`, ...roots.slice(1).map((root) => `import "./${root}";`), ...lines].join(
    "\n",
  );
}

/** The modules the last pass begins at, with the names of their files: the entries, and what layers load on demand. */
function outsideEntries(layers, entries, graph, owner) {
  const outside = new Map(Object.entries(entries).map(([name, module]) => [module, name]));
  const heads = new Set(layers.map(({ roots }) => roots[0]));
  const loaders = new Set([...owner.keys(), ...layers.flatMap(({ roots }) => [...closure(roots, graph)])]);
  for (const module of loaders) {
    for (const { path, kind, external } of graph[module]?.imports ?? []) {
      if (kind !== "dynamic-import" || external || heads.has(path) || outside.has(path)) continue;
      outside.set(path, path.replace(/^src\/|\.ts$/g, "").replaceAll("/", "-"));
    }
  }
  return outside;
}

/** Resolves what another layer holds to that layer's file, and what a layer loads on demand to the last pass's. */
function takeFromLayers(own, { layers, owner, exports, outside }) {
  const headOf = new Map(layers.map(({ name, roots }) => [roots[0], name]));
  return {
    name: "take-from-layers",
    setup(pass) {
      pass.onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, namespace, pluginData }) => {
        if (pluginData === "resolved" || (namespace !== "file" && namespace !== "")) return undefined;
        const found = await pass.resolve(path, { kind, importer, resolveDir, pluginData: "resolved" });
        if (found.external || found.errors.length > 0) return found;
        const module = relative(process.cwd(), found.path).replaceAll("\\", "/");
        if (kind === "dynamic-import") {
          if (headOf.has(module)) return { path: `./${headOf.get(module)}.js`, external: true };
          if (own !== undefined) return { path: `./${outside.get(module)}.js`, external: true };
        }
        const layer = owner.get(module);
        if (layer === undefined || layer === own) return found;
        // One for each importer: shared ones would be files of their own.
        return {
          path: `${module}?${relative(process.cwd(), importer)}`,
          namespace: "layer",
          sideEffects: false,
          pluginData: module,
        };
      });
      pass.onResolve({ filter: /^\.\/[\w-]+\.js$/, namespace: "layer" }, ({ path }) => ({
        path,
        external: true,
        sideEffects: false,
      }));
      pass.onLoad({ filter: /./, namespace: "layer" }, ({ pluginData: module }) => {
        const names = exports.get(module).map(([name, alias]) => `${alias} as ${name}`);
        return { contents: `export {${names.join(", ")}} from "./${owner.get(module)}.js";` };
      });
    },
  };
}

/** As esbuild writes what it minifies. */
const NAMED_IMPORT = /(?<=^|[;}\n])import\{([^}]*)\}from"([^"]*)";/g;

/**
 * The files with one import of each layer. As esbuild made them every module of a file has its own, with its own names for what
 * several of them import: of a large file these would be a tenth.
 */
async function mergeImports(files, layers, { outdir, target, minifySyntax, minifyWhitespace }) {
  const contents = new Map(files.map((file) => [`./${file.name}`, Buffer.from(file.contents).toString()]));
  const layerFiles = new Set(layers.map(({ name }) => `./${name}.js`));
  /** What the file imports from the layer's, by its names there. */
  const namesFrom = (layer, file) => {
    const imports = [...contents.get(file).matchAll(NAMED_IMPORT)].filter(([, , from]) => from === layer);
    return [...new Set(imports.flatMap(([, names]) => names.split(",").map((name) => name.split(" as ")[0])))];
  };
  const merged = {
    name: "merged-imports",
    setup(pass) {
      pass.onResolve({ filter: /./ }, ({ path, kind, importer, namespace }) => {
        if (kind === "entry-point") return { path, namespace: "bundled" };
        if (namespace !== "bundled" || kind !== "import-statement" || !layerFiles.has(path)) {
          return { path, external: true };
        }
        const names = namesFrom(path, importer);
        if (names.length === 0) return { path, external: true };
        return { path: `${path}?${importer}`, namespace: "layer", sideEffects: false, pluginData: { names, path } };
      });
      pass.onLoad({ filter: /./, namespace: "bundled" }, ({ path }) => ({ contents: contents.get(path) }));
      pass.onLoad({ filter: /./, namespace: "layer" }, ({ pluginData: { names, path } }) => ({
        contents: `export {${names}} from "${path}";`,
      }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: files.map(({ name }) => ({ in: `./${name}`, out: name.replace(/\.js$/, "") })),
    plugins: [merged],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "warning",
    outdir,
    target,
    minifySyntax,
    minifyWhitespace,
  });
  return namedIn(outdir, outputFiles);
}

/** esbuild's account of the outputs of one pass, layers being named as any other file. */
function outputsOf({ metafile, label }, outdir) {
  return Object.fromEntries(
    Object.entries(metafile.outputs).map(([path, output]) => [
      path,
      {
        ...output,
        ...(label !== undefined && { entryPoint: label }),
        imports: output.imports.map((one) =>
          one.external && one.path.startsWith(".")
            ? { path: join(outdir, one.path).replaceAll("\\", "/"), kind: one.kind }
            : one,
        ),
        inputs: Object.fromEntries(Object.entries(output.inputs).filter(([input]) => !isVirtual(input))),
      },
    ]),
  );
}
