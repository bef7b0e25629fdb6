// A reporter of vitest: writes which files failed, and by which tests, to the file that KUBETS_FAILED_FILES names.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";

/**
 * What it writes is `{ files: [{ file, project, tests }], errors }`: `file` is a path from the working directory, `project` the
 * name of vitest's project ("" without projects), `tests` the full names of what failed in the file. `errors` are those that
 * belong to no file.
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
    const note = (moduleId, project, names) => {
      const key = keyOf(moduleId, project);
      const { tests = [] } = failed.get(key) ?? {};
      failed.set(key, { file: pathOf(moduleId), project, tests: [...tests, ...names] });
    };
    for (const module of modules) {
      if (module.state() === "failed") note(module.moduleId, module.project.name, namesOf(module));
    }
    // A thread that ended takes its file with it. The error that says so names none.
    for (const { moduleId, project } of this.#unfinished.values()) note(moduleId, project.name, ["did not end"]);
    const errors = [];
    for (const error of unhandled) {
      const module = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH);
      const text = `unhandled error: ${firstLine(error)}`;
      if (module !== undefined) note(module.moduleId, module.project.name, [text]);
      else if (this.#unfinished.size === 0) errors.push(text);
    }
    if (reason === "interrupted") errors.push("interrupted");
    writeFileSync(process.env.KUBETS_FAILED_FILES, JSON.stringify({ files: [...failed.values()], errors }));
  }
}

/** Tests that failed, suites whose hooks did, and the file itself where it could not be loaded. */
function namesOf(module) {
  const tests = [...module.children.allTests("failed")].map(({ fullName }) => fullName);
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  const own = module.errors().map((error) => `the file: ${firstLine(error)}`);
  return [...tests, ...suites.map(({ fullName }) => `${fullName} (a hook)`), ...own];
}

const keyOf = (moduleId, project) => `${project}\0${moduleId}`;
const pathOf = (moduleId) => relative(process.cwd(), moduleId).replaceAll("\\", "/");
const firstLine = ({ message }) => String(message).split("\n", 1)[0];
