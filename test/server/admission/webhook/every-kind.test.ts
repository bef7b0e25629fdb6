import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseOf } from "../../../../src/api/facts/index.js";
import { isJsonObject } from "../../../../src/machinery/meta/json.js";
import { SAMPLES } from "../../../hostile/samples.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { configure, CONFIG_MAPS } from "../../../helpers/configured-webhooks.js";
import {
  allow,
  type AnswerCall,
  patch,
  startWebhookServer,
  type WebhookServer,
} from "../../../helpers/webhook-server.js";

// What a server is by default.
const release = await releaseOf();

/** Labels what it can: the object comes back through the version that the webhook saw. */
const label: AnswerCall = (given) => {
  const { object } = given.request;
  if (!isJsonObject(object) || !isJsonObject(object["metadata"]) || given.request["subResource"] !== undefined) {
    return allow(given);
  }
  const { labels } = object["metadata"];
  const path = isJsonObject(labels) ? "/metadata/labels/seen" : "/metadata/labels";
  return patch(given, [{ op: "add", path, value: isJsonObject(labels) ? "1" : { seen: "1" } }]);
};

let watched: AdmittingServer;
let without: AdmittingServer;
let hooks: WebhookServer;

beforeAll(async () => {
  watched = await admittingServer({});
  without = await admittingServer({});
  hooks = await startWebhookServer();
  for (const { api } of [watched, without]) {
    const spec = { cidrs: ["10.96.0.0/24"] };
    await done(api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", { metadata: { name: "kubernetes" }, spec });
  }
  const rules = [{ ...CONFIG_MAPS, apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
  await configure(watched.api, "mutating", [{ clientConfig: hooks.on("/label", label), rules }]);
  await configure(watched.api, "validating", [{ clientConfig: hooks.on("/allow", (given) => allow(given)), rules }]);
});

afterAll(async () => {
  for (const one of [watched, without, hooks]) await one[Symbol.asyncDispose]();
});

const kinds = release
  .servedResources({})
  .filter(({ group, name }) => SAMPLES[`${group}/${name}`] !== undefined && !name.endsWith("webhookconfigurations"));

test.each(kinds.map((facts) => [`${facts.groupVersion}/${facts.name}`, facts] as const))(
  "a create of %s is accepted or refused with the same words whether admission webhooks are called or not",
  async (_, { group, groupVersion, name, namespaced, kind }) => {
    const root = group === "" ? `/api/${groupVersion}` : `/apis/${groupVersion}`;
    const path = `${root}/${namespaced ? "namespaces/default/" : ""}${name}`;
    const object = { apiVersion: groupVersion, kind, ...SAMPLES[`${group}/${name}`], metadata: { name: "a.b" } };
    const outcomes = async ({ api }: AdmittingServer) => {
      const answers = [await call(api, "POST", path, object), await call(api, "DELETE", `${path}/a.b`)];
      return answers.map((answer) => ({
        status: answer.status,
        message: answer.status < 300 ? "" : answer.at("message"),
        // A pod gets a volume with a generated name.
        spec: JSON.stringify(answer.at("spec"))?.replaceAll(/kube-api-access-\w{5}/g, "kube-api-access"),
        labels: answer.at("metadata.labels"),
      }));
    };
    const seen = await outcomes(watched);
    const expected = await outcomes(without);
    const bare = (all: typeof seen) => all.map(({ status, message, spec }) => ({ status, message, spec }));
    expect(bare(seen)).toEqual(bare(expected));
    expect(seen.map(({ status }) => status)).not.toContain(500);
    if (seen[0]?.status === 201 && seen[0].labels !== undefined && name !== "tokenreviews") {
      expect(seen[0].labels).toMatchObject({ seen: "1" });
    }
    expect(watched.faults).toEqual([]);
  },
);
