import { closest, compileJsonSchema, type Issue, type JsonValue, pointerTo } from '@signalbox/kernel';
import { type Conversion, nameOf } from './conversion.ts';
import type { NodeTypeDeclaration, NodeTypeRegistry } from './node-type-registry.ts';

export function findNodeType(type: string, types: NodeTypeRegistry): NodeTypeDeclaration | undefined {
  return Object.hasOwn(types, type) ? types[type] : undefined;
}

/** `type@rev`; of a type that nobody knows the first revision. */
export function handlerKey(type: string, declaration: NodeTypeDeclaration | undefined): string {
  return `${type}@${declaration?.rev ?? 1}`;
}

/** It is not built in, since it needs the code of its tools. */
const AGENT =
  'Agents are registered with the code of their tools: `types: [agentType({ tools })]` in signalbox.config.ts. ';

/** Names what there is. Whatever was meant might be a join, or have any output. */
export function reportUnknownType(
  type: string,
  builtIn: readonly string[],
  pointer: string,
  conversion: Conversion,
): void {
  const registered = Object.keys(conversion.types).sort();
  const meant = closest(type, [...registered, ...builtIn]);
  const known = registered.length === 0 ? 'No type is registered' : `Registered are ${registered.join(', ')}`;
  const guess = type === 'agent' ? AGENT : meant === undefined ? '' : `Did you mean \`${meant}\`? `;
  const others = builtIn.length === 0 ? '' : `; built in are ${builtIn.join(', ')}`;
  const message = `There is no node type \`${type}\`.`;
  conversion.fault('UnknownNodeType', pointerTo(pointer, 'type'), message, { hint: `${guess}${known}${others}.` });
  conversion.break(pointerTo(pointer, 'handler'));
  conversion.doubtAt(pointer, 'joins');
}

/** Holds `with` against the type's schema. Settings are kept as written; their defaults are the handler's affair. */
export function reportSettings(
  settings: JsonValue | undefined,
  declaration: NodeTypeDeclaration,
  pointer: string,
  conversion: Conversion,
): void {
  const place = pointerTo(pointer, 'with');
  if (declaration.with === undefined || conversion.isBroken(place)) return;
  const result = compileJsonSchema(declaration.with).validate(settings ?? {});
  if (!result.ok) for (const issue of result.issues) reportIssue(issue, place, conversion);
}

function reportIssue(issue: Issue, place: string, conversion: Conversion): void {
  const pointer = place + issue.pointer;
  const scalar = conversion.scalarAt(pointer);
  const wantsText = issue.code === 'type' && [issue.params?.type].flat().includes('string');
  if (wantsText && scalar !== undefined && scalar.value !== null) {
    conversion.textWanted(scalar, pointer, 'a text');
    return;
  }
  conversion.fault('InvalidSettings', pointer, `${nameOf(pointer)} ${issue.message}.`);
}
