import { expandKey, expandWord, expandWords } from "./expansion/expand.js";
import type { Shell } from "./shell.js";
import type { Assignment } from "./parse/syntax.js";

/** An assignment after the expansion of its words. */
export interface Assigned {
  readonly name: string;
  /** Of a variable or an element; an array as words for the trace. */
  readonly text: string;
  apply(): void;
}

/** Expands the words of an assignment, which takes effect when it is applied. `becomesAssociative`: the keys of a new array are texts. */
export async function expandAssignment(
  assignment: Assignment,
  shell: Shell,
  becomesAssociative = false,
): Promise<Assigned> {
  const { name, index, isAppended, elements } = assignment;
  if (elements !== undefined) return expandArray(assignment, shell, becomesAssociative);
  const text = await expandWord(assignment.value, shell);
  const key = index && (await expandKey(name, index, shell));
  const before = (): string => (key === undefined ? shell.parameter(name) : shell.array(name)?.elements.get(key)) ?? "";
  return {
    name,
    text: key === undefined ? text : `[${key}]=${text}`,
    apply() {
      const value = isAppended ? before() + text : text;
      if (key === undefined) shell.assign(name, value);
      else shell.assignElement(name, key, value);
    },
  };
}

async function expandArray(
  { name, isAppended, elements = [] }: Assignment,
  shell: Shell,
  becomesAssociative: boolean,
): Promise<Assigned> {
  const array = shell.state.variables.array(name);
  const isAssociative = becomesAssociative || array?.isAssociative === true;
  const entries: [string, string][] = [];
  const scalar = array === undefined && shell.state.variables.has(name);
  let next = isAppended ? (array === undefined ? Number(scalar) : array.last + 1) : 0;
  for (const { index, value } of elements) {
    if (index !== undefined) {
      const key = isAssociative ? await expandWord(index, shell) : await expandKey(name, index, shell);
      entries.push([key, await expandWord(value, shell)]);
      if (!isAssociative) next = Number(key) + 1;
      continue;
    }
    for (const field of await expandWords([value], shell)) {
      entries.push([String(next), field]);
      next += 1;
    }
  }
  return {
    name,
    text: `(${entries.map(([, value]) => value).join(" ")})`,
    apply() {
      shell.refuseConstant(name);
      const { variables } = shell.state;
      if (!isAppended) variables.setArray(name, isAssociative, entries);
      else for (const [key, value] of entries) variables.setElement(name, key, value);
    },
  };
}
