import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "../../src/client/transport/create-transport.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { serveEtcdStandIn } from "../../src/cluster/envtest/etcd-stand-in.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";
import { call } from "./api-caller.js";
import { type EtcdServer, etcdMissing, startEtcd } from "./etcd.js";
import { eventually } from "./eventually.js";
import { freePorts } from "./free-ports.js";
import { type RunningCli, startCli } from "./run-cli.js";

/** The files that a control plane's installer makes for kube-apiserver, by kubeadm's names, and an etcd. */
export interface ApiserverFolder {
  readonly path: string;
  /** "http://127.0.0.1:2379": of etcd where there is one, else of its stand-in. */
  readonly etcd: string;
  dispose(): Promise<void>;
}

const DAY = 86_400_000;

export async function makeApiserverFolder(): Promise<ApiserverFolder> {
  const path = await mkdtemp(join(tmpdir(), "kubets-apiserver-"));
  await Promise.all(Object.entries(files()).map(([name, text]) => writeFile(join(path, name), text)));
  const etcd = await openEtcd();
  return {
    path,
    etcd: etcd.url,
    async dispose() {
      await etcd.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

function files(): Record<string, string> {
  let serial = 0;
  const terms = () => ({
    notBefore: Date.now() - DAY,
    notAfter: Date.now() + DAY,
    serial: Buffer.alloc(16, ++serial),
  });
  const authority = (commonName: string): KeyPair => issueCertificate({ commonName, ...terms(), usage: "ca" });
  const [ca, proxyCa] = [authority("kubernetes"), authority("front-proxy-ca")];
  const client = (signer: KeyPair, name: string, commonName: string, organizations: readonly string[] = []): KeyPair =>
    issueCertificate({ commonName, organizations, ...terms(), usage: "client" }, issuerOf(signer, name));
  const pairs: Readonly<Record<string, KeyPair>> = {
    ca,
    "front-proxy-ca": proxyCa,
    apiserver: issueCertificate(
      { commonName: "kube-apiserver", ...terms(), usage: "server", names: ["127.0.0.1", "localhost"] },
      issuerOf(ca, "kubernetes"),
    ),
    admin: client(ca, "kubernetes", "kubernetes-admin", ["system:masters"]),
    "apiserver-kubelet-client": client(ca, "kubernetes", "kube-apiserver-kubelet-client", ["system:masters"]),
    "front-proxy-client": client(proxyCa, "front-proxy-ca", "front-proxy-client"),
  };
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    ...Object.fromEntries(
      Object.entries(pairs).flatMap(([name, { certificate, key }]) => [
        [`${name}.crt`, certificate],
        [`${name}.key`, key],
      ]),
    ),
    "sa.key": privateKey,
    "sa.pub": publicKey,
    "egress.yaml": "apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections: []\n",
    "audit.yaml": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n",
  };
}

async function openEtcd(): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (etcdMissing === undefined) {
    const server: EtcdServer = await startEtcd();
    return { url: server.endpoint, close: () => server.dispose() };
  }
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const stop = new AbortController();
  const ended = serveEtcdStandIn([url], stop.signal, 0);
  return {
    url,
    async close() {
      stop.abort();
      await ended;
    },
  };
}

/** The least that the server needs to start. */
export const neededFlags = ({ etcd }: ApiserverFolder): readonly string[] => [
  "--authorization-mode=RBAC",
  "--bind-address=127.0.0.1",
  "--cert-dir=certs",
  "--client-ca-file=ca.crt",
  `--etcd-servers=${etcd}`,
  "--service-account-issuer=https://kubernetes.default.svc",
  "--service-account-key-file=sa.pub",
  "--service-account-signing-key-file=sa.key",
];

/** `kubets apiserver` in this process, ready to answer. */
export interface RunningApiserver {
  readonly port: number;
  /** As the administrator. */
  readonly admin: Transport;
  readonly anonymous: Transport;
  readonly cli: RunningCli;
  /** Ends it as Ctrl-C does, and returns its exit code and log. */
  stop(): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** Starts the server on a free port with these flags; files are named as they lie in the folder. */
export async function startApiserver(folder: ApiserverFolder, flags: readonly string[]): Promise<RunningApiserver> {
  const [port = 0] = await freePorts(1);
  const cli = startCli(["apiserver", ...flags, `--secure-port=${port}`], { cwd: folder.path });
  const reach = (files: { readonly certFile?: string; readonly keyFile?: string } = {}): Transport =>
    createTransport({ server: `https://127.0.0.1:${port}`, tls: { insecureSkipVerify: true, ...files } });
  const file = (name: string): string => join(folder.path, name);
  const admin = reach({ certFile: file("admin.crt"), keyFile: file("admin.key") });
  const anonymous = reach();
  let ended: ReturnType<RunningCli["interrupt"]> | undefined;
  const stop = async (): Promise<{ code: number; stderr: string }> => {
    await Promise.all([admin.close(), anonymous.close()]);
    ended ??= cli.interrupt();
    return ended;
  };
  try {
    const hasFailed = (): boolean => cli.stderr().includes("command failed");
    await eventually(async () => {
      if (hasFailed()) return;
      const { status, text } = await call(admin, "GET", "/readyz");
      if (status !== 200) throw new Error(`${text}\n${cli.stderr()}`);
    });
    if (hasFailed()) throw new Error(cli.stderr());
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, admin, anonymous, cli, stop };
}
