// re2js, Go's regular expressions, as a CommonJS file that the library and the executable load when the first pattern is compiled:
// most servers never compile one, and it would be 7 % of the code that their start reads.
import { build } from "esbuild";
import { RE2JS } from "re2js";

const FILE = "re2js.cjs";
const BESIDE = "re2js.js";

/**
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<{ name: string, contents: Uint8Array, metafile: { inputs: object, outputs: object } }>}
 */
export async function regexpsFile(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    format: "cjs",
    minify: true,
    entryPoints: ["re2js"],
    outfile: `${options.outdir}/${FILE}`,
    outdir: undefined,
    write: false,
    metafile: true,
  });
  return { name: FILE, contents: outputFiles[0].contents, metafile };
}

/** A module that exports RE2JS: it compiles by what the expression gives, which is evaluated at the first pattern. */
const onDemand = (expression) => {
  const flags = Object.entries(RE2JS).filter(([, value]) => typeof value === "number");
  return `let loaded;
export const RE2JS = {
  ...${JSON.stringify(Object.fromEntries(flags))},
  compile: (pattern, flags) => (loaded ??= ${expression}).compile(pattern, flags),
};
`;
};

/** An esbuild plugin: an import of re2js is one of that module. */
export const regexpsOnDemand = (expression) => ({
  name: "regexps-on-demand",
  setup(pass) {
    pass.onLoad({ filter: /re2js[\\/].*index\.js$/ }, () => ({ contents: onDemand(expression) }));
  },
});

/** The module for what lies beside the CommonJS file. */
export const besideFile = {
  name: BESIDE,
  contents: onDemand(`process.getBuiltinModule("node:module").createRequire(import.meta.url)("./${FILE}").RE2JS`),
};

/** An esbuild plugin: an import of re2js is one of `besideFile`. */
export const regexpsBeside = {
  name: "regexps-beside",
  setup(pass) {
    pass.onResolve({ filter: /^re2js$/ }, () => ({ path: `./${BESIDE}`, external: true, sideEffects: false }));
  },
};
