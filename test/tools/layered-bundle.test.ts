import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const SOURCES: Readonly<Record<string, string>> = {
  "main.ts": `
    import { next } from "./all.js";
    import { shout } from "./pure.js";
    import { readFileSync } from "node:fs";
    export async function run() {
      const first = next();
      const { command } = await import("./command.js");
      return [first, command(), shout("a"), typeof readFileSync].join(" ");
    }`,
  "all.ts": `export * from "./counter.js"; export const own = "own";`,
  "counter.ts": `let count = 0; export const next = () => ++count; export class Marker {}`,
  "pure.ts": `export const shout = (text: string) => text.toUpperCase();`,
  "command.ts": `
    import { next, own } from "./all.js"; import { ask } from "./ask.js"; import data from "./data.json";
    export const command = () => next() + " " + own + " " + ask() + " " + data.name;`,
  "ask.ts": `import { shout } from "./pure.js"; export const ask = () => shout("b");`,
  "data.json": `{ "name": "caf\\u00e9" }`,
  "index.ts": `export { shout } from "./pure.js";`,
};

const BUILD = `
  const [, tools] = process.argv;
  const load = (name) => import(new URL(name, tools));
  const { layeredBundle } = await load("layered-bundle.mjs");
  const { nodeBuiltins } = await load("node-builtins.mjs");
  const { parsedJson } = await load("parsed-json.mjs");
  const { files, metafile } = await layeredBundle({
    layers: [{ name: "main", roots: ["src/main.ts"] }, { name: "ask", roots: ["src/ask.ts"] }],
    entries: { index: "src/index.ts" },
    options: { outdir: "dist", bundle: true, format: "esm", platform: "node", plugins: [nodeBuiltins, parsedJson] },
  });
  const { mkdirSync, writeFileSync } = await import("node:fs");
  mkdirSync("dist");
  for (const { name, contents } of files) writeFileSync("dist/" + name, contents);
  writeFileSync("dist/metafile.json", JSON.stringify(metafile));
`;

let folder: string;
const node = (script: string, ...args: string[]): string =>
  execFileSync(process.execPath, ["--input-type=module", "-e", script, "--", ...args], {
    cwd: folder,
    encoding: "utf8",
  });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-layers-"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  for (const [name, text] of Object.entries(SOURCES)) writeFileSync(join(folder, "src", name), text);
  node(BUILD, `${pathToFileURL(resolve(import.meta.dirname, "../../tools")).href}/`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a module that a bundle loads on demand shares its state with the layer that contains it", () => {
  const told = node(`const { run } = await import("./dist/main.js"); process.stdout.write(await run());`);
  expect(told).toBe("1 2 own B café A function");
});

test("the build puts a module into the first layer that reaches it, and the metafile lists who loads which layer", () => {
  const { outputs } = JSON.parse(readFileSync(join(folder, "dist/metafile.json"), "utf8")) as {
    readonly outputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>;
  };
  const importsOf = (file: string) => (outputs[`dist/${file}`]?.imports ?? []).map(({ path }) => path).sort();
  expect(importsOf("main.js")).toEqual(["dist/command.js"]);
  expect(importsOf("command.js")).toEqual(["dist/ask.js", "dist/main.js"]);
  expect(importsOf("ask.js")).toEqual(["dist/main.js"]);
  expect(importsOf("index.js")).toEqual(["dist/main.js"]);
});
