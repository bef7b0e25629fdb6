// An esbuild plugin: how the bundle gets Node's own modules. `process.getBuiltinModule` serves both kinds of importer.
// - An `import` statement of one makes Node build a namespace object first, which reads every lazy getter of the module and
//   so loads streams for node:fs, web crypto for node:crypto: milliseconds of a start.
// - CommonJS dependencies would need createRequire in every file.
import { builtinModules } from "node:module";
import { relative } from "node:path";

/** What commander requires for programs that are files of their own; kubets has none, and it is slow to load. */
const ON_USE = new Set(["node:child_process"]);

/** Modules of functions only, which few commands call and which take a millisecond to load. */
const ON_CALL = new Set(["node:fs/promises"]);
const callOf = (path, name) =>
  `export const ${name} = (...args) => process.getBuiltinModule(${JSON.stringify(path)}).${name}(...args);`;

export const nodeBuiltins = {
  name: "node-builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind, importer }) => {
      // Names are listed when the bundle is built, so this Node must have the module.
      if (kind === "import-statement" && builtinModules.includes(path.slice("node:".length))) {
        // One for each importer: a shared one would be a file of its own.
        return {
          path: `${path}?${relative(process.cwd(), importer)}`,
          namespace: "imported-builtin",
          pluginData: path,
          sideEffects: false,
        };
      }
      if (kind !== "require-call") return undefined;
      const onUse = ON_USE.has(path) && /\bcommander\b/.test(importer);
      return { path, namespace: onUse ? "builtin-on-use" : "builtin" };
    });
    // Older CommonJS packages leave "node:" out.
    build.onResolve({ filter: /^[a-z0-9_]+(\/[a-z]+)*$/ }, ({ path, kind }) =>
      kind === "require-call" && builtinModules.includes(path)
        ? { path: `node:${path}`, namespace: "builtin" }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: "imported-builtin" }, async ({ pluginData: path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== "default");
      if (ON_CALL.has(path)) return { contents: names.map((name) => callOf(path, name)).join("\n") };
      return {
        contents: `
          const whole = () => process.getBuiltinModule(${JSON.stringify(path)});
          const take = (name) => whole()[name];
          export default /* @__PURE__ */ whole();
          ${names.map((name) => `export const ${name} = /* @__PURE__ */ take("${name}");`).join("\n")}`,
      };
    });
    build.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `
        const found = process.getBuiltinModule(${JSON.stringify(path)});
        if (!found) throw Object.assign(new Error("No such built-in module: ${path}"), { code: "ERR_UNKNOWN_BUILTIN_MODULE" });
        module.exports = found;`,
    }));
    build.onLoad({ filter: /./, namespace: "builtin-on-use" }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => process.getBuiltinModule(${JSON.stringify(path)})[name] });`,
    }));
  },
};
