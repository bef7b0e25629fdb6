import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const LARGE = { metadata: { name: "large" }, data: { text: "x".repeat(200_000) } };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ port: false });
  await call(cluster.transport(), "POST", MAPS, LARGE);
  await call(cluster.transport(), "POST", MAPS, { metadata: { name: "small" } });
});
afterAll(() => cluster.close());

describe("the server compresses for a client that accepts gzip", () => {
  test.each([
    { name: "a large object", path: `${MAPS}/large`, accepts: "gzip", zipped: true },
    { name: "a large list", path: MAPS, accepts: "deflate, gzip", zipped: true },
    { name: "a large list in YAML", path: MAPS, accepts: "gzip", accept: "application/yaml", zipped: true },
    { name: "what a write answers", method: "PUT", path: `${MAPS}/large`, body: LARGE, accepts: "gzip", zipped: true },
    { name: "a small object", path: `${MAPS}/small`, accepts: "gzip", zipped: false },
    { name: "nothing, for the word with a weight", path: MAPS, accepts: "gzip;q=1.0, *;q=0.5", zipped: false },
    { name: "no watch", path: `${MAPS}?watch=true&timeoutSeconds=1`, accepts: "gzip", zipped: false },
  ])("$name", async ({ method = "GET", path, body, accepts, accept, zipped }) => {
    const headers = { "accept-encoding": accepts };
    const { status, headers: head } = await call(cluster.transport(), method, path, body, {
      headers,
      ...(accept && { accept }),
    });
    expect(status).toBe(200);
    expect(head["content-encoding"]).toBe(zipped ? "gzip" : undefined);
    expect([head["vary"] ?? []].flat()).toEqual(zipped ? ["Accept-Encoding"] : []);
  });
});

test("a watch is sent as JSON or protobuf, and refused as YAML", async () => {
  const answer = await call(cluster.transport(), "GET", `${MAPS}?watch=true`, undefined, {
    accept: "application/yaml",
  });
  expect(answer.status).toBe(406);
  expect(answer.headers["content-type"]).toBe("application/yaml");
  expect(answer.text.replace(/\n\s+/g, " ")).toContain(
    "message: 'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch'",
  );
});
