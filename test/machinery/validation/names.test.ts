import { describe, expect, it } from "vitest";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  portNameErrors,
  qualifiedNameErrors,
} from "../../../src/machinery/validation/names.js";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../src/machinery/validation/object-meta.js";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe("validation of names, with apimachinery's messages", () => {
  it.each([
    ["a good subdomain", dns1123SubdomainErrors("a.b-c"), []],
    ["an upper-case subdomain", dns1123SubdomainErrors("A"), [SUBDOMAIN]],
    ["a label with a dot", dns1123LabelErrors("a.b"), ["must not contain dots"]],
    ["a label that is too long", dns1123LabelErrors("a".repeat(64)), ["must be no more than 63 characters"]],
    [
      "a service that starts with a digit",
      dns1035LabelErrors("1a"),
      [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [
      "a qualified name without its name",
      qualifiedNameErrors("example.com/").slice(0, 1),
      ["name part must be non-empty"],
    ],
    ["a qualified name with an empty prefix", qualifiedNameErrors("/a"), ["prefix part must be non-empty"]],
    ["a port of digits", portNameErrors("80"), ["must contain at least one letter (a-z)"]],
  ])("%s", (_, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

describe("validation of metadata", () => {
  const rule = { namespaced: true, nameRule: dns1123SubdomainErrors };

  it("requires a name and a namespace", () => {
    expect(validateObjectMeta({}, rule).map(formatFieldError)).toEqual([
      "metadata.name: Required value: name or generateName is required",
      "metadata.namespace: Required value",
    ]);
  });

  it("accepts a generateName that ends in a dash", () => {
    expect(validateObjectMeta({ generateName: "a-", name: "a-x", namespace: "n" }, rule)).toEqual([]);
  });

  it("refuses a changed identity, and further finalizers once the object is being deleted", () => {
    const old = { name: "a", uid: "1", resourceVersion: "5", deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(validateObjectMetaUpdate({ ...old, uid: "2", finalizers: ["x/y"] }, old).map(formatFieldError)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/y"}',
      'metadata.uid: Invalid value: "2": field is immutable',
    ]);
  });
});
