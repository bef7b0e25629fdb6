import { fileURLToPath } from "node:url";

let made: Promise<URL> | undefined;

/**
 * The worker's code as a data URL, bundled by esbuild. Only for a program that runs from the TypeScript sources, as
 * this project's tests do; no built file comes here.
 */
export function workerFromSource(): Promise<URL> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<URL> {
  // A specifier that bundlers cannot see: the package that is published does not hold esbuild.
  const name = "esbuild";
  const { build } = (await import(name)) as typeof import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./sqlite-worker.ts", import.meta.url))],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return new URL(`data:text/javascript;base64,${code}`);
}
