import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { isTestFile } from './test-file.ts';

export interface CodeUse {
  readonly code: string;
  /** `file:line`, relative to the root. */
  readonly at: string;
}

const CODE = /^[A-Z][A-Za-z]+$/;

/**
 * The error and fault codes in the sources below `root`. Where a text in PascalCase is a code:
 *  1. the first argument of `new SignalboxError(…)`;
 *  2. what stands under a property named `code`, in a value or a type;
 *  3. an argument in the place of a parameter named `code`, or its default, of a function, method or constructor of ours;
 *  4. the value of a constant named `code`, or whose name ends in `Code` or `CODE`;
 *  5. what stands under the name of a variable or member that is given where 1 to 3 take a code (`fault(options.empty, …)`).
 * A choice (`a ? 'X' : 'Y'`, `'X' | 'Y'`, `x ?? 'Y'`) stands for all of its texts.
 */
export function findCodes(root: string, files: readonly string[]): CodeUse[] {
  const sources = files.map(file =>
    ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true),
  );
  const places: Places = { parameters: new Map([['SignalboxError', new Set([0])]]), names: new Set() };
  for (const source of sources) walk(source, node => collectParameter(node, places));
  for (const source of sources) walk(source, node => collectNames(node, places));
  return sources.flatMap(source => {
    const found: CodeUse[] = [];
    walk(source, node => {
      for (const { text, start } of codesAt(node, places)) {
        const { line } = source.getLineAndCharacterOfPosition(start);
        if (CODE.test(text)) found.push({ code: text, at: `${source.fileName}:${line + 1}` });
      }
    });
    return found;
  });
}

/** Sources that a user's program may run; tests and private examples are not among them. */
export function productSources(root: string): string[] {
  return readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
    .map(name => `packages/${name.replaceAll('\\', '/')}`)
    .filter(name => /\/src\/.*\.ts$/.test(name) && !/node_modules|\/dist\//.test(name) && !isTestFile(name))
    .toSorted();
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, child => walk(child, visit));
}

/** Where codes stand: at which index in the calls of which function, and under which names. */
interface Places {
  readonly parameters: Map<string, Set<number>>;
  readonly names: Set<string>;
}

function collectParameter(node: ts.Node, { parameters }: Places): void {
  if (!ts.isParameter(node) || node.name.getText() !== 'code') return;
  const { parent } = node;
  const name = ts.isConstructorDeclaration(parent) ? parent.parent.name : (parent.name ?? nameOfHolder(parent));
  if (name === undefined) return;
  const known = parameters.get(name.getText()) ?? new Set();
  parameters.set(name.getText(), known.add(parent.parameters.indexOf(node)));
}

/** One step only: what is given to what is given would soon be every word there is. */
function collectNames(node: ts.Node, places: Places): void {
  for (const given of codePositions(node, { parameters: places.parameters, names: new Set() })) {
    for (const part of alternatives(given)) {
      if (ts.isPropertyAccessExpression(part)) places.names.add(part.name.text);
      if (ts.isIdentifier(part)) places.names.add(part.text);
    }
  }
}

/** Of `const f = (…) => …` and `{ f: (…) => … }`. */
function nameOfHolder({ parent }: ts.Node): ts.Node | undefined {
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name : undefined;
}

function codesAt(node: ts.Node, places: Places): Text[] {
  return codePositions(node, places)
    .flatMap(alternatives)
    .flatMap(part => (ts.isStringLiteralLike(part) ? [{ text: part.text, start: part.getStart() }] : []));
}

function codePositions(node: ts.Node, { parameters, names }: Places): ts.Node[] {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
    const indexes = [...(parameters.get(callee.getText()) ?? [])];
    return indexes.flatMap(index => node.arguments?.[index] ?? []);
  }
  const holds = (name: ts.Node) => names.has(name.getText()) || /^code$|Code$|(^|_)CODE$/.test(name.getText());
  if (ts.isPropertySignature(node)) return node.name.getText() === 'code' && node.type !== undefined ? [node.type] : [];
  const named =
    ts.isPropertyAssignment(node) ||
    ts.isParameter(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isPropertyDeclaration(node);
  return named && node.initializer !== undefined && holds(node.name) ? [node.initializer] : [];
}

interface Text {
  readonly text: string;
  readonly start: number;
}

/** What a choice may come to; a literal type stands for its text. */
function alternatives(node: ts.Node): ts.Node[] {
  if (ts.isLiteralTypeNode(node)) return alternatives(node.literal);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(alternatives);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return alternatives(node.expression);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(alternatives);
  if (ts.isBinaryExpression(node)) return [node.left, node.right].flatMap(alternatives);
  return [node];
}
