import { expect, test } from "vitest";
import { freshnessOf } from "../../../../src/server/storage/etcd/etcd-client.js";

test.each([
  [["3.4.30"], "quorum"],
  [["3.4.31"], "progress"],
  [["3.5.12"], "quorum"],
  [["3.5.13"], "progress"],
  [["3.6.0-rc.1"], "progress"],
  [["3.3.27"], "quorum"],
  [["4.0.0"], "progress"],
  [["3.5.21", "3.5.9"], "quorum"],
  [["3.5.21", undefined], "quorum"],
  [["3.5.21", "3.6.4"], "progress"],
] as const)("etcd with members of the versions %j can report progress by: %s", (versions, expected) => {
  const statuses = versions.map((version) => (version === undefined ? undefined : { version, size: 0, errors: [] }));
  expect(freshnessOf(statuses)).toBe(expected);
});
