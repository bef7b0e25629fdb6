/** The modules that a command needs to talk to a server, as one: main loads it in one step, and the build makes one file of it. */
export { createCachedDiscovery } from "../../client/discovery/cached-discovery.js";
export { createRestMapper } from "../../client/mapper/discovery-mapper.js";
export { giveUpDefaultAuthorities } from "../../client/transport/tls-options.js";
export { createRestClient } from "../../client/rest/create-rest-client.js";
export { createBuilder } from "../../resource/create-builder.js";
