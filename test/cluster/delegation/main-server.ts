import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../../src/machinery/crypto/issue-certificate.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { startTcpProxy, type TcpProxy } from "../../helpers/tcp-proxy.js";

const DAY = 86_400_000;

/** A certificate authority, for clients or for front proxies. */
export const authority = (commonName: string): KeyPair =>
  issueCertificate({
    commonName,
    notBefore: Date.now() - DAY,
    notAfter: Date.now() + DAY,
    serial: Buffer.from([1]),
    usage: "ca",
  });

/** A client's certificate that the authority of that name signed. */
export const certified = (by: KeyPair, issuer: string, commonName: string): KeyPair =>
  issueCertificate(
    {
      commonName,
      notBefore: Date.now() - DAY,
      notAfter: Date.now() + DAY,
      serial: Buffer.from([5]),
      usage: "client",
    },
    issuerOf(by, issuer),
  );

/** A main server with RBAC and a front proxy "aggregator", and the account that extension servers ask it with. */
export class MainServer implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly cluster: Cluster,
    /** The authority of its front proxies. */
    readonly proxies: KeyPair,
    /** The way of extension servers to it, which can be cut. */
    readonly way: TcpProxy,
    /** The kubeconfig file of the user "extension", by that way. */
    readonly kubeconfig: string,
  ) {}

  static async start(options: ClusterOptions = {}): Promise<MainServer> {
    const folder = await mkdtemp(join(tmpdir(), "kubets-delegation-"));
    const proxies = authority("proxies");
    const proxyFile = join(folder, "proxies.pem");
    await writeFile(proxyFile, proxies.certificate);
    const cluster = await startCluster({
      ...quietCluster,
      authentication: { requestHeader: { clientCaFile: proxyFile, allowedNames: ["aggregator"] } },
      ...options,
    });
    const way = await startTcpProxy(Number(new URL(cluster.url).port));
    const main = new MainServer(folder, cluster, proxies, way, join(folder, "extension.conf"));
    await main.kubeconfigAt("extension.conf", way.address);
    await main.bind("clusterrolebindings", "delegator", "system:auth-delegator");
    await main.bind("rolebindings", "reader", "extension-apiserver-authentication-reader");
    return main;
  }

  /** Sends a request as the administrator; throws for an answer that is no success. */
  async ask(method: string, path: string, body?: unknown, type?: string): Promise<void> {
    const answer = await call(this.cluster.transport(), method, path, body, { ...(type && { type }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  }

  /** Lets the user "extension" play a role; of a RoleBinding, in kube-system. */
  async bind(resource: "clusterrolebindings" | "rolebindings", name: string, role: string): Promise<void> {
    const isCluster = resource === "clusterrolebindings";
    await this.ask(
      "POST",
      `/apis/rbac.authorization.k8s.io/v1/${isCluster ? "" : "namespaces/kube-system/"}${resource}`,
      {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: isCluster ? "ClusterRole" : "Role", name: role },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "extension" }],
      },
    );
  }

  /** Lets a service account of the namespace default do verbs with the resource of a group. */
  async allow(account: string, verbs: readonly string[], apiGroup: string, resource: string): Promise<void> {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await this.ask("POST", `${rbac}/clusterroles`, {
      metadata: { name: account },
      rules: [{ verbs, apiGroups: [apiGroup], resources: [resource] }],
    });
    await this.ask("POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: account },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: account },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: "default" }],
    });
  }

  /** Makes a service account of the namespace default. Returns a token of it. */
  async account(name: string): Promise<string> {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await this.ask("POST", accounts, { metadata: { name } });
    const answer = await call(this.cluster.transport(), "POST", `${accounts}/${name}/token`, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {},
    });
    const token = answer.at("status.token");
    if (typeof token !== "string") throw new Error(`no token: ${answer.text}`);
    return token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.way.close();
    await this.cluster.close();
    await rm(this.folder, { recursive: true });
  }

  /** Writes a kubeconfig of the user "extension" that names another address. Returns its path. */
  async kubeconfigAt(name: string, address: string): Promise<string> {
    const path = join(this.folder, name);
    const text = this.cluster.kubeconfig({ user: "extension" });
    await writeFile(path, text.replaceAll(new URL(this.cluster.url).host, address));
    return path;
  }
}

export interface Received {
  readonly status: number;
  readonly text: string;
}

/** GETs a path over a connection of its own, with headers, a client's certificate, and the name to verify the server by. */
export function get(
  server: { readonly url: string; readonly caCertificate: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
  pair?: KeyPair,
  servername?: string,
): Promise<Received> {
  const agent = new Agent({
    ca: server.caCertificate,
    ...(servername !== undefined && { servername }),
    ...(pair && { cert: pair.certificate, key: pair.key }),
  });
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => {
        agent.destroy();
        resolve({ status: answer.statusCode ?? 0, text });
      });
    });
    outgoing.on("error", reject).end();
  });
}
