import { row } from "./runner/row.js";
import { create, get, patch, post, refused, remove, touch } from "./runner/steps.js";
import { tooLarge } from "./too-large.js";

const notFound = (name: string) =>
  refused(404, "NotFound", `configmaps "${name}" not found`, { name, kind: "configmaps" });
const malformed = (text: string, problem: string) =>
  refused(400, "", `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${problem}`);
const at = (resourceVersion: string, value = "touched") => ({
  body: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", resourceVersion }, data: { value } },
});

export const getRows = [
  row("without a version: the newest", create("a"), touch("a"), get("configmaps/a", at("{a:2}"))),
  row("at 0: whatever is at hand", create("a"), touch("a"), get("configmaps/a?resourceVersion=0", at("{a:2}"))),
  row("at its own version", create("a"), touch("a"), get("configmaps/a?resourceVersion={a:2}", at("{a:2}"))),
  row(
    "at an older version: the newest, because it is not older",
    create("a"),
    touch("a"),
    get("configmaps/a?resourceVersion={a}", at("{a:2}")),
  ),
  row(
    "at a version that only another object has: the object as it is",
    create("a"),
    touch("a"),
    create("b"),
    get("configmaps/a?resourceVersion={b}", at("{a:2}")),
  ),
  row(
    "at version 1, from before everything",
    create("a"),
    touch("a"),
    get("configmaps/a?resourceVersion=1", at("{a:2}")),
  ),
  row(
    "at a version that does not come: 504",
    create("a"),
    get("configmaps/a?resourceVersion={now+1000}", tooLarge("{now+1000}"), { passing: 3000 }),
  ),
  row(
    "of nothing, at a version that does not come: 504 too",
    get("configmaps/none?resourceVersion={now+1000}", tooLarge("{now+1000}"), { passing: 3000 }),
  ),
  row("of nothing: 404", get("configmaps/none", notFound("none"))),
  row("of nothing, at 0: 404", get("configmaps/none?resourceVersion=0", notFound("none"))),
  row("of what was deleted: 404", create("a"), remove("a"), get("configmaps/a", notFound("a"))),
  row(
    "of what was deleted, at a version when it was there: 404, because the past is not asked for",
    create("a"),
    remove("a"),
    get("configmaps/a?resourceVersion={a}", notFound("a")),
  ),
  row(
    "of what was made again: the new one",
    create("a"),
    remove("a"),
    create("a"),
    touch("a"),
    get("configmaps/a", at("{a:4}")),
  ),
  row(
    "in a namespace that does not exist: 404 of the object",
    get("/api/v1/namespaces/nowhere/configmaps/a", notFound("a")),
  ),
  row(
    "with words for a version: 400 and the bare text",
    create("a"),
    get("configmaps/a?resourceVersion=x", malformed("x", "invalid syntax")),
  ),
  row(
    "with a negative version",
    create("a"),
    get("configmaps/a?resourceVersion=-1", malformed("-1", "invalid syntax")),
  ),
  row(
    "with a version beyond 64 bits",
    create("a"),
    get("configmaps/a?resourceVersion=18446744073709551616", malformed("18446744073709551616", "value out of range")),
  ),
  row(
    "has no resourceVersionMatch: not even a wrong one matters",
    create("a"),
    touch("a"),
    get("configmaps/a?resourceVersion={a}&resourceVersionMatch=Nonsense", at("{a:2}")),
  ),
  row("of one object with watch=true is a get", create("a"), touch("a"), get("configmaps/a?watch=true", at("{a:2}"))),
  row("does not read limit and continue", create("a"), touch("a"), get("configmaps/a?limit=x&continue=y", at("{a:2}"))),
  row(
    "of the status, at an older version: the newest",
    post("replicationcontrollers", {
      metadata: { name: "a" },
      spec: {
        selector: { app: "a" },
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    }),
    patch("replicationcontrollers/a/status", { status: { replicas: 3 } }, "a"),
    get("replicationcontrollers/a/status?resourceVersion={a}", {
      body: { metadata: { resourceVersion: "{a:2}" }, status: { replicas: 3 } },
    }),
  ),
];
