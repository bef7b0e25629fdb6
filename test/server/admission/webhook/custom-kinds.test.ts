import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { object } from "../../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { int32, struct } from "../../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition } from "../../../../src/server/api-registry/resource-definition.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { configure } from "../../../helpers/configured-webhooks.js";
import { NO_CALL, patch, startWebhookServer, type WebhookServer } from "../../../helpers/webhook-server.js";

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

let server: AdmittingServer;
let hooks: WebhookServer;

beforeAll(async () => {
  server = await admittingServer({}, undefined, undefined, { resources: [widgets] });
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

describe("an admission webhook for a custom kind with a conversion webhook", () => {
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;

  test.each([
    ["v1", "v2", { length: 3 }],
    ["v2", "v1", { size: 3 }],
  ])("sees and patches a request of %s in its own version %s", async (asked, shown, spec) => {
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
