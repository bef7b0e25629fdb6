import { expect, test } from "vitest";
import { controllerNames, enabledControllers } from "../../../src/api/controllers/index.js";

const GARBAGE = "garbage-collector-controller";
const ACCOUNTS = "serviceaccount-controller";

test.each([
  [["*"], controllerNames],
  [[], []],
  [[GARBAGE], [GARBAGE]],
  [
    ["garbagecollector", "serviceaccount"],
    [GARBAGE, ACCOUNTS],
  ],
  [[`-${GARBAGE}`], []],
  [["*", "-garbagecollector"], controllerNames.filter((name) => name !== GARBAGE)],
  [["-serviceaccount", "*", ACCOUNTS], controllerNames.filter((name) => name !== ACCOUNTS)],
  [[ACCOUNTS, `-${ACCOUNTS}`], [ACCOUNTS]],
])("%j enables %j", (entries, enabled) => {
  expect([...enabledControllers(entries)]).toEqual(enabled);
});

test.each([
  [["*", "nope"], '"nope" is not in the list of known controllers'],
  [["-nope"], '"nope" is not in the list of known controllers'],
  [["-*"], '"*" is not in the list of known controllers'],
  [["a", "b", "-a"], '["a" is not in the list of known controllers, "b" is not in the list of known controllers]'],
])("%j is refused", (entries, says) => {
  expect(() => enabledControllers(entries)).toThrow(new Error(says));
});
