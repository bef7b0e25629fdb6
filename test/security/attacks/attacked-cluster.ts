import { expect, test } from "vitest";
import type { ClusterOptions } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { Arena, answerOf, bindingOf, jewel, pod, RBAC, textIn } from "../arena.js";

/**
 * The attackers, and their certificates. `edit` and `view` have the ClusterRole of that name in the namespace "shop", `pods` may only
 * create pods there, `definitions` may do everything with CustomResourceDefinitions, and `hooks` with webhook configurations, policies
 * and their bindings. `nobody` has no credentials.
 */
const CERTIFICATES = {
  edit: "ed",
  definitions: "dora",
  hooks: "hugo",
  nobody: "nobody",
  pods: "paul",
  view: "vera",
} as const;

export type Attacker = keyof typeof CERTIFICATES;
export const ATTACKERS = Object.keys(CERTIFICATES) as readonly Attacker[];

/** The namespace in which attackers have rights, and the one that holds the secret "jewel". */
export const SHOP = "/api/v1/namespaces/shop";
export const VAULT = "/api/v1/namespaces/vault";
export const IN_SHOP = "namespaces/shop";
export const IN_VAULT = "namespaces/vault";

/** One request: "POST /path", its body, and its media type or its headers. */
export type Line = readonly [
  request: string,
  body?: unknown,
  more?: { readonly type?: string; readonly headers?: Readonly<Record<string, string | string[]>> },
];

export interface Attack {
  readonly title: string;
  /** The requests, in the order in which each attacker sends them. `name` is a new one each time. */
  readonly lines: (name: string, field: Field) => readonly Line[];
  /**
   * How the requests of an attacker are answered who gets further than "403 Forbidden", one answer for each line; "*" is any. Every
   * other attacker is refused at the first line, and sends no more.
   */
  readonly answers?: { readonly [attacker in Attacker]?: readonly string[] };
}

/** What an attack may ask of the cluster. */
export interface Field {
  /** The uid of the object at a path, which {@link AttackedCluster.learn} has read. */
  readonly uid: (path: string) => string;
}

/** Whose rights are compared before and after an attack: those of attackers, and of what they could act through. */
const PRINCIPALS: readonly (readonly [user: string, ...groups: string[]])[] = [
  ...["ed", "dora", "hugo", "paul", "vera"].map((user) => [user, "system:authenticated"] as const),
  ["system:anonymous", "system:unauthenticated"],
  [
    "system:serviceaccount:shop:default",
    "system:serviceaccounts",
    "system:serviceaccounts:shop",
    "system:authenticated",
  ],
  ["jane", "system:authenticated"],
];

/** "verb group:resource/subresource namespace name", or "verb !/path". */
const FIRST_QUESTIONS = [
  "* *:*",
  "get :secrets vault",
  "create :pods vault",
  `escalate ${"rbac.authorization.k8s.io"}:clusterroles`,
];
const QUESTIONS = [
  ...FIRST_QUESTIONS,
  "list :secrets",
  "get :secrets kube-system",
  "create :pods kube-system",
  "create :pods/exec vault",
  "create :serviceaccounts/token vault",
  "create :serviceaccounts/token kube-system",
  "get :nodes/proxy",
  "create :nodes/proxy",
  "update :nodes/status",
  "delete :nodes",
  "delete :namespaces",
  "update :namespaces/finalize",
  "impersonate :users",
  "impersonate :groups",
  "impersonate :serviceaccounts vault",
  "bind rbac.authorization.k8s.io:clusterroles",
  "create rbac.authorization.k8s.io:clusterrolebindings",
  "create rbac.authorization.k8s.io:rolebindings shop",
  "create rbac.authorization.k8s.io:rolebindings vault",
  "update rbac.authorization.k8s.io:clusterroles",
  "create apiextensions.k8s.io:customresourcedefinitions",
  "create admissionregistration.k8s.io:mutatingwebhookconfigurations",
  "create apiregistration.k8s.io:apiservices",
  "update certificates.k8s.io:certificatesigningrequests/approval",
  "approve certificates.k8s.io:signers",
  "sign certificates.k8s.io:signers",
  "update apps:deployments/scale vault",
  "delete :persistentvolumes",
  "get !/metrics",
  "get !/debug/pprof",
];

