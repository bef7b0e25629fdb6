import { expect, test } from "vitest";
import { reportError } from "../../src/cli/error-boundary.js";
import { ExitError, silentExit, usageError } from "../../src/cli/errors.js";
import { ConfigurationInvalidError } from "../../src/client/config/config-errors.js";
import { TransportError } from "../../src/client/transport/transport-error.js";
import { invalidValue, required } from "../../src/machinery/errors/field-error.js";
import { invalid, notFound, unauthorized } from "../../src/machinery/errors/status-error.js";
import { NoResourceMatchError } from "../../src/machinery/rest-mapper.js";

const pods = { group: "", resource: "pods" };
const missing = notFound(pods, "a");
const deployment = { group: "apps", kind: "Deployment" };
const lost = (reason: string): TransportError =>
  new TransportError(reason, { method: "GET", url: "https://h:6443/api?x=1" });

test.each<[string, unknown, string]>([
  ["a plain error", new Error("boom"), "error: boom\n"],
  ["an error that says so itself", new Error("error: boom"), "error: boom\n"],
  ["something thrown that is no error", "boom", "error: boom\n"],
  [
    "a usage error",
    usageError({ commandPath: "kubectl get" }, "no"),
    "error: no\nSee 'kubectl get -h' for help and examples\n",
  ],
  ["what a server says", missing, 'Error from server (NotFound): pods "a" not found\n'],
  [
    "a server that wants to know who asks",
    unauthorized(),
    "error: You must be logged in to the server (Unauthorized)\n",
  ],
  [
    "an invalid object with one cause",
    invalid(deployment, "x", [required("spec.selector", "")]),
    'The Deployment "x" is invalid: spec.selector: Required value\n',
  ],
  [
    "an invalid object with several causes, equal ones once",
    invalid(deployment, "x", [required("a", ""), invalidValue("b", 1, "bad"), required("a", "")]),
    'The Deployment "x" is invalid: \n* a: Required value\n* b: Invalid value: 1: bad\n',
  ],
  [
    "nobody at the address",
    lost("dial tcp 1.2.3.4:6443: connect: connection refused"),
    "The connection to the server h:6443 was refused - did you specify the right host or port?\n",
  ],
  ["no way to the server", lost("EOF"), "Unable to connect to the server: EOF\n"],
  [
    "a type the server lacks",
    new NoResourceMatchError({ group: "g", version: "v", resource: "r" }),
    'the server doesn\'t have a resource type "r" in group "g" and version "v"\n',
  ],
  [
    "several errors, one a line",
    new AggregateError([new Error("one"), missing]),
    'one\nError from server (NotFound): pods "a" not found\n',
  ],
  ["errors in errors", new AggregateError([new AggregateError([new Error("one")]), new Error("two")]), "one\ntwo\n"],
  ["an aggregate of one", new AggregateError([new Error("one")]), "error: one\n"],
  [
    "a broken configuration",
    new ConfigurationInvalidError([new Error("a"), new Error("b")]),
    "Error in configuration: \n* a\n* b\n",
  ],
  ["a configuration with one fault", new ConfigurationInvalidError([new Error("a")]), "error: a\n"],
  [
    "the same among the errors of a search for objects",
    new AggregateError([new ConfigurationInvalidError([new Error("a")])]),
    "Error in configuration: a\n",
  ],
])("kubectl's text is printed for %s", (_name, error, text) => {
  expect(reportError(error)).toEqual({ text, code: 1 });
});

test("an error can set its own exit code, with and without a message", () => {
  expect(reportError(silentExit())).toEqual({ text: "", code: 1 });
  expect(reportError(new ExitError(7, "left"))).toEqual({ text: "left\n", code: 7 });
});

test("hints are appended to errors on terminals only", () => {
  const error = Object.assign(new Error("boom"), { advice: "try again" });
  expect(reportError(error).text).toBe("error: boom\n");
  expect(reportError(error, true).text).toBe("error: boom\ntry again\n");
});
