import { expect, test } from "vitest";
import { healthRows, problemLines, statusLines, webhookLines } from "../../../src/commands/cluster/status-table.js";
import { plainLook } from "../../../src/printers/look.js";

test("cluster status escapes control characters in texts of objects, on a terminal and in a pipe", () => {
  const words = "a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\re\nf";
  const problem = { namespace: words, object: `pod/${words}`, reason: words, message: words };
  const lines = [...problemLines([problem], plainLook), ...statusLines([["Server", words]], plainLook)];
  const webhook = { name: words, configuration: words, service: words };
  expect(webhookLines([webhook], plainLook).join("")).not.toMatch(/\p{Cc}/u);
  expect(lines.join("")).not.toMatch(/\p{Cc}/u);
  expect(lines.join("")).toContain("a^[[31mb^[]0;title^Gc\\x9b2Jd e f");
  expect(lines).toHaveLength(5);
});

test("cluster status counts containers that run a stand-in, and has no such line without any", () => {
  const counts = { nodes: { all: 1, ready: 1 }, pods: { all: 2, ready: 2, completed: 0 } };
  const rows = (containers: number, pods: number, names: readonly string[], silentNodes = 0) => {
    const webhooks = names.map((name) => ({ name, configuration: "c", service: "s" }));
    return healthRows({ ...counts, standIns: { containers, pods, silentNodes, webhooks } }).slice(2);
  };
  expect(rows(0, 0, [])).toEqual([]);
  expect(rows(3, 1, [])).toEqual([["Stand-ins", "3 containers of 1 pod"]]);
  expect(rows(0, 0, [], 2)).toEqual([["Stand-ins", "0 containers of 0 pods; 2 nodes did not answer"]]);
  expect(rows(1, 1, ["a"])).toEqual([["Stand-ins", "1 container of 1 pod; 1 webhook not called"]]);
});
