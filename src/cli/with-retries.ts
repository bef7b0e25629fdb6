import { setTimeout as sleepFor } from "node:timers/promises";
import type { RestClient } from "../client/rest/rest-client.js";
import { retryReads } from "../client/rest/retry-reads.js";
import type { Streams } from "./connect/factory.js";
import type { Flags } from "../component/flags/flag-set.js";

/** Wraps the client for --retry, a flag of kubets: it writes a line to stderr for each retry. */
export function withRetries(client: RestClient, flags: Flags, { err }: Streams): RestClient {
  const retries = flags.number("retry");
  if (retries < 0) throw new Error("--retry must not be less than zero");
  if (retries === 0) return client;
  return retryReads(client, {
    retries,
    sleep: (milliseconds, signal) => sleepFor(milliseconds, undefined, signal && { signal }),
    tell: ({ message }, attempt, wait) => {
      err.write(`Trying again in ${wait / 1000}s (${attempt} of ${retries}): ${message}\n`);
    },
  });
}
