/**
 * What a command that talks to a server needs of the modules below, as one: main loads it in one step, and the build
 * makes one file of it.
 */
export { createCachedDiscovery } from "../../client/discovery/cached-discovery.js";
export { createRestMapper } from "../../client/mapper/discovery-mapper.js";
export { giveUpDefaultAuthorities } from "../../client/transport/default-authorities.js";
export { createRestClient } from "../../client/rest/create-rest-client.js";
export { createBuilder } from "../../resource/create-builder.js";
