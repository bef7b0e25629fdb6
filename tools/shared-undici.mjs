// The part of undici that src uses, as one CommonJS file that the library and the program share. undici's own entry would load
// fetch, caches, mocks and WebSockets too, which are more than half of it.
import { build } from "esbuild";
import { nodeBuiltins } from "./node-builtins.mjs";
import { shortenedNames } from "./shortened-names.mjs";

const FILE = "undici-pool.cjs";

// `request` is what undici's entry gives every dispatcher. CommonJS throughout, so that an import of it finds the two names.
const ENTRY = `
  require("undici/lib/dispatcher/dispatcher.js").prototype.request = require("undici/lib/api/api-request.js");
  exports.Pool = require("undici/lib/dispatcher/pool.js");
  exports.errors = require("undici/lib/core/errors.js");
`;

/** Only bodies of forms need it, which no transport sends: theirs are bytes. */
const withoutForms = {
  name: "without-forms",
  setup(pass) {
    pass.onLoad({ filter: /undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/ }, () => ({
      contents: 'exports.extractBody = () => { throw new TypeError("a body is bytes") };',
    }));
  },
};

/**
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<{ name: string, contents: Uint8Array, metafile: { inputs: object, outputs: object } }>}
 */
export async function undiciFile(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    stdin: { contents: ENTRY, resolveDir: process.cwd(), sourcefile: FILE },
    format: "cjs",
    outfile: `${options.outdir}/${FILE}`,
    outdir: undefined,
    plugins: [withoutForms, shortenedNames, nodeBuiltins],
    write: false,
    metafile: true,
  });
  return { name: FILE, contents: outputFiles[0].contents, metafile };
}

/** An esbuild plugin: imports of undici are imports of that file, which lies in `folder`, seen from the importing one: "./" or "../". */
export const sharedUndici = (folder) => ({
  name: "shared-undici",
  setup(pass) {
    pass.onResolve({ filter: /^undici$/ }, () => ({ path: `${folder}${FILE}`, external: true, sideEffects: false }));
  },
});
