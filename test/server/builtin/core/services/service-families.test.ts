import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openMemoryKv } from "../../../../../src/server/storage/memory/memory-kv.js";
import { type Answer, call } from "../../../../helpers/api-caller.js";
import { FixedClock } from "../../../../helpers/fixed-clock.js";
import { type SharedServer, sharedServers } from "../../../../helpers/shared-servers.js";

const SERVICES = "/api/v1/namespaces/default/services";

const clock = new FixedClock(Date.UTC(2026, 0, 1));
let server: SharedServer;
let close: () => Promise<void>;

beforeAll(async () => {
  const opened = await sharedServers(openMemoryKv({ clock }), clock, {});
  [server] = opened.servers as [SharedServer];
  close = opened.close;
});
afterAll(() => close());

let count = 0;
let name = "";
beforeEach(() => {
  count += 1;
  name = `s${count}`;
});

type Spec = Readonly<Record<string, unknown>>;

const body = (spec: Spec) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const create = (spec: Spec): Promise<Answer> => call(server.api, "POST", SERVICES, body(spec));
const replace = (spec: Spec): Promise<Answer> => call(server.api, "PUT", `${SERVICES}/${name}`, body(spec));
const fields = (answer: Answer, ...paths: readonly string[]) => paths.map((path) => answer.at(`spec.${path}`));

