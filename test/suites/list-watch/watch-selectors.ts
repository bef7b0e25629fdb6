import { row } from "./runner/row.js";
import { create, events, label, patch, remove, removeAt, touch, watch } from "./runner/steps.js";

const yes = { on: "yes" };
const no = { on: "no" };
const NEW = "configmaps?watch=true&resourceVersion={now}&labelSelector=on%3Dyes";

export const watchSelectorsRows = [
  row("an object that comes to match is ADDED", create("a", no), watch(NEW), label("a", yes), events("ADDED a@{a:2}")),
  row(
    "an object that stops to match is DELETED, as it was before, at the version of the change",
    create("a", yes),
    touch("a", "last"),
    watch(NEW),
    label("a", no),
    events({
      event: "DELETED a@{a:3}",
      object: { metadata: { labels: yes, resourceVersion: "{a:3}" }, data: { value: "last" } },
    }),
  ),
  row(
    "an object that goes on to match is MODIFIED",
    create("a", yes),
    watch(NEW),
    touch("a"),
    events("MODIFIED a@{a:2}"),
  ),
  row(
    "an object that never matches is not told of",
    create("a", no),
    watch(NEW),
    touch("a"),
    remove("a"),
    create("b", yes),
    events("ADDED b@{b}"),
  ),
  row(
    "an object that matches, is deleted as it stood",
    create("a", yes),
    watch(NEW),
    remove("a"),
    events({ event: "DELETED a@{a:2}", object: { metadata: { labels: yes } } }),
  ),
  row(
    "an object that does not match any more is not DELETED twice",
    create("a", yes),
    watch(NEW),
    label("a", no),
    remove("a"),
    create("b", yes),
    events("DELETED a@{a:2}", "ADDED b@{b}"),
  ),
  row(
    "in and out and in again",
    create("a", yes),
    watch(NEW),
    label("a", no),
    label("a", yes),
    label("a", { on: null }),
    label("a", yes),
    events("DELETED a@{a:2}", "ADDED a@{a:3}", "DELETED a@{a:4}", "ADDED a@{a:5}"),
  ),
  row(
    "the same from history",
    create("a", yes),
    label("a", no),
    label("a", yes),
    touch("a"),
    remove("a"),
    watch("configmaps?watch=true&resourceVersion={a}&labelSelector=on%3Dyes"),
    events("DELETED a@{a:2}", "ADDED a@{a:3}", "MODIFIED a@{a:4}", "DELETED a@{a:5}"),
  ),
  row(
    "a watch for what does not match sees the mirror image",
    create("a", yes),
    watch("configmaps?watch=true&resourceVersion={now}&labelSelector=on!%3Dyes"),
    label("a", no),
    label("a", yes),
    events("ADDED a@{a:2}", "DELETED a@{a:3}"),
  ),
  row(
    "made again under its name after it was deleted",
    create("a", yes),
    watch(NEW),
    remove("a"),
    create("a", no),
    label("a", yes),
    events("DELETED a@{a:2}", "ADDED a@{a:4}"),
  ),
  row(
    "a field selector does the same",
    patchless("a", "example.com/one"),
    watch("secrets?watch=true&resourceVersion={now}&fieldSelector=type%3Dexample.com%2Ftwo"),
    removeAt("secrets/a"),
    patchless("a", "example.com/two"),
    removeAt("secrets/a"),
    events("ADDED a@{a:3}", "DELETED a@{a:4}"),
  ),
  row(
    "a name that does not match is not told of, whatever its labels",
    watch(`${NEW}&fieldSelector=metadata.name%3Da`),
    create("b", yes),
    create("a", no),
    label("a", yes),
    events("ADDED a@{a:2}"),
  ),
  row(
    "DELETED of a finalized object that stopped to match",
    create("a", yes),
    patch("configmaps/a", { metadata: { finalizers: ["example.com/hold"] } }),
    watch(NEW),
    removeAt("configmaps/a"),
    label("a", no),
    patch("configmaps/a", { metadata: { finalizers: null } }),
    create("b", yes),
    events(
      { event: "MODIFIED a@{a:3}", object: { metadata: { deletionGracePeriodSeconds: 0 } } },
      "DELETED a@{a:4}",
      "ADDED b@{b}",
    ),
  ),
];

/** A secret; its type can be selected and not be changed. */
function patchless(name: string, type: string) {
  return { do: "write", method: "POST", path: "secrets", body: { metadata: { name }, type }, mark: name } as const;
}
