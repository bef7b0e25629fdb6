import { Agent, request as httpsRequest } from "node:https";
import { expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/machinery/meta/json.js";
import { type Answer, call } from "../helpers/api-caller.js";

/** What no answer to an attacker may hold: it is the value of every secret that a test plants. */
export const JEWEL = "crown-jewel-5d1e77";
const JEWEL_FORMS = [JEWEL, Buffer.from(JEWEL).toString("base64")];

export const MERGE = "application/merge-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const APPLY = "application/apply-patch+yaml";

/** What an attacker sends. Nothing in it is normalised on the way: the path goes out as it is. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  /** Text, or a value that becomes JSON. */
  readonly body?: unknown;
  readonly type?: string;
  /** A list sends the header several times. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/**
 * Who sends it: "jane,devs,ops" is a certificate of jane in two groups, "bearer TOKEN" a token, "nobody" has no credentials,
 * and a pair is any certificate.
 */
export type Who = string | { readonly certificate: string; readonly key: string };

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** One row of a table: what is tried, by whom, what is sent, and what the answer must be. */
export type Try = readonly [
  title: string,
  who: string,
  request: string,
  /** "403 Forbidden": the code and the reason of the Status; "404" alone for an answer that is no Status. */
  answer: string,
  body?: unknown,
  options?: Pick<Shot, "type" | "headers">,
];

/** A cluster on a port of its own, and its attackers. Its controllers are off, so that nothing but requests changes it. */
export class Arena implements AsyncDisposable {
  readonly admin: Transport;
  readonly #agents = new Map<string, Agent>();
  /** The server's own faults; an attack must not cause one. */
  readonly faults: unknown[];

  private constructor(
    readonly cluster: Cluster,
    faults: unknown[],
  ) {
    this.admin = cluster.transport();
    this.faults = faults;
  }

  static async open(options: ClusterOptions = {}): Promise<Arena> {
    const faults: unknown[] = [];
    const onError = (error: unknown): void => void faults.push(error);
    const cluster = await startCluster({ controllers: false, scheduler: false, onError, ...options });
    return new Arena(cluster, faults);
  }

  /** Sends a request of the administrator, which must succeed. */
  async make(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
    const answer = await call(this.admin, method, path, body, type === undefined ? {} : { type });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer;
  }

  create(path: string, body: unknown): Promise<Answer> {
    return this.make("POST", path, body);
  }

  /** Gives users ("jane" or "jane,bob") a cluster role of these rules: "get,list secrets", "get apps/deployments web". */
  async allow(users: string, ...rules: readonly string[]): Promise<void> {
    const name = `allowed-${users.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}-${this.#roles++}`;
    await this.create(`${RBAC}/clusterroles`, { metadata: { name }, rules: rules.map(ruleOf) });
    await this.create(`${RBAC}/clusterrolebindings`, bindingOf(name, `ClusterRole/${name}`, users));
  }

  /** The same, in one namespace. */
  async allowIn(namespace: string, users: string, ...rules: readonly string[]): Promise<void> {
    const name = `allowed-${users.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}-${this.#roles++}`;
    const path = `${RBAC}/namespaces/${namespace}`;
    await this.create(`${path}/roles`, { metadata: { name }, rules: rules.map(ruleOf) });
    await this.create(`${path}/rolebindings`, bindingOf(name, `Role/${name}`, users));
  }

  #roles = 0;

  /** A token of a service account. */
  async token(namespace: string, account: string, spec: JsonObject = {}): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    return textIn(await this.create(path, { spec }), "status.token");
  }

  /** Sends one request over TLS, on the attacker's own connection. */
  send(who: Who, shot: Shot): Promise<Received> {
    const { method, path, body, type, headers = {} } = shot;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const { hostname, port } = new URL(this.cluster.url);
    const token = typeof who === "string" && who.startsWith("bearer ") ? who : undefined;
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest({
        agent: this.#agent(who),
        hostname,
        port,
        method,
        path,
        headers: {
          accept: "application/json",
          ...(token !== undefined && { authorization: `Bearer ${token.slice("bearer ".length)}` }),
          ...(text !== undefined && {
            "content-type": type ?? "application/json",
            "content-length": String(Buffer.byteLength(text)),
          }),
          ...headers,
        },
      });
      outgoing.on("upgrade", ({ statusCode = 0, headers }, socket) => {
        socket.destroy();
        resolve({ status: statusCode, headers, text: "" });
      });
      outgoing.on("error", reject).on("response", (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
        answer.on("end", () => {
          const received = Buffer.concat(chunks).toString("utf8");
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: received });
        });
      });
      outgoing.end(text);
    });
  }

  /** What the certificate of a user is made of, as its kubeconfig has it. */
  certificateOf(who: string): { readonly certificate: string; readonly key: string } {
    const [user = "", ...groups] = who.split(",");
    return certificateIn(this.cluster.kubeconfig({ user, groups }));
  }

  #agent(who: Who): Agent {
    const key = typeof who === "string" ? (who.startsWith("bearer ") ? "nobody" : who) : who.certificate;
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      const own = typeof who !== "string" ? who : key === "nobody" ? undefined : this.certificateOf(key);
      agent = new Agent({
        ca: this.cluster.caCertificate,
        keepAlive: true,
        maxSockets: 1,
        ...(own && { cert: own.certificate, key: own.key }),
      });
      this.#agents.set(key, agent);
    }
    return agent;
  }

  /** The number of the last write of any object. */
  async revision(): Promise<string> {
    return textIn(await this.make("GET", "/api/v1/namespaces?limit=1"), "metadata.resourceVersion");
  }

  /**
   * Tries a row: the answer is what it must be, holds no secret, and nothing was written. Answers what came, for what else there is to see.
   */
  async attempt([title, who, request, expected, body, options = {}]: Try): Promise<Received> {
    const cut = request.indexOf(" ");
    const shot = { method: request.slice(0, cut), path: request.slice(cut + 1), body, ...options };
    return this.attemptShot(title, who, shot, expected);
  }

  async attemptShot(title: string, who: Who, shot: Shot, expected: string): Promise<Received> {
    const before = await this.revision();
    const answer = await this.send(who, shot);
    expect(answerOf(answer), `${title}: ${answer.text}`).toBe(expected);
    this.holdsNoSecret(answer);
    expect(await this.revision(), `${title} wrote something`).toBe(before);
    return answer;
  }

  holdsNoSecret({ text, headers }: Pick<Received, "text" | "headers">): void {
    for (const form of [...JEWEL_FORMS, this.cluster.token]) {
      expect(text.includes(form) || JSON.stringify(headers).includes(form), `the answer holds ${form}`).toBe(false);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) agent.destroy();
    await this.cluster.close();
  }
}

