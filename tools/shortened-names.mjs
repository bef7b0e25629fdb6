// esbuild plugins for the names in the code of a bundle: shorter ones make it a quarter smaller, so a start reads less.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { transform, transformSync } from "esbuild";

const target = "node20.19";
const LARGE = /node_modules[\\/](undici|@grpc|protobufjs|re2js)[\\/].*\.js$/;

/** Large packages of others get short names throughout. */
export const shortenedNames = {
  name: "shortened-names",
  setup(build) {
    build.onLoad({ filter: LARGE }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      // A file of CommonJS is a module, too: without its format the names at its top would stay.
      const format = /\bmodule\.exports\b|\brequire\(|\bexports\./.test(text) ? "cjs" : "esm";
      const { code } = transformSync(text, { minifyIdentifiers: true, target, format });
      return { contents: code, loader: "js" };
    });
  },
};

const OURS = /[\\/]src[\\/].*\.ts$/;
const tsconfigRaw = { compilerOptions: { target: "es2023", verbatimModuleSyntax: true } };

/**
 * In our code parameters, variables, and functions that a file does not export get short names. Methods, and exported functions and
 * classes keep theirs, and are called in traces what they are called in src: esbuild leaves them alone where it is given no format.
 */
export const shortenedLocals = () => {
  /** A bundle is made in several passes. */
  const shortened = new Map();
  const shorten = async (path) => {
    const { code } = await transform(await readFile(path, "utf8"), {
      loader: "ts",
      minifyIdentifiers: true,
      target,
      tsconfigRaw,
      sourcefile: path,
    });
    return { contents: code, loader: "js" };
  };
  return {
    name: "shortened-locals",
    setup(build) {
      build.onLoad({ filter: OURS }, ({ path }) => {
        if (!shortened.has(path)) shortened.set(path, shorten(path));
        return shortened.get(path);
      });
    },
  };
};
