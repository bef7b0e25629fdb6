import { expect, test } from "vitest";
import { canonicalName, headerLines, maskedValue } from "../../../src/client/transport/debugging-transport.js";

test.each([
  ["a bearer token", "Authorization", "Bearer abc.def", "Bearer <masked>"],
  ["a user and password", "Authorization", "Basic dXNlcjpwYXNz", "Basic <masked>"],
  ["a Kerberos ticket", "Authorization", "Negotiate YII", "Negotiate <masked>"],
  ["a known scheme in other letters", "authorization", "bEARER abc", "bEARER <masked>"],
  ["a known scheme with nothing behind it", "Authorization", "Bearer", "Bearer"],
  ["a known scheme with a blank and nothing behind it", "Authorization", "Bearer ", "Bearer"],
  ["an unknown scheme, whole", "Authorization", "Digest username=jane", "<masked>"],
  ["a token without a scheme", "Authorization", "abc", "<masked>"],
  ["a value that begins with a blank", "Authorization", " Bearer abc", "<masked>"],
  ["nothing", "Authorization", "", ""],
  ["any other header stays", "Impersonate-User", "jane", "jane"],
  ["also one that looks like a secret, as in client-go", "X-Api-Key", "abc", "abc"],
])("the request log masks %s", (_, name, value, shown) => {
  expect(maskedValue(name, value)).toBe(shown);
});

test("the request log sorts headers by name, with a line for each value", () => {
  const lines = headerLines([
    ["Vary", ["Accept", "Accept-Encoding"]],
    ["Authorization", ["Bearer abc"]],
    ["Accept", ["application/json"]],
  ]);
  expect(lines).toBe("Accept: application/json\nAuthorization: Bearer <masked>\nVary: Accept\nVary: Accept-Encoding\n");
});

test.each([
  ["x-from-cache", "X-From-Cache"],
  ["ETAG", "Etag"],
  ["www-authenticate", "Www-Authenticate"],
])("the request log writes the header %s as %s", (name, canonical) => {
  expect(canonicalName(name)).toBe(canonical);
});
