import { errorMessage } from "../base/text/error-message.js";
import { fetchOpenApiV2 } from "../client/openapi/documents.js";
import type { RestClient } from "../client/rest/rest-client.js";

const asked = new WeakMap<RestClient, Promise<void>>();

/**
 * Requests the server's OpenAPI v2 document, once per client. kubectl reads the schemas of its own checks from it; kubets has them
 * built in, and only checks that the document exists. Throws "failed to download openapi: ..." where it does not.
 */
export function downloadLegacyOpenApi(client: RestClient): Promise<void> {
  const answer = asked.get(client) ?? download(client);
  asked.set(client, answer);
  return answer;
}

async function download(client: RestClient): Promise<void> {
  await fetchOpenApiV2(client).catch((error: unknown) => {
    const message = errorMessage(error);
    throw new Error(`failed to download openapi: ${message}`, { cause: error });
  });
}
