import { expect, test } from "vitest";
import { type Coolable, HotSet } from "../../../../src/server/storage/store/hot-set.js";

class Member implements Coolable {
  heat: Coolable["heat"] = "cold";
  cooled = 0;

  constructor(readonly weight: number) {}

  cool(): void {
    this.cooled++;
  }
}

const members = (weights: readonly number[]) => weights.map((weight) => new Member(weight));
const cooled = (all: readonly Member[]) => all.map((member) => member.cooled);

test("the oldest go when there is no room for one more", () => {
  const set = new HotSet<Member>(30);
  const all = members([10, 10, 10, 10, 20]);
  for (const member of all.slice(0, 3)) set.touch(member);
  expect(cooled(all)).toEqual([0, 0, 0, 0, 0]);
  for (const member of all.slice(3)) set.touch(member);
  expect(cooled(all)).toEqual([1, 1, 1, 0, 0]);
});

test("one that was used stays, and one that is used no more goes", () => {
  const set = new HotSet<Member>(30);
  const all = members([10, 10, 10, 10, 10, 10]);
  const used = all[0] as Member;
  for (const member of all) {
    set.touch(member);
    set.touch(used);
  }
  expect(cooled(all)).toEqual([0, 1, 1, 1, 0, 0]);
  const later = members([10, 10, 10, 10]);
  for (const member of later) set.touch(member);
  expect([used.cooled, ...cooled(later)]).toEqual([1, 1, 0, 0, 0]);
});

test("one that is too heavy for the set is kept until the next", () => {
  const set = new HotSet<Member>(5);
  const [heavy, next] = members([10, 10]) as [Member, Member];
  set.touch(heavy);
  set.touch(heavy);
  expect(heavy.cooled).toBe(0);
  set.touch(next);
  expect([heavy.cooled, next.cooled]).toEqual([1, 0]);
});
