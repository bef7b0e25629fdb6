import { describe, expect, test } from "vitest";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { type AdmissionOptions, enabledPlugins } from "../../../src/server/admission/enabled-plugins.js";
import type { AdmissionPlugin } from "../../../src/server/admission/plugin.js";
import { ADMISSION_PLUGINS } from "../../../src/server/admission/table.js";
import { startCluster } from "../../../src/cluster/index.js";
import { admittingServer } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";

const names = (options: AdmissionOptions): readonly string[] => enabledPlugins(options).map(({ name }) => name);
const own = (name: string): AdmissionPlugin => ({ name });
const DEFAULT = names({});
/** Nothing is asked of it. */
const NO_WEBHOOK: ClientConfig = {
  server: "https://127.0.0.1:1",
  tls: { insecureSkipVerify: false },
  auth: {},
  disableCompression: false,
  timeout: 0,
  userAgent: "",
  namespace: "",
  namespaceEnforced: false,
  cacheDir: "",
};
const LIMIT = { type: "Server", qps: 1, burst: 1 } as const;

describe("the list of admission plugins", () => {
  test("ends with policies, webhooks, quotas and AlwaysDeny", () => {
    expect(ADMISSION_PLUGINS.map(({ name }) => name).slice(-6)).toEqual([
      "MutatingAdmissionPolicy",
      "MutatingAdmissionWebhook",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionWebhook",
      "ResourceQuota",
      "AlwaysDeny",
    ]);
  });

  test("enables by default what kube-apiserver 1.36.1 enables, in its order", () => {
    const listed =
      "NamespaceLifecycle, LimitRanger, ServiceAccount, TaintNodesByCondition, PodSecurity, Priority, DefaultTolerationSeconds, DefaultStorageClass, StorageObjectInUseProtection, PodGroupProtection, PersistentVolumeClaimResize, RuntimeClass, CertificateApproval, CertificateSigning, ClusterTrustBundleAttest, CertificateSubjectRestriction, DefaultIngressClass, PodTopologyLabels, PodGroupWorkloadExists, NodeDeclaredFeatureValidator, JobValidation, PodResizeValidator, MutatingAdmissionPolicy, MutatingAdmissionWebhook, ValidatingAdmissionPolicy, ValidatingAdmissionWebhook, ResourceQuota";
    const enabled = ADMISSION_PLUGINS.filter((row) => row.enabled).map(({ name }) => name);
    expect(enabled.join(", ")).toBe(listed);
  });

  test("has each name once, and each plugin its own name and phases", () => {
    expect(new Set(ADMISSION_PLUGINS.map(({ name }) => name)).size).toBe(ADMISSION_PLUGINS.length);
    for (const { name, phase, plugin } of ADMISSION_PLUGINS) {
      const made = plugin({ ImagePolicyWebhook: { client: NO_WEBHOOK }, EventRateLimit: { limits: [LIMIT] } });
      expect(made.name).toBe(name);
      // AlwaysAdmit has nothing to do in either phase.
      if (name === "AlwaysAdmit") continue;
      expect([name, made.admit !== undefined, made.validate !== undefined]).toEqual([
        name,
        phase !== "validating",
        phase !== "mutating",
      ]);
    }
  });
});

describe("the admission plugins that run", () => {
  test("are the enabled ones, in the list's order", () => {
    const order = ADMISSION_PLUGINS.map(({ name }) => name).filter((name) => DEFAULT.includes(name));
    expect(DEFAULT).toEqual(order);
    expect(DEFAULT).toContain("NamespaceLifecycle");
    expect(DEFAULT).not.toContain("AlwaysDeny");
  });

  test("are more, fewer or both by the options; repeating a name, or enabling an enabled one, changes nothing", () => {
    expect(names({ enable: ["AlwaysDeny", "AlwaysDeny", "Priority"] })).toEqual([...DEFAULT, "AlwaysDeny"]);
    const disable = ["Priority", "PodSecurity"];
    expect(names({ disable })).toEqual(DEFAULT.filter((name) => !disable.includes(name)));
  });

  test("A-ADM-10, B-ADM-01: include the caller's before MutatingAdmissionWebhook in the given order, or at the place that they ask for", () => {
    const plugins = [
      { plugin: own("A") },
      { plugin: own("B") },
      { plugin: own("C"), before: "ServiceAccount" },
      { plugin: own("D"), after: "ServiceAccount" },
      { plugin: own("E"), after: "A" },
      { plugin: own("F"), before: "NamespaceLifecycle" },
      { plugin: own("G"), after: "ResourceQuota" },
    ];
    const expected = DEFAULT.flatMap((name) => {
      if (name === "ServiceAccount") return ["C", name, "D"];
      if (name === "MutatingAdmissionWebhook") return ["A", "E", "B", name];
      return name === "NamespaceLifecycle" ? ["F", name] : [name];
    });
    expect(names({ plugins })).toEqual([...expected, "G"]);
    expect(names({ plugins, disable: ["B", "G"] })).toEqual(expected.filter((name) => name !== "B"));
  });
});

