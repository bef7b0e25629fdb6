import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";

const { toCommonJs, bridgeTo } = (await import("../../tools/common-js.mjs" as string)) as {
  readonly toCommonJs: (file: { readonly name: string; readonly contents: Uint8Array }) => {
    readonly name: string;
    readonly contents: string;
  };
  readonly bridgeTo: (name: string) => { readonly name: string; readonly contents: string };
};

const converted = (code: string): string => toCommonJs({ name: "a.js", contents: Buffer.from(code) }).contents;

test("the build writes an ES module as .cjs, with imports first and exports last, under renamed bindings", () => {
  const code = 'var x=1;import{a,b as c}from"./b.js";import"./d.js";function f(){return a+c+x}export{f,x as y};\n';
  expect(toCommonJs({ name: "a.js", contents: Buffer.from(code) })).toEqual({
    name: "a.cjs",
    contents:
      '"use strict";require("./d.cjs");const {a,b:c}=require("./b.cjs");var x=1;function f(){return a+c+x}\nmodule.exports={f,y:x};\n',
  });
});

test("the build leaves external CommonJS as it is", () => {
  expect(converted('import{a as b}from"../c-d.cjs";b();')).toBe('"use strict";const {a:b}=require("../c-d.cjs");b();');
});

test("the build turns a dynamic import into a require at that moment, and an external ES module into a bridge", () => {
  expect(converted('let b=()=>import("./b.js"),n=()=>import("node:zlib"),o=()=>import("../o-p.js");')).toBe(
    '"use strict";let b=()=>Promise.resolve().then(()=>require("./b.cjs")),n=()=>Promise.resolve().then(()=>require("node:zlib")),o=()=>Promise.resolve().then(()=>require("../o-p.cjs"));',
  );
  expect(bridgeTo("o-p")).toEqual({ name: "o-p.cjs", contents: 'module.exports=import("./o-p.js");\n' });
});

test("the build writes ASCII with the same meaning", () => {
  const contents = converted("var r=/^[µμ]s 😀$/u;export{r};\n");
  expect(contents).toMatch(/^[\n\x20-\x7e]*$/);
  const context = createContext({ module: { exports: {} } });
  runInContext(contents, context);
  expect(runInContext('module.exports.r.test("μs 😀")', context)).toBe(true);
});

test.each([
  'import{a}from"elsewhere";',
  'import{a}from"../es-module.js";',
  'export*from"./b.js";',
  'let a=()=>import("elsewhere");',
  "import.meta.dirname",
])("the build stops at syntax that it does not support: %s", (code) => {
  expect(() => converted(code)).toThrow("a.js uses what CommonJS does not have: ");
});
