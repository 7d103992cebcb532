import ts from 'typescript';

/**
 * What makes a source impure in a way that the compiler does not refuse: it reads a clock, draws a random number, waits,
 * depends on the machine's locale or time zone, or runs text as code. (`process`, `console`, timers and the DOM are not
 * in the kernel's `types` and `lib`, so they do not compile.)
 *
 * `Date`, `Math` and `Temporal` are allowed only in the forms that are listed here, so that an alias
 * (`const { now } = Date`) is no way around.
 */

const FORBIDDEN_NAMES = new Map([
  ['Promise', 'the kernel never waits'],
  ['PromiseLike', 'the kernel never waits'],
  ['globalThis', 'reaches whatever the machine offers'],
  ['Intl', "depends on the machine's locale data"],
  ['eval', 'runs text as code'],
  ['Function', 'runs text as code'],
  ['WeakRef', 'shows when memory is collected'],
  ['FinalizationRegistry', 'shows when memory is collected'],
]);

const LOCALE = "depends on the machine's locale";
const ZONE = "depends on the machine's time zone";

const FORBIDDEN_MEMBERS = new Map<string, string>([
  ...['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString', 'toLocaleUpperCase'].map(
    name => [name, LOCALE] as const,
  ),
  ...['toLocaleLowerCase', 'localeCompare'].map(name => [name, LOCALE] as const),
  ...['getFullYear', 'getMonth', 'getDate', 'getDay', 'getHours', 'getMinutes'].map(name => [name, ZONE] as const),
  ...['setFullYear', 'setMonth', 'setDate', 'setHours', 'setMinutes'].map(name => [name, ZONE] as const),
  ...['toDateString', 'toTimeString', 'getTimezoneOffset'].map(name => [name, ZONE] as const),
]);

const WAITING = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.AsyncKeyword, 'async'],
  [ts.SyntaxKind.AwaitExpression, 'await'],
  [ts.SyntaxKind.AwaitKeyword, 'await'],
]);

interface Impurity {
  readonly what: string;
  readonly why: string;
}

/** In order of line (from 1); empty when pure. */
export function findImpurities(text: string, file = 'source.ts'): (Impurity & { readonly line: number })[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: (Impurity & { readonly line: number })[] = [];
  const visit = (node: ts.Node): void => {
    const impurity = impurityOf(node);
    if (impurity !== undefined) {
      found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, ...impurity });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function impurityOf(node: ts.Node): Impurity | undefined {
  const waiting = WAITING.get(node.kind);
  if (waiting !== undefined) return { what: waiting, why: 'the kernel never waits' };
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return { what: 'import()', why: 'the kernel never waits' };
  }
  if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) {
    return { what: 'import.meta', why: 'depends on where the kernel lies' };
  }
  if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'Now') {
    return { what: 'Now', why: 'reads the clock' };
  }
  return ts.isIdentifier(node) ? impurityOfName(node) : undefined;
}

function impurityOfName(node: ts.Identifier): Impurity | undefined {
  const name = node.text;
  if (isRead(node)) {
    const why = FORBIDDEN_MEMBERS.get(name);
    return why === undefined ? undefined : { what: name, why };
  }
  if (isDeclaredName(node)) return undefined;
  const why = FORBIDDEN_NAMES.get(name);
  if (why !== undefined) return { what: name, why };
  if (name === 'Date' && !isPureDate(node)) return { what: whole(node), why: 'may read the clock or the time zone' };
  if (name === 'Math' && !isMemberOtherThan(node, 'random')) return { what: whole(node), why: 'draws a random number' };
  if (name === 'Temporal' && !isMemberOtherThan(node, 'Now')) return { what: whole(node), why: 'reads the clock' };
  return undefined;
}

/** `new Date(x)`, `Date.UTC(…)`, `x instanceof Date`, or `Date` as a type. Two and more arguments are read as local time. */
function isPureDate(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isNewExpression(parent) && parent.expression === node) {
    const [first, second] = parent.arguments ?? [];
    return first !== undefined && second === undefined && !ts.isSpreadElement(first);
  }
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  return ts.isTypeReferenceNode(parent) || (ts.isPropertyAccessExpression(parent) && parent.name.text === 'UTC');
}

/** `Math.floor`, `Math[which]`, `Temporal.PlainDate`, also as a type, and the import itself. */
function isMemberOtherThan(node: ts.Identifier, forbidden: string): boolean {
  const { parent } = node;
  if (ts.isImportSpecifier(parent)) return true;
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text !== forbidden;
  if (ts.isElementAccessExpression(parent)) return !isText(parent.argumentExpression, forbidden);
  return ts.isQualifiedName(parent) && parent.right.text !== forbidden;
}

/** The `x` of `a.x`, of `{ x: y } = a`, and of `A.x` as a type. */
function isRead(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  return ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node;
}

/** A name of the source's own that happens to be spelt so: of a member, a parameter, a type. */
function isDeclaredName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    'name' in parent &&
    parent.name === node &&
    !ts.isShorthandPropertyAssignment(parent) &&
    !ts.isImportSpecifier(parent)
  );
}

function isText(node: ts.Node, text: string): boolean {
  return ts.isStringLiteralLike(node) && node.text === text;
}

function whole(node: ts.Node): string {
  return node.parent.getText().split('\n', 1).join('').slice(0, 60);
}