describe("options for admission plugins", () => {
  const rows: readonly (readonly [AdmissionOptions, string])[] = [
    [{ enable: ["Nope"] }, 'enable-admission-plugins plugin "Nope" is unknown'],
    [{ disable: ["Nope"] }, 'disable-admission-plugins plugin "Nope" is unknown'],
    [
      { enable: ["Priority", "AlwaysDeny"], disable: ["Priority", "AlwaysDeny"] },
      "[AlwaysDeny Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
    ],
    [
      { enable: ["Nope"], disable: ["Never"] },
      '[enable-admission-plugins plugin "Nope" is unknown, disable-admission-plugins plugin "Never" is unknown]',
    ],
    [
      { plugins: [{ plugin: own("Priority") }] },
      'admission plugin "Priority" has the name of another admission plugin',
    ],
    [
      { plugins: [{ plugin: own("A") }, { plugin: own("A") }] },
      'admission plugin "A" has the name of another admission plugin',
    ],
    [
      { plugins: [{ plugin: own("A"), before: "Nope" }] },
      'admission plugin "A" should run before "Nope", and there is no such plugin',
    ],
    [
      { plugins: [{ plugin: own("A"), before: "Priority", after: "Priority" }] },
      'admission plugin "A" cannot have both before and after; give one of them',
    ],
    [{ configuration: { Nope: {} } as object }, 'configuration of plugin "Nope": it is unknown'],
    [{ configuration: { Priority: {} } as object }, 'configuration of plugin "Priority": it has none'],
    [
      { configuration: { DefaultTolerationSeconds: { seconds: 1 } as object } },
      'configuration of plugin "DefaultTolerationSeconds": field "seconds" is unknown',
    ],
  ];
  test.each(rows)("%j are refused: %s", (options, message) => {
    expect(() => enabledPlugins(options)).toThrow(new Error(message));
  });

  const removed = [
    "PodSecurityPolicy",
    "SecurityContextDeny",
    "PersistentVolumeLabel",
    "PodPreset",
    "Initializers",
    "DenyEscalatingExec",
    "DenyExecOnPrivileged",
    "NamespaceAutoprovision",
    "noderestriction",
    "",
  ];
  test.each(removed)("refuse the name %j, which 1.36 does not have, in either flag", (name) => {
    const message = (flag: string): Error => new Error(`${flag} plugin ${JSON.stringify(name)} is unknown`);
    expect(() => enabledPlugins({ enable: [name] })).toThrow(message("enable-admission-plugins"));
    expect(() => enabledPlugins({ disable: [name] })).toThrow(message("disable-admission-plugins"));
  });

  test("that are wrong keep a cluster from starting", async () => {
    const started = startCluster({ port: false, admission: { enable: ["Nope"] } });
    await expect(started).rejects.toThrow('enable-admission-plugins plugin "Nope" is unknown');
  });
});

describe("admission plugins on a cluster", () => {
  test("run when the options enable them", async () => {
    const plugin: AdmissionPlugin = {
      name: "Owners",
      handles: (operation, { resource }) => operation === "CREATE" && resource === "configmaps",
      admit({ object, namespace }) {
        if (namespace === "default" && object?.metadata !== undefined) object.metadata.labels = { owner: "team" };
      },
    };
    await using cluster = await startCluster({ port: false, admission: { plugins: [{ plugin }] } });
    const path = "/api/v1/namespaces/default/configmaps";
    const short = await call(cluster.transport(), "POST", path, { metadata: { name: "short" } });
    expect(short.at("metadata.labels.owner")).toBe("team");
    const data = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key-${index}`, ""]));
    const long = await call(cluster.transport(), "POST", path, { metadata: { name: "long" }, data });
    expect([long.status, long.at("metadata.labels.owner")]).toEqual([201, "team"]);
  });

  test("follow the options also for long request bodies", async () => {
    await using cluster = await startCluster({ port: false, admission: { enable: ["AlwaysDeny"] } });
    const data = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key-${index}`, ""]));
    for (const body of [{ metadata: { name: "c" } }, { metadata: { name: "c" }, data }]) {
      const answer = await call(cluster.transport(), "POST", "/api/v1/namespaces/default/configmaps", body);
      expect(answer.at("message")).toBe('configmaps "c" is forbidden: admission control is denying all modifications');
    }
  });

  test("without NamespaceLifecycle accept objects in missing namespaces", async () => {
    const make = { metadata: { name: "c" } };
    const path = "/api/v1/namespaces/nowhere/configmaps";
    await using strict = await admittingServer({});
    expect((await call(strict.api, "POST", path, make)).at("message")).toBe('namespaces "nowhere" not found');
    await using lax = await admittingServer({ disable: ["NamespaceLifecycle"] });
    expect((await call(lax.api, "POST", path, make)).status).toBe(201);
  });
});
