// An esbuild plugin: CommonJS dependencies in an ESM bundle get Node's own modules without createRequire, which would have
// to stand in every file.

/** What commander requires for programs that are files of their own; kubets has none, and node:child_process is slow to load. */
const ON_USE = new Set(["node:child_process"]);

export const nodeModulesOfCommonJs = {
  name: "node-modules-of-commonjs",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind, importer }) => {
      if (kind !== "require-call") return undefined;
      const onUse = ON_USE.has(path) && importer.includes("commander");
      return { path, namespace: onUse ? "builtin-on-use" : "builtin" };
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
