import { expect, test } from "vitest";
import type { LeadershipEvent } from "../../../src/cluster/index.js";
import { leadershipLines } from "../../../src/cluster/named/serve.js";

const lease = "kube-system/kube-scheduler";
const waiting: LeadershipEvent = {
  type: "waiting",
  lease,
  holder: "host_1",
  until: Date.parse("2026-01-01T00:00:15.7Z"),
};
const began: LeadershipEvent = { type: "began", lease, identity: "host_2" };
const ended: LeadershipEvent = { type: "ended", lease, identity: "host_2" };

test.each<readonly [string, readonly LeadershipEvent[], readonly string[]]>([
  ["leads at once and is stopped in the end says nothing", [began, ended], []],
  [
    "waits names the Lease, its holder and until when, and says when it leads",
    [waiting, began, ended],
    [
      "scheduler: waiting for Lease kube-system/kube-scheduler, which host_1 holds until 2026-01-01T00:00:15Z unless it renews it",
      "scheduler: this server leads now, by Lease kube-system/kube-scheduler",
    ],
  ],
  [
    "loses its Lease says why, and when it leads again",
    [began, { ...ended, reason: "lost" }, began],
    [
      "scheduler: this server no longer leads: lost",
      "scheduler: this server leads now, by Lease kube-system/kube-scheduler",
    ],
  ],
])("kubets cluster prints about its leadership: a server that %s", (_, events, lines) => {
  const lineOf = leadershipLines();
  expect(events.map(lineOf).filter((line) => line !== undefined)).toEqual(lines);
});
