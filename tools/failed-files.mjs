// A reporter of vitest: writes which files failed, and by which tests, to the file that KUBETS_FAILED_FILES names.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** Of an error, its message and what was not as expected: enough to see what differed, and not a whole log. */
const MOST_CHARACTERS = 1500;

/**
 * What it writes is `{ files: [{ file, project, tests }], errors }`: `file` is a path from the working directory, `project` the
 * name of vitest's project ("" without projects), `tests` what failed in the file, `{ name, reason }` each: its full name, and the
 * beginning of its error. `errors` are those that belong to no file.
 */
export default class FailedFiles {
  #unfinished = new Map();

  onTestRunStart(specifications) {
    this.#unfinished = new Map(
      specifications.map(({ moduleId, project }) => [keyOf(moduleId, project.name), { moduleId, project }]),
    );
  }

  onTestModuleEnd({ moduleId, project }) {
    this.#unfinished.delete(keyOf(moduleId, project.name));
  }

  onTestRunEnd(modules, unhandled, reason) {
    const failed = new Map();
    const note = (moduleId, project, failures) => {
      const key = keyOf(moduleId, project);
      const { tests = [] } = failed.get(key) ?? {};
      failed.set(key, { file: pathOf(moduleId), project, tests: [...tests, ...failures] });
    };
    for (const module of modules) {
      if (module.state() === "failed") note(module.moduleId, module.project.name, failuresOf(module));
    }
    // A thread that ended takes its file with it. The error that says so names none.
    for (const { moduleId, project } of this.#unfinished.values())
      note(moduleId, project.name, [{ name: "did not end" }]);
    const errors = [];
    for (const error of unhandled) {
      const module = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH);
      const text = `unhandled error: ${firstLine(error)}`;
      if (module !== undefined) note(module.moduleId, module.project.name, [{ name: text }]);
      else if (this.#unfinished.size === 0) errors.push(text);
    }
    if (reason === "interrupted") errors.push("interrupted");
    writeFileSync(process.env.KUBETS_FAILED_FILES, JSON.stringify({ files: [...failed.values()], errors }));
  }
}

/** Tests that failed, suites whose hooks did, and the file itself where it could not be loaded. */
function failuresOf(module) {
  const tests = [...module.children.allTests("failed")].map((test) => ({
    name: test.fullName,
    reason: reasonOf(test.result().errors?.[0]),
  }));
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const hooks = suites.map((suite) => ({ name: `${suite.fullName} (a hook)`, reason: reasonOf(suite.errors()[0]) }));
  const own = module.errors().map((error) => ({ name: `the file: ${firstLine(error)}` }));
  return [...tests, ...hooks, ...own];
}

/** The message of an error and vitest's comparison of what was there with what was expected, without colours. */
function reasonOf(error) {
  const text = [error?.message, error?.diff].filter((part) => part !== undefined).join("\n");
  return stripVTControlCharacters(text).slice(0, MOST_CHARACTERS);
}

const keyOf = (moduleId, project) => `${project}\0${moduleId}`;
const pathOf = (moduleId) => relative(process.cwd(), moduleId).replaceAll("\\", "/");
const firstLine = ({ message }) => String(message).split("\n", 1)[0];
