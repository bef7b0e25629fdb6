import { describe, test, expect } from "vitest";
import { evaluate, testIssues, testValues } from "./evaluate.js";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const NOT_LABEL = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const NOT_SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`;
const NOT_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const NOT_QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const NOT_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with texts, by formats; nothing: undefined. */
const VALIDATED: readonly (readonly [format: string, text: string, ...problems: string[]])[] = [
  ["dns1123Label", "my-label-name"],
  ["dns1123Label", "contains a space", NOT_LABEL],
  ["dns1123Label", "has.dots", "must not contain dots"],
  ["dns1123Label", "a".repeat(64), "must be no more than 63 characters"],
  ["dns1123Label", "ends-", NOT_LABEL],
  ["dns1123Subdomain", "apiextensions.k8s.io"],
  ["dns1123Subdomain", "contains a space", NOT_SUBDOMAIN],
  ["dns1035Label", "my-label-name"],
  ["dns1035Label", "1abc", NOT_1035],
  ["dns1035Label", "contains a space", NOT_1035],
  ["qualifiedName", "apiextensions.k8s.io/v1beta1"],
  ["qualifiedName", "my.name"],
  ["qualifiedName", "contains a space", NOT_QUALIFIED],
  ["qualifiedName", "/name", "prefix part must be non-empty"],
  ["dns1123LabelPrefix", "my-label-prefix-"],
  ["dns1123LabelPrefix", "contains a space-", NOT_LABEL],
  ["dns1123SubdomainPrefix", "mysubdomain.prefix.-"],
  ["dns1123SubdomainPrefix", "contains a space-", NOT_SUBDOMAIN],
  ["dns1035LabelPrefix", "my-label-prefix-"],
  ["dns1035LabelPrefix", "contains a space-", NOT_1035],
  ["labelValue", "my-cool-label-Value"],
  ["labelValue", ""],
  ["labelValue", "my-cool-label-Value!!", NOT_VALUE],
  ["labelValue", "a".repeat(64), "must be no more than 63 bytes"],
  ["uri", "http://example.com"],
  ["uri", "../relative", `parse "../relative": invalid URI for request`],
  ["uri", "http://h h", `parse "http://h h": invalid character " " in host name`],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
  ["uuid", "123E4567E89B12D3A456426614174000"],
  ["uuid", "123e4567", "does not match the UUID format"],
  ["byte", "aGVsbG8="],
  ["byte", "aGVsbG8", "invalid base64"],
  ["date", "2020-01-01"],
  ["date", "2020-01-32", "invalid date"],
  ["date", "2021-02-29", "invalid date"],
  ["datetime", "2020-01-01T00:00:00Z"],
  ["datetime", "2020-01-01T00:00:00.123+01:00"],
  ["datetime", "2020-01-32T00:00:00Z", "invalid datetime"],
  ["datetime", "2020-01-01", "invalid datetime"],
];

describe("Kubernetes' named formats in CEL", () => {
  test.each(VALIDATED.map(([format, text, ...problems]) => [format, text, problems] as const))(
    "of the name %s, for %j, report %j",
    (format, text, problems) => {
      const expected = problems.length === 0 ? "optional.none()" : `optional.of(${JSON.stringify(problems)})`;
      const call = `format.${format}().validate(${JSON.stringify(text)})`;
      expect(evaluate(`${call} == ${expected}`).value).toBe(true);
    },
  );

  testValues([
    ["format.named('dns1123Label').hasValue()", true],
    ["format.named('unknown').hasValue()", false],
    ["format.named('DNS1123Label').hasValue()", false],
    ["format.named('uuid').value() == format.uuid()", true],
    ["format.uuid() == format.date()", false],
    ["format.dns1123Label().validate('A B').value().join()", NOT_LABEL],
  ]);

  testIssues([
    [
      "format.unknown()",
      "undeclared reference to 'format' (in container '')",
      "undeclared reference to 'unknown' (in container '')",
    ],
    [
      "format.uuid().validate(1)",
      "found no matching overload for 'validate' applied to 'kubernetes.NamedFormat.(int)'",
    ],
  ]);
});
