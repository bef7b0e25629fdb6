import { expect, test } from "vitest";
import { controllerNames, controllersOffByDefault, enabledControllers } from "../../../src/api/controllers/index.js";

const GARBAGE = "garbage-collector-controller";
const ACCOUNTS = "serviceaccount-controller";
const USUAL = controllerNames.filter((name) => !controllersOffByDefault.includes(name));

test.each([
  [["*"], USUAL],
  [[], []],
  [[GARBAGE], [GARBAGE]],
  [
    ["garbagecollector", "serviceaccount"],
    [GARBAGE, ACCOUNTS],
  ],
  [[`-${GARBAGE}`], []],
  [["*", "-garbagecollector"], USUAL.filter((name) => name !== GARBAGE)],
  [["-serviceaccount", "*", ACCOUNTS], USUAL.filter((name) => name !== ACCOUNTS)],
  [[ACCOUNTS, `-${ACCOUNTS}`], [ACCOUNTS]],
  [["*", "bootstrapsigner", "token-cleaner-controller"], controllerNames],
  [["tokencleaner"], ["token-cleaner-controller"]],
  [["-tokencleaner", "*", "bootstrapsigner"], controllerNames.filter((name) => name !== "token-cleaner-controller")],
])("the list --controllers=%j runs exactly these controllers: %j", (entries, enabled) => {
  expect([...enabledControllers(entries)]).toEqual(enabled);
});

test.each([
  [["*", "nope"], '"nope" is not in the list of known controllers'],
  [["-nope"], '"nope" is not in the list of known controllers'],
  [["-*"], '"*" is not in the list of known controllers'],
  [["a", "b", "-a"], '["a" is not in the list of known controllers, "b" is not in the list of known controllers]'],
])("the list --controllers=%j is refused: %s", (entries, says) => {
  expect(() => enabledControllers(entries)).toThrow(new Error(says));
});
