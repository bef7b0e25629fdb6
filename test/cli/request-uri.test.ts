import { describe, expect, it } from "vitest";
import { parseRequestUri, requireRequestUri } from "../../src/cli/request-uri.js";

// Each was given to kubectl get --raw; the path is the one its request had.
describe("parsing the path that get --raw takes, as Go does", () => {
  it.each([
    ["/api/v1", "/api/v1"],
    ["/api/v1/", "/api/v1/"],
    ["/", "/"],
    ["*", "/%2A"],
    ["//host/v1/x", "/v1/x"],
    ["//host", "/"],
    ["http://example.com/api?x=y", "/api"],
    ["x:y", "/"],
    ["/api/v1/../v1/namespaces", "/api/v1/namespaces"],
    ["/api/defaul%74", "/api/default"],
    ["/api/default%2Fstatus", "/api/default/status"],
    ["/api/de%25fault", "/api/de%25fault"],
    ["/api/a#frag", "/api/a"],
  ])("%s becomes the path %s", (uri, path) => {
    expect(() => requireRequestUri(uri)).not.toThrow();
    expect(parseRequestUri(uri).path).toBe(path);
  });

  it("keeps all values of a repeated parameter", () => {
    expect(parseRequestUri("/a?x=1&y=%3D&x=2").query).toEqual({ x: ["1", "2"], y: ["="] });
  });
});

describe("requireRequestUri() for the path that get --raw takes", () => {
  it.each([
    [":", 'parse ":": missing protocol scheme'],
    ["api/v1", 'parse "api/v1": invalid URI for request'],
    ["?x=y", 'parse "?x=y": invalid URI for request'],
    ["/a/%zz", 'parse "/a/%zz": invalid URL escape "%zz"'],
    ["/a\n", 'parse "/a\\n": net/url: invalid control character in URL'],
  ])("refuses %j", (uri, message) => {
    expect(() => requireRequestUri(uri)).toThrow(`--raw must be a valid URL path: ${message}`);
  });
});
