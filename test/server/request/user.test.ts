import { expect, test } from "vitest";
import { ANONYMOUS, authenticated } from "../../../src/server/request/user.js";

test.each([
  ["a user", { name: "jane", groups: ["team"] }, ["team", "system:authenticated"]],
  ["one who has the group", { name: "jane", groups: ["system:authenticated"] }, ["system:authenticated"]],
  ["the anonymous user", ANONYMOUS, ["system:unauthenticated"]],
  ["the anonymous user without groups", { name: "system:anonymous", groups: [] }, []],
  [
    "one whom a front proxy did not know",
    { name: "jane", groups: ["system:unauthenticated"] },
    ["system:unauthenticated"],
  ],
])("%s gets the system groups that belong to it", (_, user, groups) => {
  expect(authenticated(user).groups).toEqual(groups);
});
