import { expect } from "vitest";
import { row } from "./runner/row.js";
import { create, createAll, events, get, post, touch, watch } from "./runner/steps.js";

const yaml = { accept: "application/yaml" };
const gzip = { headers: { "accept-encoding": "gzip" } };
const large = post("configmaps", { metadata: { name: "large" }, data: { value: "x".repeat(200_000) } });

export const representationRows = [
  row(
    "a list's items leave out kind and apiVersion",
    create("a"),
    get("configmaps", (answer) => {
      expect(answer.at("kind")).toBe("ConfigMapList");
      expect(answer.at("items.0.kind")).toBeUndefined();
      expect(answer.at("items.0.apiVersion")).toBeUndefined();
    }),
  ),
  row(
    "a list is JSON in one line, with a newline behind it",
    create("a"),
    get("configmaps", (answer) => {
      expect(answer.headers["content-type"]).toBe("application/json");
      expect(answer.text.indexOf("\n")).toBe(answer.text.length - 1);
    }),
  ),
  row(
    "pretty=true indents",
    create("a"),
    get("configmaps?pretty=true", (answer) => {
      expect(
        answer.text.startsWith(
          '{\n  "kind": "ConfigMapList",\n  "apiVersion": "v1",\n  "metadata": {\n    "resourceVersion": "',
        ),
      ).toBe(true);
      expect(answer.text).toContain('\n  "items": [\n    {\n      "metadata": {\n        "name": "a",\n');
    }),
  ),
  row(
    "pretty=false does not",
    create("a"),
    get(
      "configmaps?pretty=false",
      (answer) => {
        expect(answer.text).not.toContain("\n ");
      },
      { headers: { "user-agent": "curl/8" } },
    ),
  ),
  row(
    "people with curl get it indented",
    create("a"),
    get(
      "configmaps",
      (answer) => {
        expect(answer.text).toContain('\n  "items": [\n    {\n');
      },
      { headers: { "user-agent": "curl/8" } },
    ),
  ),
  row(
    "pretty of nothing",
    get("configmaps?pretty=true", (answer) => {
      expect(answer.text.endsWith('  "items": []\n}')).toBe(true);
    }),
  ),
  row(
    "YAML",
    ...createAll("a", "b"),
    get(
      "configmaps",
      (answer) => {
        expect(answer.headers["content-type"]).toBe("application/yaml");
        expect(answer.text.startsWith("apiVersion: v1\nitems:\n- metadata:\n    creationTimestamp: ")).toBe(true);
        expect(answer.text).toContain("\n    name: b\n");
        expect(answer.text).toContain("\nkind: ConfigMapList\nmetadata:\n  resourceVersion: ");
      },
      yaml,
    ),
  ),
  row(
    "YAML of nothing",
    get(
      "configmaps",
      (answer) => {
        expect(answer.text.startsWith("apiVersion: v1\nitems: []\nkind: ConfigMapList\n")).toBe(true);
      },
      yaml,
    ),
  ),
  row(
    "a list of more than 128 KiB is zipped for who takes it",
    large,
    get(
      "configmaps",
      (answer) => {
        expect(answer.headers["content-encoding"]).toBe("gzip");
        expect([answer.headers["vary"]].flat()).toEqual(["Accept-Encoding"]);
      },
      gzip,
    ),
  ),
  row(
    "a list of more than 128 KiB is not zipped for who does not",
    large,
    get("configmaps", (answer) => {
      expect(answer.headers["content-encoding"]).toBeUndefined();
      expect(answer.at("items.0.metadata.name")).toBe("large");
    }),
  ),
  row(
    "a small list is not zipped",
    create("a"),
    get(
      "configmaps",
      (answer) => {
        expect(answer.headers["content-encoding"]).toBeUndefined();
      },
      gzip,
    ),
  ),
  row(
    "a watch is never zipped",
    large,
    watch("configmaps?watch=true", gzip),
    touch("large"),
    events("ADDED large@{large}", "MODIFIED large@{large:2}"),
  ),
  row("a wildcard is JSON", create("a"), get("configmaps", { items: ["a"] }, { accept: "*/*" })),
  row(
    "the first type that can be made",
    create("a"),
    get("configmaps", { items: ["a"] }, { accept: "application/msword, application/json" }),
  ),
];
