// An esbuild plugin: large packages of others get short names, which makes them a quarter smaller. Ours keep theirs.
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const LARGE = /node_modules[\\/](undici|@grpc|protobufjs|re2js)[\\/].*\.js$/;

export const shortenedNames = {
  name: "shortened-names",
  setup(build) {
    build.onLoad({ filter: LARGE }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      // A file of CommonJS is a module, too: without its format the names at its top would stay.
      const format = /\bmodule\.exports\b|\brequire\(|\bexports\./.test(text) ? "cjs" : "esm";
      const { code } = transformSync(text, { minifyIdentifiers: true, target: "node20.19", format });
      return { contents: code, loader: "js" };
    });
  },
};
