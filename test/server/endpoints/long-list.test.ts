import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

const COUNT = 6000;
const MAPS = "/api/v1/namespaces/default/configmaps";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ port: false });
  const api = cluster.transport();
  for (let from = 0; from < COUNT; from += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const name = `map-${String(from + index).padStart(5, "0")}`;
        return call(api, "POST", MAPS, {
          metadata: { name, labels: { long: "" } },
          data: { key: "value ".repeat(40) },
        });
      }),
    );
  }
});
afterAll(() => cluster.close());

/** Reads an answer; tells how often others had the event loop between its first byte and its last. */
async function readCountingTurns(path: string, accept: string): Promise<{ text: string; turns: number }> {
  const { body } = await cluster.transport().send({ method: "GET", path, headers: { accept } });
  let turns = 0;
  let reading = true;
  const count = (): void => {
    turns++;
    if (reading) setImmediate(count);
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    if (chunks.length === 0) count();
    chunks.push(chunk);
  }
  reading = false;
  return { text: Buffer.concat(chunks).toString("utf8"), turns };
}

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

describe("a long list is encoded in time slices, while other requests are answered", () => {
  test.each([
    { name: "an indented list", path: `${MAPS}?pretty=true`, accept: "application/json" },
    { name: "a list in YAML", path: MAPS, accept: "application/yaml" },
    { name: "a table", path: MAPS, accept: TABLE },
    { name: "a list of metadata", path: MAPS, accept: METADATA },
    { name: "a table with whole objects", path: `${MAPS}?includeObject=Object`, accept: TABLE },
    { name: "the initial events of a watch", path: `${MAPS}?watch=true&timeoutSeconds=2`, accept: "application/json" },
    { name: "the initial events of a table", path: `${MAPS}?watch=true&timeoutSeconds=2`, accept: TABLE },
  ])("$name", async ({ path, accept }) => {
    const { text, turns } = await readCountingTurns(path, accept);
    expect(text.match(/map-\d{5}\b/g)?.filter((name, index, all) => all.indexOf(name) === index).length ?? 0).toBe(
      COUNT,
    );
    // It takes dozens of slices; one or two would mean that it was made at one go.
    expect(turns).toBeGreaterThan(3);
  });
});
