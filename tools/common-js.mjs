// Turns the files of an ESM bundle into CommonJS: V8 takes compiled code from a cache for scripts only, and Node 20 needs
// milliseconds to get its loader of ES modules ready.
//
// Where ES modules bind names, this copies values once, so that code runs as fast: no file may import from one that imports
// from it, and what is exported is not assigned again. esbuild makes no cycles, and src exports no `let`
// (test/architecture.test.ts).
import { Script } from "node:vm";

/** As esbuild writes them. */
const IMPORT = /(?<=^|[;}\n])import(?:\{([^}]*)\}from)?"(\.\/[\w-]+(?=\.js)|\.\.\/[\w-]+(?=\.cjs))\.c?js";/g;
const EXPORT = /(?<=^|[;}\n])export\{([^}]*)\};/g;

/**
 * One file as esbuild bundled it, `name.js` that imports `./other.js`, as `name.cjs` that requires `./other.cjs`. CommonJS
 * outside, `../other.cjs`, stays what it is. What the file loads on demand is required then; where that is an ES module outside,
 * `../name.js`, by the file that {@link bridgeTo} makes.
 * @param {{ name: string, contents: Uint8Array }} file
 * @returns {{ name: string, contents: string }}
 */
export function toCommonJs({ name, contents }) {
  const requires = [];
  const exported = [];
  let code = Buffer.from(contents).toString();
  code = code.replaceAll(IMPORT, (_, names, file) => {
    const required = `require("${file}.cjs")`;
    requires.push(names === undefined ? required : `{${renamed(names, (theirs, ours) => [theirs, ours])}}=${required}`);
    return "";
  });
  code = code.replaceAll(EXPORT, (_, names) => {
    exported.push(renamed(names, (ours, theirs) => [theirs, ours]));
    return "";
  });
  code = code
    .replaceAll(/\bimport\("(\.\.?\/[\w-]+)\.js"\)/g, 'Promise.resolve().then(()=>require("$1.cjs"))')
    .replaceAll(/\bimport\("(node:[\w/]+)"\)/g, 'Promise.resolve().then(()=>require("$1"))')
    .replaceAll("import.meta.url", 'process.getBuiltinModule("node:url").pathToFileURL(__filename).href');
  const loaded = /\bimport\(".{0,60}/.exec(code);
  if (loaded !== null) throw new Error(`${name} uses what CommonJS does not have: ${loaded[0]}`);
  try {
    // As a function's body, which is no module: an import or an export that is left is a syntax error.
    new Script(`(function(){${code}\n})`);
  } catch (error) {
    throw new Error(`${name} uses what CommonJS does not have: ${error.message}`, { cause: error });
  }
  const bindings = requires.filter((one) => one.startsWith("{"));
  const head = [
    '"use strict";',
    ...requires.filter((one) => !one.startsWith("{")).map((one) => `${one};`),
    ...(bindings.length > 0 ? [`const ${bindings.join(",")};`] : []),
  ].join("");
  const tail = exported.length > 0 ? `module.exports={${exported.join(",")}};\n` : "";
  return { name: name.replace(/\.js$/, ".cjs"), contents: ascii(head + code + tail) };
}

/** The CommonJS file beside an ES module that stands for it: a promise of its exports. A cached script cannot import. */
export const bridgeTo = (name) => ({ name: `${name}.cjs`, contents: `module.exports=import("./${name}.js");\n` });

/** "a,b as c" with each pair of names as a property of an object, which `place` puts in order. */
function renamed(names, place) {
  return names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const [from, to = from] = name.split(" as ");
      const [key, value] = place(from, to);
      return key === value ? key : `${key}:${value}`;
    })
    .join(",");
}

/** The same code in characters of one byte; esbuild leaves others only in regular expressions. */
const ascii = (code) =>
  code.replaceAll(/[^\t\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
