// Builds dist/: one ESM bundle with splitting for the CLI and the library, and the type declarations.
// `node build.mjs` builds both, `node build.mjs --fast` leaves the types out.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });

const result = await build({
  entryPoints: {
    main: "src/main.ts",
    index: "src/index.ts",
    cluster: "src/cluster/index.ts",
    actions: "src/actions/index.ts",
    // Beside the chunk that starts it.
    "chunks/sqlite-worker": "src/server/storage/sqlite/sqlite-worker.ts",
  },
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minify: true,
  keepNames: true,
  legalComments: "none",
  // An optional peer: only disk storage on a Node without node:sqlite asks for it.
  external: ["libsql"],
  // CommonJS dependencies (undici) call require for Node's own modules.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  metafile: true,
  logLevel: "warning",
});
writeFileSync("dist/metafile.json", JSON.stringify(result.metafile));

if (!process.argv.includes("--fast")) {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
  });
}
