import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { configure } from "../helpers/configured-webhooks.js";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import {
  allow,
  type AnswerCall,
  deny,
  patch,
  startWebhookServer,
  type WebhookServer,
} from "../helpers/webhook-server.js";
import { runOperator } from "./provision-request/operator.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`the texts' operator is skipped: ${missing}\n`);

const FOLDER = join(import.meta.dirname, "provision-request");
const ALL = "/apis/provision.mydomain.com/v1alpha1/provisionrequests";

describe.skipIf(missing !== undefined)(
  "the ProvisionRequest definition of the source texts, with kubectl 1.37.1 and its operator",
  () => {
    let cluster: Cluster;
    let client: KubernetesClient;
    let kubectl: RealKubectl;
    let hooks: WebhookServer;
    let operator: Promise<void>;
    const stop = new AbortController();

    beforeAll(async () => {
      cluster = await startCluster();
      kubectl = await realKubectl(cluster);
      hooks = await startWebhookServer();
      await kubectl.ok(["apply", "-f", join(FOLDER, "definition.yaml")]);
      // kubectl does not wait for a definition that has no conditions yet: it ends with an error.
      await eventually(() =>
        kubectl.ok("wait --for=condition=Established crd provisionrequests.provision.mydomain.com --timeout=20s"),
      );
      client = kubernetesClient(cluster);
      operator = runOperator(client, stop.signal);
    });
    afterAll(async () => {
      stop.abort();
      await operator;
      await client?.close();
      await kubectl?.[Symbol.asyncDispose]();
      await hooks?.[Symbol.asyncDispose]();
      await cluster.close();
    });

    const file = (name: string): string => join(FOLDER, name);
    const statusOf = (name: string) =>
      kubectl
        .ok(["get", "provisionrequest", name, "-o", "jsonpath={.status}"])
        .then((text) => JSON.parse(text) as unknown);

    /** The company has what it asked for. */
    async function provisioned(company: string): Promise<void> {
      await eventually(async () => {
        expect(await statusOf(`pr-for-company-${company}`)).toEqual({ ingressReady: true, dbReady: true });
      });
      const found = ["get", "deployment", "cust-db", "-n", `company${company}`, "-o"];
      const path = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}";
      expect(await kubectl.ok([...found, path])).toBe("1 mysql:5.7");
    }

    test("AT-24: without webhooks provisions a customer, and refuses one without a namespace name", async () => {
      expect(await kubectl.ok("api-versions")).toContain("provision.mydomain.com/v1alpha1\n");
      expect(await kubectl.ok(["apply", "-f", file("customer1.yaml")])).toBe(
        "provisionrequest.provision.mydomain.com/pr-for-company-abc created\n",
      );
      await provisioned("abc");
      expect(await kubectl.run(["apply", "-f", file("customer2-no-namespace.yaml")])).toEqual({
        code: 1,
        stdout: "",
        stderr: 'The ProvisionRequest "pr-for-company-bcd" is invalid: spec.namespaceName: Required value\n',
      });
      await kubectl.ok("delete provisionrequests --all");
    });

    test("AT-25, AT-26: with webhooks fills an empty default, allows one request for a company, and provisions both", async () => {
      /** As a Go webhook does it: what it decodes and encodes has every field that is not omitempty. */
      const typed: AnswerCall = (given) => {
        const { spec } = given.request["object"] as { spec: JsonObject };
        return "namespaceName" in spec
          ? allow(given)
          : patch(given, [{ op: "add", path: "/spec/namespaceName", value: "" }]);
      };
      /** Asks the server itself for the company's requests, while the server waits for its answer. */
      const one: AnswerCall = (given, response) => {
        const { metadata } = given.request["object"] as { metadata: { labels: { company: string } } };
        const path = `${ALL}?labelSelector=company%3D${metadata.labels.company}`;
        void call(cluster.transport(), "GET", path).then(({ at }) => {
          const isTaken = given.request["operation"] === "CREATE" && (at("items") as unknown[]).length > 0;
          const status = { message: "the company already has provision request", reason: "Forbidden", code: 403 };
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify(isTaken ? deny(given, status) : allow(given)));
        });
      };
      const rule = {
        apiGroups: ["provision.mydomain.com"],
        apiVersions: ["v1alpha1"],
        resources: ["provisionrequests"],
      };
      const webhook = (verb: string, answer: AnswerCall) => ({
        name: `${verb[0]}provisionrequest.kb.io`,
        rules: [{ ...rule, operations: ["CREATE", "UPDATE"] }],
        clientConfig: hooks.on(`/${verb}-provision-mydomain-com-v1alpha1-provisionrequest`, answer),
      });
      const api = cluster.transport();
      await using _ = await configure(api, "mutating", [webhook("mutate", typed)]);
      await using __ = await configure(api, "validating", [webhook("validate", one)]);
      const { code, stdout, stderr } = await kubectl.run(["apply", "-k", FOLDER]);
      expect([code, stdout]).toEqual([
        1,
        [
          "provisionrequest.provision.mydomain.com/pr-for-company-abc created",
          "provisionrequest.provision.mydomain.com/pr-for-company-def created",
          "",
        ].join("\n"),
      ]);
      expect(stderr.replaceAll(FOLDER, ".")).toBe(
        [
          'Error from server (Invalid): error when creating ".": ProvisionRequest.provision.mydomain.com "pr-for-company-bcd" is invalid: spec.namespaceName: Invalid value: "": spec.namespaceName in body should be at least 1 chars long',
          'Error from server (Forbidden): error when creating ".": admission webhook "vprovisionrequest.kb.io" denied the request: the company already has provision request',
          "",
        ].join("\n"),
      );
      await provisioned("abc");
      await provisioned("def");
    });
  },
);
