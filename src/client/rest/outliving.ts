import type { RestClient } from "./rest-client.js";

/** The same client, whose requests clean up: the end of its command does not end them. */
export function outliving(client: RestClient): RestClient {
  return {
    server: client.server,
    random: client.random,
    request: (request) => client.request({ ...request, outlives: true }),
    stream: (request) => client.stream({ ...request, outlives: true }),
    wrapped: client,
    close: () => client.close(),
  };
}
