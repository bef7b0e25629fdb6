import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { openEnvelope } from "../../../../src/machinery/wire/protobuf/envelope.js";
import { type WireClient, http1Client } from "../../../helpers/wire-client.js";

// Which media type an Accept header gets, and what each says it is.
const JSON_TYPE = "application/json";
const YAML = "application/yaml";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const TABLE = ";as=Table;g=meta.k8s.io;v=v1";
const METADATA = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1";
const MAPS = "/api/v1/namespaces/default/configmaps";

let cluster: Cluster;
let client: WireClient;

beforeAll(async () => {
  cluster = await startCluster({ controllers: false });
  client = http1Client(cluster);
  const body = JSON.stringify({ metadata: { name: "a" }, data: { k: "v" } });
  const { status } = await client.send({
    method: "POST",
    path: MAPS,
    headers: { "content-type": JSON_TYPE, accept: JSON_TYPE },
    body,
  });
  expect(status).toBe(201);
});
afterAll(async () => {
  client?.close();
  await cluster?.close();
});

/** The content type, and of protobuf the kind in its envelope. */
async function answered(path: string, accept: string, method = "GET", body?: string): Promise<string> {
  const headers = { accept, "content-type": JSON_TYPE, "user-agent": "test" };
  const answer = await client.send({ method, path, headers, ...(body !== undefined && { body }) });
  const type = String(answer.headers["content-type"]);
  if (type !== PROTOBUF) return `${answer.status} ${type}`;
  const { apiVersion, kind } = openEnvelope(answer.body);
  return `${answer.status} ${apiVersion} ${kind}`;
}

describe("an object requested with the Accept header", () => {
  test.each([
    { accept: PROTOBUF, answer: "200 v1 ConfigMap" },
    { accept: `${PROTOBUF},${JSON_TYPE}`, answer: "200 v1 ConfigMap" },
    { accept: `${JSON_TYPE},${PROTOBUF}`, answer: `200 ${JSON_TYPE}` },
    { accept: `${JSON_TYPE};q=0.5,${PROTOBUF};q=0.9`, answer: "200 v1 ConfigMap" },
    { accept: `*/*,${PROTOBUF}`, answer: "200 v1 ConfigMap" },
    { accept: "*/*", answer: `200 ${JSON_TYPE}` },
    { accept: `${YAML},${PROTOBUF}`, answer: `200 ${YAML}` },
    { accept: PROTOBUF + METADATA, answer: "200 meta.k8s.io/v1 PartialObjectMetadata" },
    { accept: `${PROTOBUF}${TABLE},${JSON_TYPE}`, answer: `200 ${JSON_TYPE}` },
    { accept: `${PROTOBUF}${TABLE},${PROTOBUF}`, answer: "200 v1 ConfigMap" },
    { accept: `${PROTOBUF};stream=watch`, answer: "200 v1 ConfigMap" },
    { accept: PROTOBUF + TABLE, answer: `406 ${JSON_TYPE}` },
    { accept: `${PROTOBUF};stream=other`, answer: `406 ${JSON_TYPE}` },
    { accept: "application/cbor", answer: `406 ${JSON_TYPE}` },
  ])("$accept: $answer", async ({ accept, answer }) => {
    expect(await answered(`${MAPS}/a`, accept)).toBe(answer);
  });
});

describe("other answers requested as protobuf", () => {
  test.each([
    { what: "a list", path: MAPS, answer: "200 v1 ConfigMapList" },
    {
      what: "a list of metadata",
      path: MAPS,
      shape: METADATA_LIST,
      answer: "200 meta.k8s.io/v1beta1 PartialObjectMetadataList",
    },
    { what: "a refusal", path: `${MAPS}/missing`, answer: "404 v1 Status" },
    { what: "an unknown resource", path: "/api/v1/namespaces/default/things", answer: "404 v1 Status" },
    { what: "a deletion", path: `${MAPS}/a?dryRun=All`, method: "DELETE", answer: "200 v1 Status" },
    { what: "a component", path: "/api/v1/componentstatuses", answer: "200 v1 ComponentStatusList" },
    { what: "the API's versions", path: "/api", answer: "200  APIVersions" },
    { what: "the groups", path: "/apis", answer: "200 v1 APIGroupList" },
    { what: "a group's resources", path: "/apis/apps/v1", answer: "200 v1 APIResourceList" },
    {
      what: "a review",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      method: "POST",
      body: JSON.stringify({ spec: { resourceAttributes: { verb: "get", resource: "pods" } } }),
      answer: "201 authorization.k8s.io/v1 SelfSubjectAccessReview",
    },
  ])("$what: $answer", async ({ path, shape = "", method, body, answer }) => {
    expect(await answered(path, PROTOBUF + shape, method, body)).toBe(answer);
  });

  test("406 lists the available media types, also for a client that accepts none of them", async () => {
    const { status, body } = await client.send({ path: MAPS, headers: { accept: "application/cbor" } });
    expect(status).toBe(406);
    expect(JSON.parse(body.toString())).toMatchObject({
      message: `only the following media types are accepted: ${JSON_TYPE}, ${YAML}, ${PROTOBUF}`,
      reason: "NotAcceptable",
    });
  });

  test("a watch is a sequence of frames with their length", async () => {
    const path = `${MAPS}?watch=true&timeoutSeconds=1`;
    const { headers, body } = await client.send({ path, headers: { accept: PROTOBUF } });
    expect(headers["content-type"]).toBe(`${PROTOBUF};stream=watch`);
    expect(body.readUInt32BE(0)).toBe(body.length - 4);
    // WatchEvent: type = 1, object = 2, in which raw = 1 is a document.
    expect(body.subarray(4, 11).toString("latin1")).toBe("\n\x05ADDED");
    expect(openEnvelope(body.subarray(body.indexOf("k8s\0"))).kind).toBe("ConfigMap");
  });
});
