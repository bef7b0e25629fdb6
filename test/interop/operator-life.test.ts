import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CustomObjectsApi, KubeConfig, type KubernetesObject, makeInformer } from "@kubernetes/client-node";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient } from "../../src/client/index.js";
import { SharedInformer } from "../../src/client/informers/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealHelm, realHelm } from "../helpers/run-real-helm.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { startWebhookServer, type WebhookServer } from "../helpers/webhook-server.js";
import { writeProgram } from "../helpers/write-program.js";
import {
  convertCertificates,
  type Definition,
  storing,
  without,
  withSecondVersion,
} from "./operator/certificate-versions.js";

const missing = realTool("kubectl").missing ?? realTool("helm").missing;
if (missing !== undefined) process.stdout.write(`an operator's life is skipped: ${missing}\n`);

const FIXTURES = join(import.meta.dirname, "operator");
const crd = (name: string): string => join(FIXTURES, "crds", `${name}.yaml`);
const NOT_ASKED =
  "* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
const CERTIFICATES = "/apis/cert-manager.io/v1/namespaces/default/certificates";

/**
 * Three kinds of the size and shape of cert-manager's Certificate, Gateway API's HTTPRoute and Prometheus' ServiceMonitor, from
 * their installation to their end. The tests are one story, in their order.
 */
