import { fileURLToPath } from "node:url";

const made = new Map<string, Promise<URL>>();

/**
 * Bundles a worker's code with esbuild, as a data URL. It is only for a program that runs from the TypeScript sources, as this
 * project's tests do; no built file calls it.
 */
export function workerFromSource(source: URL): Promise<URL> {
  let code = made.get(source.href);
  if (code === undefined) made.set(source.href, (code = bundle(source)));
  return code;
}

async function bundle(source: URL): Promise<URL> {
  // A specifier that bundlers cannot see: the package that is published does not hold esbuild.
  const name = "esbuild";
  const { build } = (await import(name)) as typeof import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["libsql"],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return new URL(`data:text/javascript;base64,${code}`);
}
