import type { Streams } from "../../cli/connect/factory.js";
import { parseRequestUri } from "../../cli/request-uri.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { writeOutput } from "../../cli/write-output.js";

/** Prints the answer's bytes as they arrive. */
export async function getRaw(
  client: RestClient,
  { raw, signal }: { readonly raw: string; readonly signal: AbortSignal },
  streams: Streams,
): Promise<void> {
  const { body } = await client.stream({ method: "GET", ...parseRequestUri(raw), userPath: true, signal });
  for await (const chunk of body) await writeOutput(streams.out, chunk);
}