describe.skipIf(missing !== undefined)("an operator's life with kubectl 1.37.1, helm 4.3.1 and two informers", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;
  let helm: RealHelm;
  let webhook: WebhookServer;
  let definition: Definition;
  const stop = new AbortController();
  const faults: unknown[] = [];
  /** What the informers of certificates saw: ours and that of client-node. */
  const seen: Readonly<Record<"ours" | "theirs", string[]>> = { ours: [], theirs: [] };
  let theirs: ReturnType<typeof makeInformer>;
  let ours: Promise<void>;

  beforeAll(async () => {
    cluster = await startCluster({ onError: (error) => faults.push(error) });
    kubectl = await realKubectl(cluster, { EDITOR: "./editor" });
    helm = await realHelm(cluster);
    webhook = await startWebhookServer();
    definition = load(await readFile(crd("certificates"), "utf8")) as Definition;
  });
  afterAll(async () => {
    stop.abort();
    await theirs?.stop();
    await ours;
    await kubectl?.[Symbol.asyncDispose]();
    await helm?.[Symbol.asyncDispose]();
    await webhook?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const json = async (argv: string): Promise<JsonObject> =>
    JSON.parse(await kubectl.ok(`${argv} -o json`)) as JsonObject;
  const get = async (what: string): Promise<KubeObject> => (await json(`get ${what}`)) as unknown as KubeObject;
  /** Ages are those of the run. */
  const table = async (argv: string): Promise<string> => (await kubectl.ok(argv)).replaceAll(/\b\d+s\b/g, "1s");
  const applied = async (object: JsonObject): Promise<string> => kubectl.ok("apply -f -", JSON.stringify(object));
  const namesOf = (stdout: string): string[] => stdout.trim().split("\n").toSorted();

  test("installs its definitions by apply, by server-side apply and by a chart", async () => {
    expect(await kubectl.ok(["apply", "-f", crd("certificates")])).toBe(
      "customresourcedefinition.apiextensions.k8s.io/certificates.cert-manager.io created\n",
    );
    expect(await kubectl.ok(["apply", "--server-side", "-f", crd("httproutes")])).toBe(
      "customresourcedefinition.apiextensions.k8s.io/httproutes.gateway.networking.k8s.io serverside-applied\n",
    );
    const chart = join(helm.folder, "chart");
    await cp(join(FIXTURES, "chart"), chart, { recursive: true });
    await mkdir(join(chart, "crds"));
    await cp(crd("servicemonitors"), join(chart, "crds", "servicemonitors.yaml"));
    expect(await helm.ok("install", "shop", chart)).toContain("STATUS: deployed\n");
    const waited = await eventually(() => kubectl.ok("wait --for=condition=Established crd --all --timeout=20s"));
    expect(namesOf(waited)).toEqual(
      [
        "certificates.cert-manager.io",
        "httproutes.gateway.networking.k8s.io",
        "servicemonitors.monitoring.coreos.com",
      ].map((name) => `customresourcedefinition.apiextensions.k8s.io/${name} condition met`),
    );
    // Nothing of what was sent is lost, and nothing is added but what the API's own defaults say.
    const stored = await get("crd certificates.cert-manager.io");
    expect(stored["spec"]).toEqual({ ...definition.spec, conversion: { strategy: "None" } });
  });

  test("finds the new kinds in discovery", async () => {
    expect(await kubectl.ok("api-resources --api-group=cert-manager.io --no-headers -o wide")).toMatch(
      /^certificates +cert,certs +cert-manager.io\/v1 +true +Certificate +delete,deletecollection,get,list,patch,create,update,watch +cert-manager\n$/,
    );
    const versions = namesOf(await kubectl.ok("api-versions"));
    expect(versions).toEqual(
      expect.arrayContaining([
        "cert-manager.io/v1",
        "gateway.networking.k8s.io/v1",
        "gateway.networking.k8s.io/v1beta1",
        "monitoring.coreos.com/v1",
      ]),
    );
  });

  test("creates objects, which get the defaults of their schemas", async () => {
    expect(await kubectl.ok(["apply", "-f", join(FIXTURES, "objects.yaml")])).toBe(
      [
        "certificate.cert-manager.io/web created",
        "certificate.cert-manager.io/internal created",
        "httproute.gateway.networking.k8s.io/web created",
        "httproute.gateway.networking.k8s.io/fallback created",
        "",
      ].join("\n"),
    );
    const path = { type: "PathPrefix", value: "/" };
    const parentRefs = [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "public" }];
    expect((await get("httproute fallback"))["spec"]).toEqual({ parentRefs, rules: [{ matches: [{ path }] }] });
    expect((await get("httproute web"))["spec"]).toEqual({
      hostnames: ["web.example.com"],
      parentRefs,
      rules: [
        {
          matches: [{ path, headers: [{ name: "version", value: "two", type: "Exact" }] }],
          backendRefs: [{ group: "", kind: "Service", name: "web-two", port: 80, weight: 1 }],
        },
        { matches: [{ path }], backendRefs: [{ group: "", kind: "Service", name: "web", port: 80, weight: 9 }] },
      ],
    });
    expect((await get("servicemonitor shop"))["spec"]).toMatchObject({
      endpoints: [{ relabelings: [{ action: "replace", targetLabel: "pod" }] }],
    });
    // Where items of a list got defaults, kubectl sends the list again, and it stays as it is.
    const { resourceVersion } = (await get("httproute web")).metadata ?? {};
    expect(await kubectl.ok(["apply", "-f", join(FIXTURES, "objects.yaml")])).toBe(
      [
        "certificate.cert-manager.io/web unchanged",
        "certificate.cert-manager.io/internal unchanged",
        "httproute.gateway.networking.k8s.io/web configured",
        "httproute.gateway.networking.k8s.io/fallback configured",
        "",
      ].join("\n"),
    );
    expect((await get("httproute web")).metadata?.resourceVersion).toBe(resourceVersion);
  });

  test("is told what is wrong with an object: unknown fields, schema violations, CEL rules", async () => {
    const certificate = (spec: JsonObject) =>
      JSON.stringify({ apiVersion: "cert-manager.io/v1", kind: "Certificate", metadata: { name: "bad" }, spec });
    const unknown = await kubectl.run(
      "create -f -",
      certificate({ secretNames: "x", secretName: "y", issuerRef: { name: "z" } }),
    );
    expect(unknown).toMatchObject({
      code: 1,
      stderr:
        'Error from server (BadRequest): error when creating "STDIN": Certificate in version "v1" cannot be handled as a Certificate: strict decoding error: unknown field "spec.secretNames"\n',
    });
    const secret = { secretName: "y", issuerRef: { name: "z" } };
    const jks = { create: true, password: "p", passwordSecretRef: { name: "q" } };
    const rules = { ...secret, literalSubject: "CN=a", commonName: "a", keystores: { jks } };
    expect((await kubectl.run("create -f -", certificate(rules))).stderr).toBe(
      [
        'The Certificate "bad" is invalid: ',
        "* spec: Invalid value: When providing a `LiteralSubject` no `commonName` may be provided.",
        "* spec.keystores.jks: Invalid value: password and passwordSecretRef are mutually exclusive and one must be set",
        "",
      ].join("\n"),
    );
    const route = {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "bad" },
      spec: {
        parentRefs: [{ name: "public" }, { name: "public" }],
        rules: [
          {
            matches: [{ path: { value: "a//b" } }],
            backendRefs: [{ name: "web" }],
            timeouts: { request: "1s", backendRequest: "2s" },
          },
        ],
      },
    };
    expect((await kubectl.run("create -f -", JSON.stringify(route))).stderr).toBe(
      [
        'The HTTPRoute "bad" is invalid: ',
        "* spec.parentRefs: Invalid value: sectionName must be unique when parentRefs includes 2 or more references to the same parent",
        "* spec.rules[0].backendRefs[0]: Invalid value: Must have port for Service reference",
        "* spec.rules[0].matches[0].path: Invalid value: value must be an absolute path and start with '/' when type one of ['Exact', 'PathPrefix']",
        "* spec.rules[0].matches[0].path: Invalid value: must not contain '//' when type one of ['Exact', 'PathPrefix']",
        "* spec.rules[0].timeouts: Invalid value: backendRequest timeout cannot be longer than request timeout",
        "",
      ].join("\n"),
    );
    const spec = { secretName: 7, issuerRef: {}, privateKey: { algorithm: "DSA" }, revisionHistoryLimit: 0 };
    expect(await kubectl.run("create -f -", certificate(spec))).toMatchObject({
      code: 1,
      stderr: [
        'The Certificate "bad" is invalid: ',
        "* spec.issuerRef.name: Required value",
        '* spec.privateKey.algorithm: Unsupported value: "DSA": supported values: "RSA", "ECDSA", "Ed25519"',
        "* spec.revisionHistoryLimit: Invalid value: 0: spec.revisionHistoryLimit in body should be greater than or equal to 1",
        '* spec.secretName: Invalid value: "integer": spec.secretName in body must be of type string: "integer"',
        NOT_ASKED,
        "",
      ].join("\n"),
    });
  });

  test("lists objects with columns, wide columns, short names, a category and a field selector", async () => {
    expect(await table("get cert")).toBe(
      [
        "NAME       READY   SECRET         AGE",
        "internal           internal-tls   1s",
        "web                web-tls        1s",
        "",
      ].join("\n"),
    );
    expect(await table("get certs web -o wide")).toBe(
      [
        "NAME   READY   SECRET    ISSUER        STATUS   AGE",
        "web            web-tls   letsencrypt            1s",
        "",
      ].join("\n"),
    );
    expect(await table("get cert-manager --no-headers -o name")).toBe(
      "certificate.cert-manager.io/internal\ncertificate.cert-manager.io/web\n",
    );
    expect(await kubectl.ok("get cert --field-selector spec.issuerRef.name=ca -o name")).toBe(
      "certificate.cert-manager.io/internal\n",
    );
    expect(await table("get httproutes")).toBe(
      [
        "NAME       HOSTNAMES             AGE",
        "fallback                         1s",
        'web        ["web.example.com"]   1s',
        "",
      ].join("\n"),
    );
    expect(await table("get smon")).toBe("NAME   AGE\nshop   1s\n");
  });

  test("explains the kinds", async () => {
    expect(await kubectl.ok("explain certificate.spec.privateKey.algorithm")).toBe(
      [
        "GROUP:      cert-manager.io",
        "KIND:       Certificate",
        "VERSION:    v1",
        "",
        "FIELD: algorithm <string>",
        "ENUM:",
        "    RSA",
        "    ECDSA",
        "    Ed25519",
        "",
        "DESCRIPTION:",
        "    Algorithm of the key.",
        "    ",
        "",
        "",
      ].join("\n"),
    );
    const route = await kubectl.ok("explain httproute --recursive --api-version=gateway.networking.k8s.io/v1beta1");
    expect(route).toContain("VERSION:    v1beta1\n");
    // All of its own fields, and those of metadata.
    expect(route.split("\n").filter((line) => line.includes("\t<"))).toHaveLength(150 + 28);
    expect(await kubectl.ok("explain smon.spec.endpoints.tlsConfig.ca")).toContain(
      "  secret\t<Object>\n    An entry of a Secret.\n",
    );
  });

  test("describes an object, and patches it in two ways", async () => {
    expect(await kubectl.ok("describe cert internal")).toMatch(
      /^Name: +internal\nNamespace: +default\nLabels: +<none>\n(?:.|\n)*API Version: +cert-manager.io\/v1\nKind: +Certificate\n(?:.|\n)*Spec:\n {2}Issuer Ref:\n {4}Name: +ca\n {2}Secret Name: +internal-tls\nEvents: +<none>\n$/,
    );
    expect(await kubectl.ok(["patch", "cert", "internal", "--type=merge", "-p", '{"spec":{"isCA":true}}'])).toBe(
      "certificate.cert-manager.io/internal patched\n",
    );
    await kubectl.ok([
      "patch",
      "cert",
      "internal",
      "--type=json",
      "-p",
      '[{"op":"test","path":"/spec/isCA","value":true}]',
    ]);
    expect(await kubectl.run(["patch", "cert", "internal", "--type=strategic", "-p", "{}"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("application/strategic-merge-patch+json") as string,
    });
    expect((await get("cert internal")).metadata?.generation).toBe(2);
  });

  test("watches objects by two informers and by kubectl", async () => {
    const config = new KubeConfig();
    config.loadFromString(cluster.kubeconfig());
    const objects = config.makeApiClient(CustomObjectsApi);
    const where = { group: "cert-manager.io", version: "v1", namespace: "default", plural: "certificates" };
    theirs = makeInformer(config, CERTIFICATES, () => objects.listNamespacedCustomObject(where));
    for (const event of ["add", "update", "delete"] as const) {
      theirs.on(event, (object: KubernetesObject) => seen.theirs.push(`${event} ${object.metadata?.name}`));
    }
    // The server ends its watches when the definition changes.
    theirs.on("error", () => void setTimeout(() => void theirs.start(), 50));
    await theirs.start();
    const client = kubernetesClient(cluster);
    const certificates = client.of<KubeObject>("cert-manager.io/v1", "Certificate");
    const informer = new SharedInformer(certificates.namespace("default"));
    informer.addHandler({
      added: ({ metadata }) => void seen.ours.push(`add ${metadata?.name}`),
      updated: (_, { metadata }) => void seen.ours.push(`update ${metadata?.name}`),
      deleted: ({ metadata }) => void seen.ours.push(`delete ${metadata?.name}`),
    });
    ours = informer.run(stop.signal);
    await informer.synced;
    const watching = kubectl.start("get cert --watch-only -o name --output-watch-events");
    let printed = "";
    watching.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await applied({
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata: { name: "short" },
      spec: { secretName: "short-tls", issuerRef: { name: "ca" } },
    });
    await eventually(async () => {
      await kubectl.ok("label cert short seen=yes --overwrite");
      expect(printed).toContain("certificate.cert-manager.io/short");
    });
    await kubectl.ok("delete cert short");
    const ends = { ours: "delete short", theirs: "delete short" };
    await eventually(async () => {
      for (const who of ["ours", "theirs"] as const) expect(seen[who].at(-1)).toBe(ends[who]);
    });
    watching.kill();
    for (const who of ["ours", "theirs"] as const) {
      const events = seen[who].filter((event, index) => event !== seen[who][index - 1]);
      expect(events).toEqual(["add internal", "add web", "add short", "update short", "delete short"]);
    }
  });

  test("writes status apart from spec, by patch and by edit", async () => {
    const condition = (status: string, message: string) => ({
      type: "Ready",
      status,
      reason: "Issued",
      message,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    const status = { conditions: [condition("True", "Certificate is up to date")], revision: 1 };
    const patch = JSON.stringify({ status, spec: { isCA: true } });
    await kubectl.ok(["patch", "cert", "web", "--subresource=status", "--type=merge", "-p", patch]);
    expect(await kubectl.ok("wait --for=condition=Ready cert/web --timeout=10s")).toBe(
      "certificate.cert-manager.io/web condition met\n",
    );
    const web = await get("cert web");
    expect([web.metadata?.generation, web["status"]]).toEqual([1, status]);
    expect(web["spec"]).not.toHaveProperty("isCA");
    writeProgram(
      join(kubectl.folder, "editor"),
      '#!/bin/sh\nsed -i "s/revision: 1/revision: 2/; s/secretName: .*/secretName: lost/" "$1"\n',
    );
    expect(await kubectl.ok("edit cert web --subresource=status")).toBe("certificate.cert-manager.io/web edited\n");
    expect(await get("cert web")).toMatchObject({ spec: { secretName: "web-tls" }, status: { revision: 2 } });
    expect(await table("get cert web -o wide")).toBe(
      [
        "NAME   READY   SECRET    ISSUER        STATUS                      AGE",
        "web    True    web-tls   letsencrypt   Certificate is up to date   1s",
        "",
      ].join("\n"),
    );
  });

  test("lets two managers own items of a list by their keys", async () => {
    const route = (value: string, header: string) =>
      JSON.stringify({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: { name: "owned" },
        spec: {
          rules: [
            { filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: header, value }] } }] },
          ],
        },
      });
    const status = (type: string, reason: string) =>
      JSON.stringify({
        apiVersion: "cert-manager.io/v1",
        kind: "Certificate",
        metadata: { name: "web" },
        status: { conditions: [{ type, status: "True", reason }] },
      });
    const apply = (manager: string, text: string, ...more: string[]) =>
      kubectl.run(["apply", "--server-side", `--field-manager=${manager}`, "-f", "-", ...more], text);
    expect((await apply("one", status("Issuing", "Asked"), "--subresource=status")).stderr).toBe("");
    const { conditions } = (await get("cert web"))["status"] as { conditions: JsonObject[] };
    expect(conditions.map(({ type }) => type)).toEqual(["Ready", "Issuing"]);
    expect(await apply("two", status("Issuing", "Other"), "--subresource=status")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Apply failed with 1 conflict: conflict with "one" with subresource "status": .status.conditions[type="Issuing"].reason\n',
      ) as string,
    });
    // The rules of a route are atomic: whoever applies them owns all of them.
    expect((await apply("one", route("a", "x"))).code).toBe(0);
    expect((await apply("two", route("b", "y"))).stderr).toContain('conflict with "one": .spec.rules\n');
    await kubectl.ok("delete httproute owned");
  });

  test("upgrades to a second version, which its webhook converts; informers lose nothing", async () => {
    const upgraded = withSecondVersion(definition, webhook.on("/convert", convertCertificates));
    expect(await applied(upgraded)).toBe(
      "customresourcedefinition.apiextensions.k8s.io/certificates.cert-manager.io configured\n",
    );
    await eventually(async () => expect(await kubectl.ok("api-versions")).toContain("cert-manager.io/v2\n"));
    const v2 = "certificates.v2.cert-manager.io";
    expect(await kubectl.ok(`get ${v2} web -o jsonpath={.apiVersion}/{.spec.secret.name}`)).toBe(
      "cert-manager.io/v2/web-tls",
    );
    expect(await table(`get ${v2} web`)).toBe("NAME   READY   SECRET    AGE\nweb    True    web-tls   1s\n");
    await applied({
      apiVersion: "cert-manager.io/v2",
      kind: "Certificate",
      metadata: { name: "second" },
      spec: { secret: { name: "second-tls", template: { labels: { a: "b" } } }, issuerRef: { name: "ca" } },
    });
    const second = await get("certificates.v1.cert-manager.io second");
    expect(second["spec"]).toEqual({
      secretName: "second-tls",
      secretTemplate: { labels: { a: "b" } },
      issuerRef: { name: "ca" },
    });
    const refused = await kubectl.run(
      "create -f -",
      JSON.stringify({
        apiVersion: "cert-manager.io/v2",
        kind: "Certificate",
        metadata: { name: "old" },
        spec: { secret: {}, issuerRef: { name: "ca" } },
      }),
    );
    expect(refused.stderr).toBe(
      `The Certificate "old" is invalid: \n* spec.secret.name: Required value\n${NOT_ASKED}\n`,
    );
    for (const who of ["ours", "theirs"] as const) {
      await eventually(async () => expect(seen[who]).toContain("add second"));
    }
    expect(await kubectl.ok("explain certificates.spec.secret --api-version=cert-manager.io/v2")).toContain(
      "  name\t<string> -required-\n",
    );
  });

  test("migrates storage: stores the second version, rewrites the objects, and drops the first", async () => {
    const both = withSecondVersion(definition, webhook.on("/convert", convertCertificates));
    const name = "certificates.cert-manager.io";
    const storedVersions = async () => ((await get(`crd ${name}`))["status"] as JsonObject)["storedVersions"];
    await applied(storing(both, "v2"));
    expect(await storedVersions()).toEqual(["v1", "v2"]);
    const trimmed = without(storing(both, "v2"), "v1");
    expect(await kubectl.run("apply -f -", JSON.stringify(trimmed))).toMatchObject({
      code: 1,
      stderr: `The CustomResourceDefinition "${name}" is invalid: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions\n`,
    });
    const before = await get("certificates.v2.cert-manager.io web");
    await kubectl.ok("replace -f -", await kubectl.ok("get certificates.v2.cert-manager.io -o json"));
    const after = await get("certificates.v2.cert-manager.io web");
    expect(after["spec"]).toEqual(before["spec"]);
    expect(after.metadata?.resourceVersion).not.toBe(before.metadata?.resourceVersion);
    expect(after.metadata?.generation).toBe(before.metadata?.generation);
    const patch = '{"status":{"storedVersions":["v2"]}}';
    await kubectl.ok(["patch", "crd", name, "--subresource=status", "--type=merge", "-p", patch]);
    expect(await applied(trimmed)).toBe(`customresourcedefinition.apiextensions.k8s.io/${name} configured\n`);
    webhook.calls.length = 0;
    await eventually(async () => expect(await kubectl.ok("api-versions")).not.toContain("cert-manager.io/v1\n"));
    expect(await kubectl.ok("get cert -o jsonpath={.items[*].spec.secret.name}")).toBe(
      "internal-tls second-tls web-tls",
    );
    expect(webhook.calls).toEqual([]);
  });

  test("uninstalls: the release leaves its definition, and deleting the definition deletes its objects", async () => {
    expect(await helm.ok("uninstall", "shop")).toBe('release "shop" uninstalled\n');
    expect(await kubectl.ok("get smon")).toBe("");
    await kubectl.ok([
      "patch",
      "cert",
      "web",
      "--type=merge",
      "-p",
      '{"metadata":{"finalizers":["example.com/revoke"]}}',
    ]);
    const deleting = kubectl.ok("delete crd certificates.cert-manager.io httproutes.gateway.networking.k8s.io");
    await eventually(async () => {
      expect((await get("cert web")).metadata?.deletionTimestamp).toBeDefined();
    });
    const late = await kubectl.run(
      "create -f -",
      JSON.stringify({
        apiVersion: "cert-manager.io/v2",
        kind: "Certificate",
        metadata: { name: "late" },
        spec: { secret: { name: "x" }, issuerRef: { name: "ca" } },
      }),
    );
    expect(late.stderr).toBe(
      'Error from server (MethodNotAllowed): error when creating "STDIN": create not allowed while custom resource definition is terminating\n',
    );
    await kubectl.ok(["patch", "cert", "web", "--type=json", "-p", '[{"op":"remove","path":"/metadata/finalizers"}]']);
    expect(await deleting).toBe(
      'customresourcedefinition.apiextensions.k8s.io "certificates.cert-manager.io" deleted\ncustomresourcedefinition.apiextensions.k8s.io "httproutes.gateway.networking.k8s.io" deleted\n',
    );
    // kubectl remembers the kind, and the server does not.
    expect((await kubectl.run("get cert")).stderr).toBe(
      'Error from server (NotFound): Unable to list "cert-manager.io/v2, Resource=certificates": the server could not find the requested resource (get certificates.cert-manager.io)\n',
    );
    // Installed again, the kind has none of the old objects.
    await kubectl.ok(["apply", "-f", crd("certificates")]);
    // kubectl does not wait for a definition that has no conditions yet: it ends with an error.
    await eventually(() =>
      kubectl.ok("wait --for=condition=Established crd certificates.cert-manager.io --timeout=20s"),
    );
    expect(await kubectl.ok("get certificates.v1.cert-manager.io -o name")).toBe("");
    expect(faults).toEqual([]);
  });
});
