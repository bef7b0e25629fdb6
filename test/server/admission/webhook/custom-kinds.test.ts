import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { invalidValue, required } from "../../../../src/machinery/errors/field-error.js";
import { object } from "../../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../../src/machinery/meta/json.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { int32, string, struct } from "../../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition } from "../../../../src/server/api-registry/resource-definition.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { configure } from "../../../helpers/configured-webhooks.js";
import {
  allow,
  type AnswerCall,
  deny,
  NO_CALL,
  patch,
  startWebhookServer,
  type WebhookServer,
} from "../../../helpers/webhook-server.js";

/** v1 is stored and has spec.size; v2 has spec.length, and is converted later, as if by another process. */
const widgets: ResourceDefinition = {
  group: "example.com",
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
  versions: [
    { version: "v1", schema: struct("Widget", { spec: struct("WidgetSpec", { size: int32 }) }) },
    {
      version: "v2",
      schema: struct("Widget", { spec: struct("WidgetSpec", { length: int32 }) }),
      conversion: {
        convertMany: async (objects, direction) =>
          objects.map((one) => {
            const { size, length } = object(one["spec"]);
            return { ...one, spec: direction === "toHub" ? { size: length } : { length: size } } as KubeObject;
          }),
      },
    },
  ],
};

/**
 * The ProvisionRequest of the texts. What its CustomResourceDefinition's schema says of spec.namespaceName (required, not empty) is
 * said by a strategy here: this is about its webhooks.
 */
const provisionRequests: ResourceDefinition = {
  group: "provision.mydomain.com",
  resource: "provisionrequests",
  kind: "ProvisionRequest",
  namespaced: true,
  versions: [
    {
      version: "v1alpha1",
      schema: struct("ProvisionRequest", {
        spec: struct("ProvisionRequestSpec", {
          ingressEntrance: string,
          businessDbVolume: string,
          namespaceName: string,
        }),
      }),
    },
  ],
  strategy: {
    validate: (one) => {
      const { namespaceName: name } = object(one["spec"]);
      if (name === undefined) return [required("spec.namespaceName")];
      const short = "spec.namespaceName in body should be at least 1 chars long";
      return name === "" ? [invalidValue("spec.namespaceName", "", short)] : [];
    },
  },
};

let server: AdmittingServer;
let hooks: WebhookServer;

beforeAll(async () => {
  server = await admittingServer({}, undefined, undefined, { resources: [widgets, provisionRequests] });
  hooks = await startWebhookServer();
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(() => {
  hooks.calls.length = 0;
});

const ruleFor = (group: string, version: string, resource: string, operations = ["*"]) => [
  { apiGroups: [group], apiVersions: [version], resources: [resource], operations },
];

describe("a kind that another process converts", () => {
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;

  test.each([
    ["v1", "v2", { length: 3 }],
    ["v2", "v1", { size: 3 }],
  ])("a request of %s is shown to a webhook for %s in that version, and patched in it", async (asked, shown, spec) => {
    const [[field] = [""]] = Object.entries(spec);
    const clientConfig = hooks.on("/hook", (given) =>
      patch(given, [{ op: "replace", path: `/spec/${field}`, value: 7 }]),
    );
    const rules = ruleFor("example.com", shown, "widgets");
    await using _ = await configure(server.api, "mutating", [{ clientConfig, rules }]);
    const sent = asked === "v1" ? { size: 3 } : { length: 3 };
    const made = await done(server.api, "POST", path(asked), { metadata: { name: asked }, spec: sent });
    expect(made.at("spec")).toEqual(asked === "v1" ? { size: 7 } : { length: 7 });
    const [{ request } = NO_CALL] = hooks.calls;
    expect(request).toMatchObject({
      kind: { group: "example.com", version: shown, kind: "Widget" },
      requestKind: { version: asked },
      object: { apiVersion: `example.com/${shown}`, spec },
    });
  });
});

describe("the ProvisionRequest of the texts", () => {
  const PATH = "/apis/provision.mydomain.com/v1alpha1/namespaces/default/provisionrequests";
  const request = (name: string, company: string, spec: object) => ({
    metadata: { name, labels: { company } },
    spec: { ingressEntrance: `/${company}/`, businessDbVolume: "SMALL", ...spec },
  });
  const abc = request("pr-for-company-abc", "abc", { namespaceName: "companyabc" });
  const bcd = request("pr-for-company-bcd", "bcd", {});
  const def = request("pr-for-company-def", "def", { namespaceName: "companydef" });
  const def2 = request("pr-for-company-def2", "def", { namespaceName: "companydef" });

  beforeEach(async () => {
    await call(server.api, "DELETE", PATH);
    hooks.calls.length = 0;
  });

  test("AT-24: without webhooks, one without spec.namespaceName is rejected because it is required", async () => {
    expect((await call(server.api, "POST", PATH, abc)).status).toBe(201);
    const { status, at } = await call(server.api, "POST", PATH, bcd);
    expect([status, at("message")]).toEqual([
      422,
      'ProvisionRequest.provision.mydomain.com "pr-for-company-bcd" is invalid: spec.namespaceName: Required value',
    ]);
  });

  test("AT-25: with webhooks, a typed default makes it empty, and a company has one request", async () => {
    /** As a Go webhook does it: what it decodes and encodes has every field that is not omitempty. */
    const typed: AnswerCall = (given) => {
      const { spec } = given.request["object"] as { spec: JsonObject };
      return "namespaceName" in spec
        ? allow(given)
        : patch(given, [{ op: "add", path: "/spec/namespaceName", value: "" }]);
    };
    /** Asks the server itself for the company's requests, while the server waits for its answer. */
    const one: AnswerCall = (given, response) => {
      const { labels } = (given.request["object"] as { metadata: { labels: { company: string } } }).metadata;
      const all = "/apis/provision.mydomain.com/v1alpha1/provisionrequests";
      void call(server.api, "GET", `${all}?labelSelector=company%3D${labels.company}`).then(({ at }) => {
        const taken = (at("items") as unknown[]).length > 0;
        const status = { message: "the company already has provision request", reason: "Forbidden", code: 403 };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(taken ? deny(given, status) : allow(given)));
      });
    };
    const rules = ruleFor("provision.mydomain.com", "v1alpha1", "provisionrequests", ["CREATE", "UPDATE"]);
    const mutating = {
      name: "mprovisionrequest.kb.io",
      rules,
      clientConfig: hooks.on("/mutate-provision-mydomain-com-v1alpha1-provisionrequest", typed),
    };
    const validating = {
      name: "vprovisionrequest.kb.io",
      rules,
      clientConfig: hooks.on("/validate-provision-mydomain-com-v1alpha1-provisionrequest", one),
    };
    await using _ = await configure(server.api, "mutating", [mutating]);
    await using __ = await configure(server.api, "validating", [validating]);
    const outcomes = [];
    for (const body of [abc, bcd, def, def2]) {
      const { status, at } = await call(server.api, "POST", PATH, body);
      outcomes.push(status < 300 ? status : [status, at("reason"), at("message")]);
    }
    expect(outcomes).toEqual([
      201,
      [
        422,
        "Invalid",
        'ProvisionRequest.provision.mydomain.com "pr-for-company-bcd" is invalid: spec.namespaceName: Invalid value: "": spec.namespaceName in body should be at least 1 chars long',
      ],
      201,
      [
        403,
        "Forbidden",
        'admission webhook "vprovisionrequest.kb.io" denied the request: the company already has provision request',
      ],
    ]);
  });
});
