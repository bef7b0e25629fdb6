/** What $((...)) cannot compute. */
export class ArithmeticError extends Error {}

const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<=", ">=", "<", ">"],
  ["+", "-"],
  ["*", "/", "%"],
];

/** An expression of integers with +, -, *, /, %, comparisons, &&, ||, ! and parentheses. Names are variables; unset ones are 0. */
export function arithmetic(expression: string, variable: (name: string) => string): number {
  const tokens = expression.match(/\d+|[A-Za-z_]\w*|\|\||&&|[=!<>]=|[-+*/%<>()!]|\S/g) ?? [];
  let at = 0;
  const unary = (): number => {
    const token = tokens[at++];
    if (token === "-") return -unary();
    if (token === "+") return unary();
    if (token === "!") return unary() === 0 ? 1 : 0;
    if (token === "(") {
      const value = binary(0);
      if (tokens[at++] !== ")") throw new ArithmeticError("arithmetic expression: expecting ')'");
      return value;
    }
    if (token !== undefined && /^\d/.test(token)) return Number(token);
    if (token !== undefined && /^[A-Za-z_]/.test(token)) return Math.trunc(Number(variable(token))) || 0;
    throw new ArithmeticError(`arithmetic expression: expecting primary: "${expression}"`);
  };
  const binary = (level: number): number => {
    const operators = LEVELS[level];
    if (operators === undefined) return unary();
    let left = binary(level + 1);
    for (let operator = tokens[at] ?? ""; operators.includes(operator); operator = tokens[at] ?? "") {
      at += 1;
      left = apply(operator, left, binary(level + 1));
    }
    return left;
  };
  if (tokens.length === 0) return 0;
  const value = binary(0);
  if (at < tokens.length) throw new ArithmeticError(`arithmetic expression: expecting EOF: "${expression}"`);
  return value;
}

function apply(operator: string, left: number, right: number): number {
  switch (operator) {
    case "||":
      return Number(left !== 0 || right !== 0);
    case "&&":
      return Number(left !== 0 && right !== 0);
    case "==":
      return Number(left === right);
    case "!=":
      return Number(left !== right);
    case "<=":
      return Number(left <= right);
    case ">=":
      return Number(left >= right);
    case "<":
      return Number(left < right);
    case ">":
      return Number(left > right);
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    default:
      if (right === 0) throw new ArithmeticError("division by zero");
      return operator === "/" ? Math.trunc(left / right) : left % right;
  }
}
