// An esbuild plugin: large packages of others get short names inside of their functions, which makes them a quarter smaller. Ours keep
// their names, and so do the functions and classes of those packages that a trace shows.
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const LARGE = /node_modules[\\/](undici|@grpc|protobufjs|re2js)[\\/].*\.js$/;

export const shortenedNames = {
  name: "shortened-names",
  setup(build) {
    build.onLoad({ filter: LARGE }, ({ path }) => {
      const { code } = transformSync(readFileSync(path, "utf8"), { minifyIdentifiers: true, target: "node20.19" });
      return { contents: code, loader: "js" };
    });
  },
};
