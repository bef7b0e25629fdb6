import { describe, expect, it } from "vitest";
import { selectorFromObject } from "../../../src/machinery/selectors/api-label-selector.js";
import { parseFieldSelector } from "../../../src/machinery/selectors/field-selector.js";
import { SelectorError } from "../../../src/machinery/selectors/label-selector.js";
import type { LabelSelectorObject } from "../../../src/machinery/validation/labels.js";
import { parseLabelSelector } from "../../../src/machinery/selectors/parse-label-selector.js";

describe("label selectors", () => {
  it.each([
    ["a=b", "a=b"],
    ["b=2,a=1", "a=1,b=2"],
    ["a == b", "a==b"],
    ["c!=d", "c!=d"],
    ["e in (y, x)", "e in (x,y)"],
    ["e notin (x)", "e notin (x)"],
    ["!f", "!f"],
    ["f", "f"],
    ["g>1,h<2", "g>1,h<2"],
    ["a in ()", "a in ()"],
    ["a=", "a="],
    ["in in (in,notin)", "in in (in,notin)"],
    ["example.com/x=y", "example.com/x=y"],
    ["", ""],
  ])("prints %j as %j after parsing", (text, canonical) => {
    const selector = parseLabelSelector(text);
    expect(selector.toString()).toBe(canonical);
    expect(parseLabelSelector(canonical).toString()).toBe(canonical);
  });

  it.each([
    ["a=b", { a: "b" }, true],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a in (b,c)", { a: "c" }, true],
    ["a notin (b)", {}, true],
    ["a", { a: "" }, true],
    ["!a", { a: "" }, false],
    ["a>1", { a: "2" }, true],
    ["a<1", { a: "x" }, false],
    ["toString", {}, false],
  ])("match, for %j on %j: %j", (text, labels, matches) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(matches);
  });

  it.each([
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a=b,", "found '', expected: identifier after ','"],
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ["a notin", "unable to parse requirement: found '' expected: '('"],
    ["a==b==c", "found '==', expected: ',' or 'end of string'"],
    ["a,!b,c in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a!", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["(a)", "found '(', expected: !, identifier, or 'end of string'"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a,,b", "found ',', expected: identifier after ','"],
    ["a=!b", "unable to parse requirement: found '!', expected: identifier"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    [
      "a%b=c",
      "unable to parse requirement: <nil>: Invalid value: \"a%b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      "a>b",
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])("%j fails as apimachinery's does", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message));
  });

  it("reads LabelSelector objects: absent matches nothing, empty everything", () => {
    expect(selectorFromObject(undefined).matches({})).toBe(false);
    expect(selectorFromObject({}).matches({ a: "b" })).toBe(true);
    const selector = { matchLabels: { b: "1" }, matchExpressions: [{ key: "a", operator: "In", values: ["x"] }] };
    expect(selectorFromObject(selector).toString()).toBe("a in (x),b=1");
    expect(() => selectorFromObject({ matchExpressions: [{ key: "a", operator: "Is" }] })).toThrow(
      '"Is" is not a valid label selector operator',
    );
  });

  it.each([
    [{ matchLabels: { a: null } }, { a: "" }, true],
    [{ matchLabels: null, matchExpressions: null }, {}, true],
    [{ matchExpressions: [{ key: "a", operator: "In", values: [null] }] }, { a: "" }, true],
  ])("reads null in %j as empty: %j", (selector, labels, selected) => {
    expect(selectorFromObject(selector).matches(labels)).toBe(selected);
  });

  it.each([
    [[null], '"" is not a valid label selector operator'],
    [[{ key: "a", operator: null }], '"" is not a valid label selector operator'],
    ["a", "matchExpressions is not a list"],
  ])("refuses matchExpressions %j: %s", (matchExpressions: unknown, message) => {
    const selector: LabelSelectorObject = JSON.parse(JSON.stringify({ matchExpressions }));
    expect(() => selectorFromObject(selector)).toThrow(new SelectorError(message));
  });
});

describe("field selectors", () => {
  it.each([
    ["a.b=c,d!=e", "a.b=c,d!=e"],
    ["b=1,a==2", "a=2,b=1"],
    ["a=x\\,y\\=z\\\\", "a=x\\,y\\=z\\\\"],
    [",,", ""],
  ])("prints %j as %j after parsing", (text, canonical) => {
    expect(parseFieldSelector(text).toString()).toBe(canonical);
  });

  it.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\x", "invalid field selector: invalid escape sequence: \\x"],
  ])("%j fails as apimachinery's does", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });

  it("match by equality; a missing field is empty", () => {
    const selector = parseFieldSelector("status.phase!=Running,spec.nodeName=");
    expect(selector.matches({ "status.phase": "Pending" })).toBe(true);
    expect(selector.matches({ "status.phase": "Running" })).toBe(false);
    expect(parseFieldSelector("metadata.name=x").requiredValue("metadata.name")).toBe("x");
  });
});
