import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aggregatedDiscovery, apiGroupList, apiResourceList } from "../../../src/api/discovery/index.js";
import { groupVersionsOf, releaseOf } from "../../../src/api/facts/index.js";
import { openApiV2Json, openApiV3Document, openApiV3Index } from "../../../src/api/openapi/index.js";

// Digests of what a server of 1.36 publishes, taken when it was the only version that there was. The texts of descriptions do not count.
// DOCUMENTS=write writes them anew.
const file = join(import.meta.dirname, "../../testdata/kubernetes-1.36-documents.json");

const decoder = new TextDecoder();

/** A description is a text; a field of that name is an object. */
const withoutDescriptions = (text: string): string =>
  JSON.stringify(JSON.parse(text), (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  );

const digestOf = (document: Uint8Array | object): string => {
  const text = document instanceof Uint8Array ? decoder.decode(document) : JSON.stringify(document);
  return createHash("sha256").update(withoutDescriptions(text)).digest("base64url").slice(0, 16);
};

test.each([
  ["by default", {}],
  ["with every version", { "api/all": true }],
])("discovery and OpenAPI documents of 1.36 equal the recorded ones: %s", async (name, runtimeConfig) => {
  const api = (await releaseOf("1.36")).builtInApi(runtimeConfig);
  const digests: Record<string, string> = {
    "/apis": digestOf(apiGroupList(api)),
    "/api aggregated": digestOf(aggregatedDiscovery(api, "api")),
    "/apis aggregated": digestOf(aggregatedDiscovery(api, "apis")),
    "/openapi/v2": digestOf(openApiV2Json(api)),
  };
  for (const groupVersion of groupVersionsOf(api)) {
    digests[groupVersion] = digestOf(apiResourceList(api, groupVersion) ?? {});
  }
  for (const path of Object.keys(openApiV3Index(api).paths)) {
    digests[`/openapi/v3/${path}`] = digestOf(openApiV3Document(api, path) ?? {});
  }
  const known = readKnown();
  if (process.env["DOCUMENTS"] === "write") {
    writeFileSync(file, `${JSON.stringify({ ...known, [name]: digests }, undefined, 1)}\n`);
  }
  expect(digests).toEqual(readKnown()[name]);
});

function readKnown(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof readKnown>;
}
