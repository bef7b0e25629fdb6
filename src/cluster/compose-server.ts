import type { Composition } from "./composition.js";
import type { ServerOptions } from "./options/server-options.js";
import type { RunningServer } from "./running-server.js";
import { Options } from "./stages/options.js";

/**
 * Takes a server through all of its stages. Rejects invalid options before it opens anything, and rejects with the signal's reason
 * when that aborts before the server serves.
 */
export async function composeServer(options: ServerOptions, composition: Composition): Promise<RunningServer> {
  const { signal } = options;
  if (signal === undefined) return compose(options, composition);
  signal.throwIfAborted();
  // The caller's signal may live as long as the server, which it does not end.
  const start = new AbortController();
  const end = (): void => start.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await compose({ ...options, signal: start.signal }, composition);
  } catch (error) {
    throw start.signal.aborted ? start.signal.reason : error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function compose(options: ServerOptions, composition: Composition): Promise<RunningServer> {
  const config = await new Options(options, composition).toConfig();
  const server = await config.complete().newServer(composition.name ?? "kubets");
  return server.prepareRun().start({ signal: options.signal });
}
