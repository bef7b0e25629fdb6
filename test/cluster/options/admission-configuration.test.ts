import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAdmissionOptions } from "../../../src/cluster/options/admission-configuration.js";
import { type OwnAdmissionPlugin, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-admission-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
const POD_SECURITY = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n";
const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ");
const inline = (text: string): string => `${HEAD}plugins:\n- name: PodSecurity\n  configuration:\n${indented(text)}`;
const beside = (path: string): string => `${HEAD}plugins:\n- {name: PodSecurity, path: ${path}}\n`;
const podSecurityIn = async (configurationFile: string) =>
  (await readAdmissionOptions({ configurationFile })).configuration?.PodSecurity;

describe("the file of --admission-control-config-file", () => {
  const defaults = "defaults: {enforce: baseline}\n";
  const expected = { defaults: { enforce: "baseline" } };

  test("A-ADM-12: has a plugin's configuration inline, in a file beside it or by an absolute path", async () => {
    expect(await podSecurityIn(write("a.yaml", inline(POD_SECURITY + defaults)))).toEqual(expected);
    const elsewhere = write("other/p.yaml", POD_SECURITY + defaults);
    expect(await podSecurityIn(write("b.yaml", beside("other/p.yaml")))).toEqual(expected);
    expect(await podSecurityIn(write("c.yaml", beside(elsewhere)))).toEqual(expected);
    const json = {
      apiVersion: "pod-security.admission.config.k8s.io/v1",
      kind: "PodSecurityConfiguration",
      ...expected,
    };
    const plugins = [{ name: "PodSecurity", path: elsewhere, configuration: json }];
    const whole = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins };
    expect(await podSecurityIn(write("d.json", JSON.stringify(whole)))).toEqual(expected);
  });

  test.each(["v1", "v1beta1", "v1alpha1"])("configures PodSecurity in version %s", async (version) => {
    const exemptions = "exemptions: {usernames: [u], namespaces: [kube], runtimeClasses: [r]}\n";
    const text = POD_SECURITY.replace(/v1$/m, version) + defaults + exemptions;
    expect(await podSecurityIn(write("a.yaml", inline(text)))).toEqual({
      ...expected,
      exemptions: { usernames: ["u"], namespaces: ["kube"], runtimeClasses: ["r"] },
    });
  });

  test("may be empty for a plugin, which then has its defaults", async () => {
    write("empty.yaml", "");
    expect(await podSecurityIn(write("a.yaml", beside("empty.yaml")))).toEqual({});
    expect(await podSecurityIn(write("b.yaml", `${HEAD}plugins: [{name: PodSecurity}]\n`))).toEqual({});
    expect(await podSecurityIn(write("c.yaml", HEAD))).toBeUndefined();
  });

  test("is not checked for plugins that do not run, do not exist, or take no configuration", async () => {
    const path = write("a.yaml", beside("not-there.yaml"));
    expect(await readAdmissionOptions({ configurationFile: path, disable: ["PodSecurity"] })).toEqual({
      configuration: {},
      disable: ["PodSecurity"],
    });
    const others = `${HEAD}plugins: [{name: Nonesuch, path: x}, {name: Priority, configuration: {a: b}}]\n`;
    expect(await readAdmissionOptions({ configurationFile: write("b.yaml", others) })).toEqual({ configuration: {} });
  });

  test("may be combined with options for other plugins", async () => {
    const DefaultTolerationSeconds = { defaultNotReadyTolerationSeconds: 1 };
    const configurationFile = write("a.yaml", inline(POD_SECURITY + defaults));
    const options = { configurationFile, configuration: { DefaultTolerationSeconds } };
    expect(await readAdmissionOptions(options)).toEqual({
      configuration: { DefaultTolerationSeconds, PodSecurity: expected },
    });
  });
});

