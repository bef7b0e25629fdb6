/**
 * Locates a worker's code: the file `<name>.js` that a build emits beside this module, or a bundle made from `source`, a path
 * below src/server without its extension.
 */
export async function workerLocation(name: string, source: string): Promise<URL> {
  if (!import.meta.url.endsWith(".ts")) return new URL(`./${name}.js`, import.meta.url);
  const { workerFromSource } = await import("./worker-from-source.js");
  return workerFromSource(new URL(`../${source}.ts`, import.meta.url));
}
