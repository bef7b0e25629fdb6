/** Where the worker's code is: the file a build emits beside this module's, or made on the fly from the sources. */
export async function sqliteWorkerLocation(): Promise<URL> {
  if (!import.meta.url.endsWith(".ts")) return new URL("./sqlite-worker.js", import.meta.url);
  const { workerFromSource } = await import("./worker-from-source.js");
  return workerFromSource();
}