describe("an admission plugin of the caller", () => {
  const own = (name: string, configure?: OwnAdmissionPlugin["configure"]): OwnAdmissionPlugin => ({
    plugin: { name, validate() {} },
    ...(configure && { configure }),
  });
  const file = () => write("a.yaml", `${HEAD}plugins:\n- name: Quota\n  configuration: {kind: Limits, most: 3}\n`);

  test("receives its configuration before the server starts (ADM-6)", async () => {
    const seen: unknown[] = [];
    const plugins = [own("Quota", ({ value }) => void seen.push(value)), own("Other", () => void seen.push("other"))];
    await readAdmissionOptions({ configurationFile: file(), plugins });
    expect(seen).toEqual([{ kind: "Limits", most: 3 }]);
  });

  test("may read files that its configuration names", async () => {
    let text = "";
    const beneath = write("limits.txt", "3");
    const configure: OwnAdmissionPlugin["configure"] = async ({ value, readFile }) => {
      text = await readFile((value as { path: string }).path);
    };
    write("quota.yaml", `path: ${beneath}\n`);
    const path = write("a.yaml", `${HEAD}plugins: [{name: Quota, path: quota.yaml}]\n`);
    await readAdmissionOptions({ configurationFile: path, plugins: [own("Quota", configure)] });
    expect(text).toBe("3");
  });

  test("takes part in both admission phases, with the server's objects and a client of it (ADM-6)", async () => {
    const plugin: OwnAdmissionPlugin["plugin"] = {
      name: "Notary",
      handles: (operation, { resource }) => operation === "CREATE" && resource === "secrets",
      async admit({ object, namespace }, { objects }) {
        const { uid } = (await objects.get("", "namespaces", "", namespace))?.metadata ?? {};
        Object.assign(object?.metadata ?? {}, { labels: { namespace: uid } });
      },
      async validate({ name }, { client }) {
        await call(client(), "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: `noted-${name}` } });
      },
    };
    await using cluster = await startCluster({ port: false, ...quietCluster, admission: { plugins: [{ plugin }] } });
    const api = cluster.transport();
    const made = await call(api, "POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "deed" } });
    const namespace = await call(api, "GET", "/api/v1/namespaces/default");
    expect(made.at("metadata.labels.namespace")).toBe(namespace.at("metadata.uid"));
    expect((await call(api, "GET", "/api/v1/namespaces/default/configmaps/noted-deed")).status).toBe(200);
  });

  test("is named in the error when it takes no configuration; one that refuses its configuration gives the reason", async () => {
    const refused = (reason: string): string =>
      `failed to apply admission: couldn't init admission plugin "Quota": ${reason} (in "${folder}/a.yaml")`;
    const start = (plugin: OwnAdmissionPlugin) =>
      startCluster({ port: false, ...quietCluster, admission: { configurationFile: file(), plugins: [plugin] } });
    await expect(start(own("Quota"))).rejects.toThrow(
      refused("the plugin takes no configuration: it has no function configure"),
    );
    const strict = own("Quota", ({ value }) => {
      throw new Error(`most is ${(value as { most: number }).most}, more than 2`);
    });
    await expect(start(strict)).rejects.toThrow(refused("most is 3, more than 2"));
  });

  test("receives no configuration while it is disabled", async () => {
    const options = { configurationFile: file(), plugins: [own("Quota")], disable: ["Quota"] };
    expect(await readAdmissionOptions(options)).toMatchObject({ configuration: {} });
  });
});

const SCHEME = 'in scheme "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31"';
const init = (reason: string): string =>
  `failed to apply admission: couldn't init admission plugin "PodSecurity": ${reason} (in "FOLDER/a.yaml")`;
const whole = (reason: string): string => `failed to apply admission: failed to read plugin config: ${reason}`;
const late = (reason: string): string =>
  `failed to apply admission: failed to initialize admission plugin "PodSecurity": PodSecurity ${reason}`;
const LEVEL = "must be one of privileged, baseline, restricted";
const VERSION = 'must be "latest" or "v1.x"';
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe("a server does not start, and its error names the file of admission configuration (ADM-6), for", () => {
  const faults: readonly (readonly [what: string, text: string, message: string])[] = [
    ["a file that is empty", "", whole(`Object 'Kind' is missing in '' (in "FOLDER/a.yaml")`)],
    [
      "a file that is half written",
      `${HEAD}plugins: [\n`,
      whole('yaml: line 3: did not find expected node content (in "FOLDER/a.yaml")'),
    ],
    [
      "an unknown field",
      `${HEAD}plugin: []\n`,
      whole('strict decoding error: unknown field "plugin" (in "FOLDER/a.yaml")'),
    ],
    [
      "a plugin's file that is not there",
      beside("gone.yaml"),
      'failed to apply admission: Couldn\'t open admission plugin configuration FOLDER/gone.yaml: open FOLDER/gone.yaml: no such file or directory (plugin "PodSecurity" of "FOLDER/a.yaml")',
    ],
    ["a configuration without a kind", inline("defaults: {}\n"), init(`Object 'Kind' is missing in '{"defaults":{}}'`)],
    [
      "a version that there is none of",
      inline(POD_SECURITY.replace(/v1$/m, "v99")),
      init(
        `no kind "PodSecurityConfiguration" is registered for version "pod-security.admission.config.k8s.io/v99" ${SCHEME}`,
      ),
    ],
    [
      "an unknown field of a plugin",
      inline(`${POD_SECURITY}defaults: {enforced: x}\n`),
      init('strict decoding error: unknown field "defaults.enforced"'),
    ],
    [
      "a level that is a number",
      inline(`${POD_SECURITY}defaults: {enforce: 1}\n`),
      init("json: cannot unmarshal number into Go struct field PodSecurityDefaults.defaults.enforce of type string"),
    ],
    [
      "a level that there is none of",
      inline(`${POD_SECURITY}defaults: {enforce: strong}\n`),
      late(`configuration error: enforce: ${LEVEL}`),
    ],
    [
      "levels and versions that there are none of",
      inline(
        `${POD_SECURITY}defaults: {enforce-version: "1.20", audit: a, audit-version: b, warn: c, warn-version: d}\n`,
      ),
      late(
        `configuration error: [enforce-version: ${VERSION}, audit: ${LEVEL}, audit-version: ${VERSION}, warn: ${LEVEL}, warn-version: ${VERSION}]`,
      ),
    ],
    [
      "an exemption that is no name of a namespace",
      inline(`${POD_SECURITY}exemptions: {namespaces: [ok, A, ok]}\n`),
      late(
        `invalid: [exemptions.namespaces[1]: Invalid value: "A": ${LABEL}, exemptions.namespaces[2]: Duplicate value: "ok"]`,
      ),
    ],
    [
      "exemptions that are no names of runtime classes or users",
      inline(`${POD_SECURITY}exemptions: {runtimeClasses: [A], usernames: ["", u, u]}\n`),
      late(
        `invalid: [exemptions.runtimeClasses[0]: Invalid value: "A": ${SUBDOMAIN}, exemptions.usernames[0]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "u"]`,
      ),
    ],
  ];
  test.each(faults)("%s", async (_what, text, message) => {
    const admission = { configurationFile: write("a.yaml", text) };
    await expect(startCluster({ port: false, ...quietCluster, admission })).rejects.toThrow(
      new Error(message.replaceAll("FOLDER", folder)),
    );
  });

  test("a file that does not exist", async () => {
    const path = join(folder, "gone.yaml");
    await expect(startCluster({ port: false, admission: { configurationFile: path } })).rejects.toThrow(
      new Error(
        whole(
          `unable to read admission control configuration from "${path}" [open ${path}: no such file or directory]`,
        ),
      ),
    );
  });

  test("a folder in place of the file", async () => {
    await expect(startCluster({ port: false, admission: { configurationFile: folder } })).rejects.toThrow(
      whole(`unable to read admission control configuration from "${folder}" [read ${folder}: is a directory]`),
    );
  });

  test("the configuration of one plugin in the options and in the file", async () => {
    const configurationFile = write("a.yaml", inline(POD_SECURITY));
    const admission = { configurationFile, configuration: { PodSecurity: {} } };
    await expect(startCluster({ port: false, admission })).rejects.toThrow(
      `failed to apply admission: the configuration of admission plugin "PodSecurity" is in the options and in "${configurationFile}"`,
    );
  });
});

test("a cluster applies PodSecurity of its admission file, and exempts its own pods in kube-system when the file does", async () => {
  const text = `${POD_SECURITY}defaults: {enforce: restricted}\nexemptions: {namespaces: [kube-system]}\n`;
  const admission = { configurationFile: write("a.yaml", inline(text)) };
  await using cluster = await startCluster({ port: false, admission });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const make = async (namespace: string) =>
    (await call(cluster.transport(), "POST", `/api/v1/namespaces/${namespace}/pods`, pod)).status;
  expect([await make("default"), await make("kube-system")]).toEqual([403, 201]);
});
