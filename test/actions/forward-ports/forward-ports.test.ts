import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forwardPorts } from "../../../src/actions/index.js";
import { configFromText, type KubernetesClient, kubernetesClient } from "../../../src/index.js";
import { type LocalKubelet, startLocalKubelet } from "../../helpers/local-kubelet.js";

const server = createServer((_, response) => response.end("hello"));
let kubelet: LocalKubelet;
let client: KubernetesClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  kubelet = await startLocalKubelet({ folder: tmpdir(), ports: { 80: (server.address() as AddressInfo).port } });
  await kubelet.pod("web");
  client = kubernetesClient(await configFromText(kubelet.cluster.kubeconfig()));
});

afterAll(async () => {
  await client.close();
  await kubelet[Symbol.asyncDispose]();
  server.close();
});

const get = async (port: number): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).text();

describe("forwardPorts()", () => {
  it("resolves with the local ports that it opened, and closes them on request", async () => {
    const forwarded = await forwardPorts(client, { pod: "web", namespace: "default", ports: [":80", ":81"] });
    expect(forwarded.ports.map(({ remote }) => remote)).toEqual([80, 81]);
    const local = forwarded.ports[0]?.local ?? 0;
    expect(await get(local)).toBe("hello");
    await forwarded.close();
    await expect(forwarded.closed).resolves.toBeUndefined();
    await expect(get(local)).rejects.toThrow("fetch failed");
  });

  it("reports when it loses the connection to the pod", async () => {
    const forwarded = await forwardPorts(client, { pod: "web", namespace: "default", ports: [":80"] });
    kubelet.cutAll();
    await expect(forwarded.closed).rejects.toThrow("lost connection to pod");
  });

  it("ends when its signal aborts", async () => {
    const stop = new AbortController();
    const forwarded = await forwardPorts(client, {
      pod: "web",
      namespace: "default",
      ports: [":80"],
      signal: stop.signal,
    });
    stop.abort();
    await expect(forwarded.closed).resolves.toBeUndefined();
  });

  it.each([
    { options: { pod: "none", ports: [":80"] }, error: 'pods "none" not found' },
    { options: { pod: "web", ports: ["x"] }, error: "error parsing local port 'x'" },
    { options: { pod: "web", ports: [":80"], addresses: ["here"] }, error: "here is not a valid IP" },
    { options: { pod: "web", ports: [":80"], addresses: ["203.0.113.9"] }, error: "unable to listen on any" },
  ])("rejects with the error for a wrong pod or port: $error", async ({ options, error }) => {
    await expect(forwardPorts(client, { namespace: "default", ...options })).rejects.toThrow(error);
  });
});
