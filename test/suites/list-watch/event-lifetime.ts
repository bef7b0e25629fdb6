import { ownRow } from "./runner/row.js";
import { events, eventsOf, get, pass, patch, post, watch } from "./runner/steps.js";

const event = post("events", {
  metadata: { name: "a" },
  involvedObject: { namespace: "{ns}", name: "p" },
  reason: "Started",
});
const seconds = { eventTtlSeconds: 2 };
const OTHER_API = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
/** Beyond the time to live, and what a store may take to notice. */
const LONGER = 3000;

export const eventLifetimeRows = [
  ownRow(
    "an Event goes when its time is over, alone, and watchers of both APIs are told with a version of its own",
    seconds,
    post("configmaps", { metadata: { name: "c" } }),
    event,
    watch("events?watch=true&resourceVersion={now}", { name: "core" }),
    watch(`${OTHER_API}?watch=true&resourceVersion={now}&fieldSelector=regarding.name%3Dp`, { name: "other" }),
    pass(LONGER),
    eventsOf("other", { event: "DELETED a@{a+1}", object: { apiVersion: "events.k8s.io/v1" } }),
    eventsOf("core", { event: "DELETED a@{a+1}", object: { apiVersion: "v1", reason: "Started" } }),
    get("events", { items: [], at: "{now}" }),
    get("events?resourceVersion={a}&resourceVersionMatch=Exact", { items: ["a"], at: "{a}" }),
    get("configmaps", { items: ["c"] }),
  ),
  ownRow(
    "a change lets it live as long again",
    seconds,
    event,
    watch("events?watch=true&resourceVersion={now}"),
    patch("events/a", { count: 2 }),
    events("MODIFIED a@{a:2}"),
    pass(LONGER),
    events({ event: "DELETED a@{a:2+1}", object: { count: 2 } }),
  ),
];
