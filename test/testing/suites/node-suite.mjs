import assert from "node:assert/strict";
import { clusterTest } from "../../../dist/node-test.js";

// Run by testing.test.ts by node:test: the first passes, the second is to fail.

const test = clusterTest({ apply: new URL("menu.yaml", import.meta.url) });

test("a kind of a file", async ({ client, namespace, ready }) => {
  const lunch = { apiVersion: "cafe.example.com/v1", kind: "Menu", metadata: { name: "lunch" } };
  await client.of("cafe.example.com/v1", "Menu").namespace(namespace).create(lunch);
  assert.equal((await ready(lunch)).metadata.namespace, namespace);
});

test("an assertion fails while a Deployment has no pods", async ({ client, namespace, t }) => {
  const spec = { containers: [{ name: "web", image: "busybox" }], serviceAccountName: "none" };
  await client
    .of("apps/v1", "Deployment")
    .namespace(namespace)
    .create({
      metadata: { name: "web" },
      spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } }, spec } },
    });
  assert.equal(t.name, "an assertion fails while a Deployment has no pods");
  assert.equal(1, 2);
});
