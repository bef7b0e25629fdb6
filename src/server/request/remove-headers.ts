import type { Exchange } from "./exchange.js";

/** Takes headers off an exchange, by their lower-case names, so that nothing that handles it later can read them. */
export function removeHeaders(exchange: Exchange, test: (name: string) => boolean): void {
  const headers = exchange.headers as Record<string, string | undefined>;
  for (const name of Object.keys(headers)) if (test(name)) delete headers[name];
}