function expectRefused(answer: Answer, ...errors: readonly string[]): void {
  const text = errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`;
  expect([answer.status, answer.at("message")]).toEqual([422, `Service "${name}" is invalid: ${text}`]);
}

const HEADLESS = { clusterIP: "None" };
const SELECTS = { selector: { app: "x" } };

describe("the IP families of a new service, in a single-stack cluster,", () => {
  test.each<[string, Spec, unknown, unknown]>([
    ["says nothing", {}, ["IPv4"], "SingleStack"],
    ["would have two", { ipFamilyPolicy: "PreferDualStack" }, ["IPv4"], "PreferDualStack"],
    ["names its family", { ipFamilies: ["IPv4"] }, ["IPv4"], "SingleStack"],
    ["has no address", { ...HEADLESS, ...SELECTS }, ["IPv4"], "SingleStack"],
    ["has neither address nor pods", HEADLESS, ["IPv4", "IPv6"], "RequireDualStack"],
    ["has neither, and one family", { ...HEADLESS, ipFamilyPolicy: "SingleStack" }, ["IPv4"], "SingleStack"],
    ["has neither, and the other", { ...HEADLESS, ipFamilies: ["IPv6"] }, ["IPv6", "IPv4"], "RequireDualStack"],
    ["is a name", { type: "ExternalName", externalName: "a.example.com" }, undefined, undefined],
  ])("when it %s", async (_, spec, families, policy) => {
    const answer = await create(spec);
    expect(answer.status, answer.text).toBe(201);
    expect(fields(answer, "ipFamilies", "ipFamilyPolicy")).toEqual([families, policy]);
  });

  const policy = (value: string, detail: string) => `spec.ipFamilyPolicy: Invalid value: "${value}": ${detail}`;
  const TWO = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  test.each<[string, Spec, readonly string[]]>([
    [
      "must have two",
      { ipFamilyPolicy: "RequireDualStack" },
      [policy("RequireDualStack", "this cluster is not configured for dual-stack services")],
    ],
    [
      "must have two, and has pods but no address",
      { ...HEADLESS, ...SELECTS, ipFamilyPolicy: "RequireDualStack" },
      [policy("RequireDualStack", "this cluster is not configured for dual-stack services")],
    ],
    [
      "is of the other family",
      { ipFamilies: ["IPv6"] },
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      "would be of both",
      { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" },
      ['spec.ipFamilies[1]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      "is of both without a word",
      { ipFamilies: ["IPv4", "IPv6"] },
      [policy("SingleStack", `${TWO} IP families are specified`)],
    ],
    [
      "has an address of the other",
      { clusterIP: "fd00::7" },
      ['spec.clusterIPs[0]: Invalid value: ["fd00::7"]: IPv6 is not configured on this cluster'],
    ],
    [
      "has two addresses",
      { clusterIP: "10.96.9.9", clusterIPs: ["10.96.9.9", "fd00::7"] },
      [
        policy("SingleStack", `${TWO} cluster IPs are specified`),
        'spec.clusterIPs[1]: Invalid value: ["10.96.9.9","fd00::7"]: IPv6 is not configured on this cluster',
      ],
    ],
    [
      "has an address in the list only",
      { clusterIPs: ["10.96.9.9"] },
      ['spec.clusterIPs: Invalid value: ["10.96.9.9"]: must be empty when `clusterIP` is not specified'],
    ],
    [
      "has an address that is none",
      { clusterIP: "x", type: "Odd" },
      ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    [
      "has an odd policy",
      { ipFamilyPolicy: "Odd", ports: [] },
      [
        'spec.ipFamilyPolicy: Unsupported value: "Odd": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
  ])("are refused when it %s", async (_, spec, errors) => {
    expectRefused(await create(spec), ...errors);
  });
});

describe("an update of a service", () => {
  test("keeps addresses and ports that it leaves out", async () => {
    const before = await create({ type: "NodePort", ipFamilyPolicy: "PreferDualStack" });
    const after = await replace({ type: "NodePort", ports: [{ port: 81, targetPort: 8080 }] });
    const kept = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "ports.0.nodePort"];
    expect(after.status, after.text).toBe(200);
    expect(fields(after, ...kept)).toEqual(fields(before, ...kept));
    expect(fields(after, "ports.0.port")).toEqual([81]);
  });

  test("matches ports by their names", async () => {
    const a = { name: "a", port: 80 };
    const b = { name: "b", port: 81 };
    const before = await create({ type: "NodePort", ports: [a, b] });
    const [first, second] = fields(before, "ports.0.nodePort", "ports.1.nodePort");
    const after = await replace({
      type: "NodePort",
      ports: [
        { ...b, port: 80 },
        { ...a, port: 81 },
      ],
    });
    expect(fields(after, "ports.0.nodePort", "ports.1.nodePort")).toEqual([second, first]);
  });

  test("can make it ExternalName, and a normal service again", async () => {
    const before = await create({ type: "NodePort" });
    const named = await replace({ type: "ExternalName", externalName: "a.example.com", ports: [] });
    expect(named.status, named.text).toBe(200);
    const gone = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "externalTrafficPolicy"];
    expect(fields(named, ...gone)).toEqual(gone.map(() => undefined));
    const again = await replace({ clusterIP: before.at("spec.clusterIP") });
    expect(again.status, again.text).toBe(200);
    expect(fields(again, "clusterIP", "ipFamilyPolicy")).toEqual([before.at("spec.clusterIP"), "SingleStack"]);
  });

  test("keeps its address, or that it is headless", async () => {
    await create({ clusterIP: "10.96.9.1" });
    const moved = await replace({ clusterIP: "10.96.9.2" });
    expect([moved.status, moved.at("message")]).toEqual([422, expect.stringContaining("may not change once set")]);
    name = `${name}-headless`;
    await create({ ...HEADLESS, ...SELECTS });
    expect(fields(await replace(SELECTS), "clusterIP", "clusterIPs")).toEqual(["None", ["None"]]);
    const given = await replace({ ...SELECTS, clusterIP: "10.96.9.3" });
    expect([given.status, given.at("message")]).toEqual([422, expect.stringContaining("may not change once set")]);
  });

  test("removes fields that only its old type has, unless they were changed", async () => {
    const balancer = { type: "LoadBalancer", externalTrafficPolicy: "Local", loadBalancerClass: "a.example.com/b" };
    const before = await create(balancer);
    const status = { loadBalancer: { ingress: [{ ip: "1.2.3.4", ipMode: "VIP" }] } };
    const stored = JSON.parse(before.text) as object;
    await call(server.api, "PUT", `${SERVICES}/${name}/status`, { ...stored, status });
    const whole = before.at("spec") as Spec;
    const changed = await replace({ ...whole, type: "ClusterIP", loadBalancerClass: "a.example.com/c" });
    expectRefused(changed, "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'");
    const after = await replace({ ...whole, type: "ClusterIP" });
    expect(after.status, after.text).toBe(200);
    const gone = [
      "loadBalancerClass",
      "allocateLoadBalancerNodePorts",
      "healthCheckNodePort",
      "externalTrafficPolicy",
      "ports.0.nodePort",
    ];
    expect(fields(after, ...gone)).toEqual(gone.map(() => undefined));
    expect(after.at("status.loadBalancer")).toEqual({});
    expect((await server.nodePorts.read()).ports).not.toContain(before.at("spec.healthCheckNodePort"));
  });

  test("keeps its external traffic settings while it has any", async () => {
    await create({ type: "NodePort", externalTrafficPolicy: "Local" });
    const after = await replace({ type: "ClusterIP", externalIPs: ["1.2.3.4"], externalTrafficPolicy: "Local" });
    expect(fields(after, "externalTrafficPolicy")).toEqual(["Local"]);
  });
});

test("addresses of a load balancer in unusual notation get a warning", async () => {
  const service = JSON.parse((await create({ type: "LoadBalancer" })).text) as object;
  const ingress = [{ ip: "FD00::1", ipMode: "VIP" }];
  const answer = await call(server.api, "PUT", `${SERVICES}/${name}/status`, {
    ...service,
    status: { loadBalancer: { ingress } },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(String(answer.headers.warning)).toEqual(
    expect.stringContaining(
      String.raw`status.loadBalancer.ingress[0]: IPv6 address \"FD00::1\" should be in RFC 5952 canonical format (\"fd00::1\")`,
    ),
  );
});
