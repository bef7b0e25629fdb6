import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { bindingWith, createPolicy, enforce, mutatingPolicy, validatingPolicy } from "../../../helpers/policies.js";
import { inShortTurns } from "../../../helpers/short-turns.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";
const TOO_DEAR = "operation cancelled: actual cost limit exceeded";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
  // What V8 compiles at first is no part of what is watched.
  await using _ = await enforce(
    server.api,
    "validating",
    [validatingPolicy({ validations: [{ expression: deep(4) }] })],
    [bindingWith("validating")],
  );
  for (let round = 0; round < 3; round++)
    await call(server.api, "POST", `${MAPS}?dryRun=All`, { metadata: { name: "a" } });
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await call(server.api, "DELETE", MAPS);
});

/** Loops in loops, 10 times each. */
function deep(levels: number): string {
  const head = Array.from({ length: levels }, (_, level) => `[1,2,3,4,5,6,7,8,9,10].all(v${level}, `).join("");
  return `${head}true${")".repeat(levels)}`;
}

/** The answer to a request, and how many others were answered meanwhile. */
async function answeredBeside(request: Promise<Answer>): Promise<{ answer: Answer; others: number }> {
  let others = 0;
  let running = true;
  const asking = (async () => {
    while (running) {
      if ((await call(server.api, "GET", "/api/v1/namespaces/default")).status === 200) others++;
    }
  })();
  const answer = await request;
  running = false;
  await asking;
  return { answer, others };
}

const strings = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`key-${index}`, "x".repeat(50)]));
const big = { metadata: { name: "a" }, data: strings };

describe("an admission policy whose expressions run almost endlessly", () => {
  const rows: readonly (readonly [what: string, spec: object, message: string | undefined])[] = [
    ["loops in loops", { validations: [{ expression: deep(9) }] }, TOO_DEAR],
    ["many of them", { validations: Array.from({ length: 40 }, () => ({ expression: deep(9) })) }, OUT_OF_BUDGET],
    [
      "in variables that read each other",
      {
        variables: Array.from({ length: 40 }, (_, index) => ({
          name: `v${index}`,
          expression: index === 0 ? deep(5) : `variables.v${index - 1} && ${deep(5)} && ${deep(5)}`,
        })),
        validations: [{ expression: "variables.v39" }],
      },
      OUT_OF_BUDGET,
    ],
    [
      "in match conditions",
      {
        matchConditions: Array.from({ length: 20 }, (_, index) => ({ name: `c${index}`, expression: deep(9) })),
        validations: [{ expression: "true" }],
      },
      OUT_OF_BUDGET,
    ],
    [
      "with a pattern of death, which takes no longer than others",
      {
        validations: [
          {
            expression: `object.data.all(k, !object.data[k].matches('(x+x+)+y') && !(object.data[k] + object.data[k]).matches('(x|x|x)*y'))`,
          },
        ],
      },
      undefined,
    ],
    [
      "in what grows as it is joined",
      {
        validations: [
          {
            expression:
              "lists.range(500).map(x, object.data).map(d, d.map(k, d[k])).all(l, l.join(',').replace('x', 'yy').size() > 0)",
          },
        ],
      },
      "resulted in error: operation ",
    ],
  ];
  test.each(rows)("by %s is stopped, and other requests are answered", async (_, spec, message) => {
    await using __ = await enforce(server.api, "validating", [validatingPolicy(spec)], [bindingWith("validating")]);
    await inShortTurns(async () => {
      const { answer, others } = await answeredBeside(call(server.api, "POST", `${MAPS}?dryRun=All`, big));
      const refused = message === undefined ? [201, undefined] : [422, expect.stringContaining(message)];
      expect([answer.status, answer.at("message")]).toEqual(refused);
      expect(others).toBeGreaterThan(0);
    });
  });

  test("with three bindings is stopped for each, and other requests are answered", async () => {
    await using __ = await enforce(
      server.api,
      "validating",
      [validatingPolicy({ validations: Array.from({ length: 3 }, () => ({ expression: deep(6) })) })],
      Array.from({ length: 3 }, (_, index) => bindingWith("validating", { validationActions: ["Audit"] }, `b${index}`)),
    );
    await inShortTurns(async () => {
      const { answer, others } = await answeredBeside(call(server.api, "POST", `${MAPS}?dryRun=All`, big));
      expect(answer.status).toBe(201);
      expect(others).toBeGreaterThan(10);
    });
  });

  test("in a mutation is stopped too", async () => {
    const expression = `${deep(9)} ? Object{} : Object{immutable: true}`;
    const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }];
    await using __ = await enforce(server.api, "mutating", [mutatingPolicy({ mutations })], [bindingWith("mutating")]);
    await inShortTurns(async () => {
      const { answer } = await answeredBeside(call(server.api, "POST", `${MAPS}?dryRun=All`, big));
      expect([answer.status, answer.at("message")]).toEqual([403, expect.stringContaining(TOO_DEAR)]);
    });
  });
});

test("an admission policy of many long expressions is compiled while other requests are answered", async () => {
  const long = Array.from({ length: 400 }, () => "[1].all(x, x > 0)").join(" && ");
  const policy = validatingPolicy({ validations: Array.from({ length: 10 }, () => ({ expression: long })) });
  await inShortTurns(async () => {
    const { answer, others } = await answeredBeside(createPolicy(server.api, "validating", policy));
    await call(server.api, "DELETE", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/policy");
    expect(answer.status).toBe(201);
    expect(others).toBeGreaterThan(3);
  });
});
