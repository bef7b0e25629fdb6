import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createConfigLoader } from "../../../src/client/config/config-loader.js";
import { type ConfigOverrides, noOverrides } from "../../../src/client/config/config-overrides.js";

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://elsewhere:6443"}}]
contexts: [{name: c, context: {cluster: c}}]
current-context: c
users: []
`;

const POD = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

describe("the client configuration inside a pod", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-pod-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  interface Row {
    readonly title: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly overrides?: Partial<ConfigOverrides>;
    readonly server: string;
    readonly token?: string;
    /** Below the folder. */
    readonly tokenFile?: string;
    readonly caFile?: string;
    readonly namespace: string;
  }
  const mounted = { token: "abc", "ca.crt": "PEM", namespace: "shop\n" };
  const inPod = { server: "https://10.96.0.1:443", token: "abc", tokenFile: "token", caFile: "ca.crt" };
  const rows: readonly Row[] = [
    { title: "is the service account's", files: mounted, env: POD, ...inPod, namespace: "shop" },
    {
      title: "puts brackets around an IPv6 address",
      files: mounted,
      env: { ...POD, KUBERNETES_SERVICE_HOST: "fd00::1" },
      ...inPod,
      server: "https://[fd00::1]:443",
      namespace: "shop",
    },
    {
      title: "does without a CA and a namespace",
      files: { token: "abc" },
      env: POD,
      server: "https://10.96.0.1:443",
      token: "abc",
      tokenFile: "token",
      namespace: "default",
    },
    {
      title: "takes POD_NAMESPACE before the file",
      files: mounted,
      env: { ...POD, POD_NAMESPACE: "env" },
      ...inPod,
      namespace: "env",
    },
    {
      title: "takes -n before both",
      files: mounted,
      env: POD,
      overrides: { namespace: "n" },
      ...inPod,
      namespace: "n",
    },
    {
      title: "takes --server and keeps the credentials",
      files: mounted,
      env: POD,
      overrides: { server: "https://other:1" },
      server: "https://other:1",
      namespace: "shop",
    },
    { title: "is not looked for without a token", env: POD, server: "http://localhost:8080", namespace: "default" },
    {
      title: "is not looked for when the token is a directory",
      files: { "token/x": "" },
      env: POD,
      server: "http://localhost:8080",
      namespace: "default",
    },
    {
      title: "is not looked for without the service's port",
      files: mounted,
      env: { KUBERNETES_SERVICE_HOST: "10.96.0.1" },
      server: "http://localhost:8080",
      namespace: "default",
    },
    {
      title: "yields to a kubeconfig, which keeps the pod's namespace when it names none",
      files: { ...mounted, config: KUBECONFIG },
      env: POD,
      server: "https://elsewhere:6443",
      namespace: "shop",
    },
  ];

  test.each(rows)("$title", async ({ files = {}, env = {}, overrides = {}, ...expected }) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const config = await createConfigLoader({
      overrides: { ...noOverrides, ...overrides },
      env: { HOME: folder, KUBECONFIG: join(folder, "config"), ...env },
      cwd: folder,
      userAgent: "test",
      serviceAccountFolder: folder,
    }).clientConfig();
    const below = (name: string | undefined) => (name === undefined ? undefined : join(folder, name));
    expect(config.server).toBe(expected.server);
    expect(config.auth).toEqual({
      ...(expected.token !== undefined && { token: expected.token, tokenFile: below(expected.tokenFile) }),
    });
    expect(config.tls.caFile).toBe(below(expected.caFile));
    expect(config.namespace).toBe(expected.namespace);
    expect(config.namespaceEnforced).toBe(overrides.namespace !== undefined);
  });
});