/** What must be the same after an attack, in the vault and in the cluster. */
const KEPT = [
  ...["secrets", "configmaps", "pods", "services", "serviceaccounts"].map((name) => `${VAULT}/${name}`),
  `/apis/apps/v1/${IN_VAULT}/deployments`,
  ...["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map((name) => `${RBAC}/${name}`),
  "/api/v1/nodes",
  "/api/v1/namespaces",
  "/api/v1/namespaces/kube-system/secrets",
];
/** Of these a controller writes the status meanwhile. */
const LIVELY = /\/(?:nodes|namespaces)$/;

export class AttackedCluster implements AsyncDisposable, Field {
  #rights: ReadonlyMap<string, boolean> = new Map();
  #kept = "";
  #names = 0;
  readonly #uids = new Map<string, string>();

  private constructor(readonly arena: Arena) {}

  static async open(options: ClusterOptions = {}): Promise<AttackedCluster> {
    const arena = await Arena.open({ controllers: ["*"], scheduler: {}, nodes: 1, ...options });
    const cluster = new AttackedCluster(arena);
    for (const name of ["shop", "vault"]) {
      await arena.create("/api/v1/namespaces", { metadata: { name } });
      await eventually(async () =>
        expect((await call(arena.admin, "GET", `/api/v1/namespaces/${name}/serviceaccounts/default`)).status).toBe(200),
      );
      await arena.create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "robot" } });
      await arena.create(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "map" }, data: { a: "1" } });
    }
    for (const path of [`${VAULT}/secrets`, "/api/v1/namespaces/kube-system/secrets"])
      await arena.create(path, jewel("jewel"));
    await arena.create(`${VAULT}/pods`, pod("vaulted", {}, { labels: { app: "vaulted" } }));
    await arena.create(`${SHOP}/pods`, pod("web", {}, { labels: { app: "web" } }));
    await arena.create(`${VAULT}/services`, {
      metadata: { name: "vaulted" },
      spec: { selector: { app: "vaulted" }, ports: [{ port: 80 }] },
    });
    for (const [space, name] of [
      ["shop", "web"],
      ["vault", "vaulted"],
    ] as const)
      await arena.create(`/apis/apps/v1/namespaces/${space}/deployments`, deployment(name, 0));
    const bindings = `${RBAC}/namespaces/shop/rolebindings`;
    await arena.create(bindings, bindingOf("editors", "ClusterRole/edit", "ed"));
    await arena.create(bindings, bindingOf("viewers", "ClusterRole/view", "vera"));
    await arena.allowIn("shop", "paul", "create pods");
    await arena.allow("dora", "* apiextensions.k8s.io:customresourcedefinitions,customresourcedefinitions/status");
    await arena.allow(
      "hugo",
      "* admissionregistration.k8s.io:validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings,mutatingadmissionpolicies,mutatingadmissionpolicybindings",
    );
    await cluster.remember();
    return cluster;
  }

  readonly uid = (path: string): string => {
    const uid = this.#uids.get(path);
    if (uid === undefined) throw new Error(`no uid of ${path} was learnt`);
    return uid;
  };

  async learn(...paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#uids.set(path, textIn(await this.arena.make("GET", path), "metadata.uid"));
  }

  /** Takes what is there now for what attacks must leave: a test calls it when it has set up more. */
  async remember(): Promise<void> {
    this.#rights = await this.#decide(QUESTIONS);
    await eventually(async () => {
      const before = await this.#state();
      expect(await this.#state()).toBe(before);
      this.#kept = before;
    });
  }

  /** Sends the requests of an attack as each attacker, and expects that none has gained a right or changed what is not theirs. */
  async defend({ title, lines, answers = {} }: Attack): Promise<void> {
    for (const attacker of ATTACKERS) {
      const expected = answers[attacker] ?? ["403 Forbidden"];
      const sent = lines(`${attacker}-${++this.#names}`, this).slice(0, expected.length);
      for (const [index, [request, body, more]] of sent.entries()) {
        const cut = request.indexOf(" ");
        const shot = { method: request.slice(0, cut), path: request.slice(cut + 1), body, ...more };
        const answer = await this.arena.send(CERTIFICATES[attacker], shot);
        const must = expected[index] ?? "*";
        if (must !== "*") expect(answerOf(answer), `${title}, ${attacker}: ${request}: ${answer.text}`).toBe(must);
        this.arena.holdsNoSecret(answer);
      }
    }
    await this.expectUnharmed(FIRST_QUESTIONS, title);
  }

  /** The principals have the rights that they had, what is kept is as it was, and the server has reported no fault of its own. */
  async expectUnharmed(questions: readonly string[] = QUESTIONS, title = "rights"): Promise<void> {
    for (const [question, allowed] of await this.#decide(questions))
      expect(allowed, `${title}: ${question}`).toBe(this.#rights.get(question));
    expect(await this.#state(), title).toBe(this.#kept);
    expect(this.arena.faults, title).toEqual([]);
  }

  async #decide(questions: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    const decided = new Map<string, boolean>();
    for (const [user, ...groups] of PRINCIPALS) {
      for (const question of questions) {
        const answer = await this.arena.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
          spec: { user, groups, ...attributesOf(question) },
        });
        decided.set(`${user} may ${question}`, answer.at("status.allowed") === true);
      }
    }
    return decided;
  }

  async #state(): Promise<string> {
    const rows: string[] = [];
    for (const path of KEPT) {
      const { items } = JSON.parse((await this.arena.make("GET", path)).text) as { items: readonly Item[] };
      for (const { metadata } of items) {
        if (metadata.namespace === "shop") continue;
        const version = LIVELY.test(path) ? "" : metadata.resourceVersion;
        rows.push(`${path} ${metadata.name} ${metadata.uid} ${version} ${metadata.deletionTimestamp ?? ""}`);
      }
    }
    return rows.join("\n");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.arena[Symbol.asyncDispose]();
  }
}

/** A test for each attack, and one of all rights at the end. */
export function defendAgainst(attacks: readonly Attack[], cluster: () => AttackedCluster): void {
  test("there are at least twenty of these attacks", () => expect(attacks.length).toBeGreaterThanOrEqual(20));
  test.each(attacks.map((attack) => ({ title: attack.title, attack })))("$title", ({ attack }) =>
    cluster().defend(attack),
  );
  test("after these attacks no attacker has gained a right", () => cluster().expectUnharmed());
}

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
}

function attributesOf(question: string): object {
  const [verb = "", what = "", namespace] = question.split(" ");
  if (what.startsWith("!")) return { nonResourceAttributes: { verb, path: what.slice(1) } };
  const [group = "", path = ""] = what.split(":");
  const [resource = "", subresource] = path.split("/");
  return {
    resourceAttributes: {
      verb,
      group,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
    },
  };
}

export const deployment = (name: string, replicas = 1, template: object = {}) => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }], ...template } },
  },
});
