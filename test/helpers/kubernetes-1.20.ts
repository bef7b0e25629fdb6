import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createTransport } from "../../src/client/transport/create-transport.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Answer, call, type CallOptions } from "./api-caller.js";
import { freePorts } from "./free-ports.js";

/** What build-kubernetes-1.20.sh made of Debian's packages: bin/kube-apiserver and its PKI. */
export const kubernetesFolder =
  process.env["PEER"] ?? join(homedir(), ".cache", "kubets-test-tools", "kubernetes-1.20");
export const kubernetesProgram = join(kubernetesFolder, "bin", "kube-apiserver");

/** Why tests with a kube-apiserver 1.20 are skipped; undefined when there is one. */
export const kubernetesMissing: string | undefined = existsSync(kubernetesProgram)
  ? undefined
  : `there is no ${kubernetesProgram} (on Debian: PEER=${kubernetesFolder} ../shared/tools/build-kubernetes-1.20.sh builds it in 4 minutes)`;

export interface RealApiServer {
  /** For clients inside this process, as a member of system:masters. */
  readonly transport: Transport;
  /** One request of a member of system:masters. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** A kubeconfig (JSON) of the same user. */
  kubeconfig(): string;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

/** A kube-apiserver 1.20.2 on the store of an etcd, on a free port of the loopback. `more` are further flags of it. */
export async function startKubernetes({
  etcd,
  more = [],
}: {
  readonly etcd: string;
  readonly more?: readonly string[];
}): Promise<RealApiServer> {
  const [port] = await freePorts(1);
  const pki = (name: string): string => join(kubernetesFolder, "pki", name);
  const certificates = mkdtempSync(join(tmpdir(), "kubets-kubernetes-"));
  const flags = [
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${certificates}`,
    `--etcd-servers=${etcd}`,
    `--tls-cert-file=${pki("apiserver.crt")}`,
    `--tls-private-key-file=${pki("apiserver.key")}`,
    `--client-ca-file=${pki("ca.crt")}`,
    `--token-auth-file=${pki("tokens.csv")}`,
    `--service-account-key-file=${pki("sa.pub")}`,
    `--service-account-signing-key-file=${pki("sa.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--allow-privileged=true",
    "--endpoint-reconciler-type=none",
    "--authorization-mode=RBAC",
    // 1.36 keeps its flow schemas in a version that 1.20 does not know, without which it would never be ready.
    "--enable-priority-and-fairness=false",
    ...more,
  ];
  const child = spawn(kubernetesProgram, flags, { stdio: ["ignore", "ignore", "pipe"] });
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4000);
  });
  const transport = createTransport({
    server: `https://127.0.0.1:${port}`,
    tls: { insecureSkipVerify: false, caFile: pki("ca.crt") },
  });
  const administrator: Transport = {
    send: ({ headers, ...request }) =>
      transport.send({ ...request, headers: { ...headers, authorization: "Bearer admintoken" } }),
    close: async () => undefined,
  };
  const server: RealApiServer = {
    transport: administrator,
    call: (method, path, body, options) => call(administrator, method, path, body, options),
    kubeconfig: () =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
          { name: "k", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": pki("ca.crt") } },
        ],
        users: [{ name: "k", user: { token: "admintoken" } }],
        contexts: [{ name: "k", context: { cluster: "k", user: "k" } }],
        "current-context": "k",
      }),
    async stop() {
      process.off("exit", killAtExit);
      child.kill("SIGTERM");
      await ended;
      await transport.close();
      rmSync(certificates, { recursive: true, force: true });
    },
  };
  while (!(await isReady(server))) {
    if (child.exitCode !== null) throw new Error(`kube-apiserver ended with code ${child.exitCode}: ${log}`);
    await setTimeout(100);
  }
  return server;
}

/** Not before its port is open, and not while it still starts. */
async function isReady(server: RealApiServer): Promise<boolean> {
  try {
    return (await server.call("GET", "/readyz")).text === "ok";
  } catch {
    return false;
  }
}
