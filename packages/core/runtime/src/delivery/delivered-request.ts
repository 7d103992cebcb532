import { isJsonObject, type JsonValue } from '@signalbox/kernel';
import type { DeliveredRequest } from '@signalbox/ports';
import type { RequestView } from '../views/request-view.ts';

/** Named one by one: what a later view shows beside these is not published unsaid. */
export function deliveredRequest(view: RequestView): DeliveredRequest {
  const { id, kind, title, message, gap, summary, purpose, displays, actions, assignees, openedAt, deadline } = view;
  const { node, subject } = view;
  const secret = new Set(view.fields.filter(isSensitive).map(field => field.name));
  const fields = view.fields.map(field => (secret.has(field.name) ? withoutDefault(field) : field));
  const proposal = withoutValues(view.proposal, secret);
  const optional = { message, gap, summary, purpose, displays, actions, proposal, deadline, subject };
  return {
    id,
    kind,
    title,
    fields,
    assignees,
    openedAt,
    node,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional),
  } as DeliveredRequest;
}

function isSensitive(field: object): boolean {
  return 'sensitive' in field && field.sensitive === true;
}

function withoutDefault<Field extends { readonly default?: unknown }>(field: Field): Field {
  const { default: _, ...rest } = field;
  return rest as Field;
}

function withoutValues(proposal: JsonValue | undefined, secret: ReadonlySet<string>): JsonValue | undefined {
  if (secret.size === 0 || !isJsonObject(proposal) || !isJsonObject(proposal.values)) return proposal;
  const { values, alternatives: _, ...rest } = proposal;
  const shown = Object.entries(values).filter(([name]) => !secret.has(name));
  return { ...rest, values: Object.fromEntries(shown) };
}