/** A test for each row, by its title. */
export function tryAll(rows: readonly Try[], arena: () => Arena): void {
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    await arena().attempt(row);
  });
}

/** The text at a path of an answer. Throws where there is none. */
export function textIn(answer: Answer, path: string): string {
  const found = answer.at(path);
  if (typeof found !== "string") throw new Error(`no text at ${path}: ${answer.text}`);
  return found;
}

export const RBAC = "/apis/rbac.authorization.k8s.io/v1";
export const RBAC_GROUP = "rbac.authorization.k8s.io";

/** "get,list apps/deployments,apps/daemonsets web": verbs, resources of one group, names. "get !/logs" is a path. */
export function ruleOf(text: string): JsonObject {
  const [verbs = "", what = "", names] = text.split(" ");
  if (what.startsWith("!")) return { verbs: verbs.split(","), nonResourceURLs: [what.slice(1)] };
  const [group, resources] = what.includes(":") ? what.split(":") : ["", what];
  return {
    verbs: verbs.split(","),
    apiGroups: [group ?? ""],
    resources: (resources ?? "").split(","),
    ...(names !== undefined && { resourceNames: names.split(",") }),
  };
}

/** A binding of "ClusterRole/admin" or "Role/x" to users, comma-separated; one that begins with "@" is a group. */
export function bindingOf(name: string, role: string, users: string): JsonObject {
  const [kind = "", roleName = ""] = role.split("/");
  return {
    metadata: { name },
    roleRef: { apiGroup: RBAC_GROUP, kind, name: roleName },
    subjects: users.split(",").map((user) => ({
      apiGroup: RBAC_GROUP,
      kind: user.startsWith("@") ? "Group" : "User",
      name: user.replace(/^@/, ""),
    })),
  };
}

export function certificateIn(kubeconfig: string): { readonly certificate: string; readonly key: string } {
  const { users } = JSON.parse(kubeconfig) as { users: readonly { user: Record<string, string> }[] };
  const decoded = (field: string): string => Buffer.from(users[0]?.user[field] ?? "", "base64").toString();
  return { certificate: decoded("client-certificate-data"), key: decoded("client-key-data") };
}

/** "403 Forbidden" of a Status, "404" of anything else. */
export function answerOf({ status, text }: Pick<Received, "status" | "text">): string {
  return [String(status), reasonIn(text)].filter((part) => part !== "").join(" ");
}

function reasonIn(text: string): string {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (!isJsonObject(value) || value["kind"] !== "Status") return "";
    return typeof value["reason"] === "string" ? value["reason"] : "";
  } catch {
    return "";
  }
}

export const pod = (name: string, spec: object = {}, metadata: object = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

/** A secret whose value is the jewel. */
export const jewel = (name: string, more: object = {}): JsonObject => ({
  metadata: { name },
  stringData: { password: JEWEL },
  ...more,
});
