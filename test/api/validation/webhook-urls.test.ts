import { describe, expect, test } from "vitest";
import { validateWebhookUrl } from "../../../src/api/validation/admissionregistration/webhook-client.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import { createErrors } from "./good-objects.js";

const FORM = "; desired format: https://host[/path]";
const SCHEME = `'https' is the only allowed URL scheme${FORM}`;
const HOST = `host must be specified${FORM}`;

const unreadable: readonly (readonly [url: string, problem: string])[] = [
  ["https://local host/", 'invalid character " " in host name'],
  ["https://h\\x/", 'invalid character "\\\\" in host name'],
  ["https://h^/", 'invalid character "^" in host name'],
  ["https://{h}/", 'invalid character "{" in host name'],
  ["https://h`/", 'invalid character "`" in host name'],
  ["https://h|/", 'invalid character "|" in host name'],
  ["https://local%20host/", 'invalid URL escape "%20"'],
  ["https://h%2fx/", 'invalid URL escape "%2f"'],
  ["https://h%zz/", 'invalid URL escape "%zz"'],
  ["https://h/%zz", 'invalid URL escape "%zz"'],
  ["https://h/%a", 'invalid URL escape "%a"'],
  ["https://h/#f%zz", 'invalid URL escape "%zz"'],
  ["https://u:p%zz@h/", 'invalid URL escape "%zz"'],
  ["https://u s@h/", "net/url: invalid userinfo"],
  ["https://h:port/", 'invalid port ":port" after host'],
  ["https://a:b:c/", 'invalid port ":b:c" after host'],
  ["https://::1/", 'invalid port "::1" after host'],
  ["https://[::1]x/", 'invalid port "x" after host'],
  ["https://[::1/", "missing ']' in host"],
  ["https://x[::1]/", "invalid IP-literal"],
  ["https://[1.2.3.4]/", "invalid IP-literal"],
  ["://h", "missing protocol scheme"],
  ["1https://h", "first path segment in URL cannot contain colon"],
  ["a b://h", "first path segment in URL cannot contain colon"],
  ["https://h/\u0001", "net/url: invalid control character in URL"],
  ["https://h/\u007f", "net/url: invalid control character in URL"],
  ["https://h\n/", "net/url: invalid control character in URL"],
];

/** What the errors say of a URL that can be read: the value and the text. */
type Refused = readonly [url: string, ...problems: (readonly [value: string, detail: string])[]];
const refused: readonly Refused[] = [
  ["https://h:/"],
  ["https://h:99999/"],
  ["https://[::1]/"],
  ["https://[fe80::1%25eth0]:1/x"],
  ["https://bücher/"],
  ["https://b%C3%BCcher/"],
  ["https://h/a b"],
  ["https://h/?"],
  ["HTTPS://h/"],
  ["https://u@h/", ["u", "user information is not permitted in the URL"]],
  ["https://u:p@h/", ["u:p", "user information is not permitted in the URL"]],
  ["https://@h/", ["", "user information is not permitted in the URL"]],
  ["https://h/#f", ["f", "fragments are not permitted in the URL"]],
  ["https://h/#a%20b", ["a b", "fragments are not permitted in the URL"]],
  ["https://h/?a=b", ["a=b", "query parameters are not permitted in the URL"]],
  [
    "https://h?a#b",
    ["b", "fragments are not permitted in the URL"],
    ["a", "query parameters are not permitted in the URL"],
  ],
  ["https:///x", ["", HOST]],
  ["https:h/x", ["", HOST]],
  ["h:1/x", ["h", SCHEME], ["", HOST]],
  ["http://h/x", ["http", SCHEME]],
  ["/x", ["", SCHEME], ["", HOST]],
  ["", ["", SCHEME], ["", HOST]],
];

/** The answers of Go's url.Parse were asked of Go 1.26. */
describe("validation of a webhook's URL", () => {
  test.each(unreadable)("refuses %j with Go's parse error", (url, problem) => {
    const quoted = JSON.stringify(url).replace("\\u0001", "\\x01").replace("\u007f", "\\x7f");
    const detail = `url must be a valid URL: parse ${quoted}: ${problem}${FORM}`;
    expect(validateWebhookUrl(url, "url").map(formatFieldError)).toEqual([`url: Required value: ${detail}`]);
  });

  test.each(refused.map((row) => ({ url: row[0], row })))(
    "refuses $url, which can be parsed, with the rules of webhooks",
    ({ url, row: [, ...problems] }) => {
      const texts = problems.map(([value, detail]) => `url: Invalid value: ${JSON.stringify(value)}: ${detail}`);
      expect(validateWebhookUrl(url, "url").map(formatFieldError)).toEqual(texts);
    },
  );

  test("applies to webhook configurations and to conversion webhooks", () => {
    const [text] = validateWebhookUrl("https://local host/", "");
    const resource = "admissionregistration.k8s.io/validatingwebhookconfigurations";
    const path = "webhooks.0.clientConfig";
    const errors = createErrors(resource, { [path]: { url: "https://local host/" } });
    expect(errors).toEqual([`webhooks[0].clientConfig.url: Required value: ${text?.detail}`]);
  });
});
