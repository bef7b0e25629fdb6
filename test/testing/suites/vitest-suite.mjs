import { expect } from "vitest";
import { waitFor } from "../../../dist/index.js";
import { clusterTest } from "../../../dist/vitest.js";

// Run by testing.test.ts by Vitest: the first two pass, the others are to fail.

const test = clusterTest({ apply: new URL("menu.yaml", import.meta.url) });
const pod = (spec = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [{ name: "web", image: "busybox", command: ["sleep", "3600"] }], ...spec },
});

test("A pod becomes ready!", async ({ client, namespace, ready }) => {
  expect(namespace).toBe("a-pod-becomes-ready-1");
  await client.of("v1", "Pod").namespace(namespace).create(pod());
  const { status } = await ready(pod());
  expect(status?.phase).toBe("Running");
});

test("a namespace of its own, and a kind of a file", async ({ client, namespace }) => {
  expect((await client.of("v1", "Pod").namespace(namespace).list()).items).toEqual([]);
  await client
    .of("cafe.example.com/v1", "Menu")
    .namespace(namespace)
    .create({ metadata: { name: "lunch" } });
});

test("what is awaited does not become ready", async ({ client, namespace, ready }) => {
  const command = ["sh", "-c", "echo last words; sleep 3600"];
  const readinessProbe = { exec: { command: ["false"] }, periodSeconds: 1 };
  const unready = pod({ containers: [{ name: "web", image: "busybox", command, readinessProbe }] });
  await client.of("v1", "Pod").namespace(namespace).create(unready);
  await ready(unready, { timeout: 2500 });
});

test("an expectation fails while a pod is not ready", async ({ client, namespace }) => {
  await client
    .of("v1", "Pod")
    .namespace(namespace)
    .create(pod({ nodeSelector: { disk: "none" } }));
  await waitFor(client.of("v1", "Pod").namespace(namespace), "web", ({ status }) => status?.conditions !== undefined);
  expect(1).toBe(2);
});
