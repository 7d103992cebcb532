import { graphFromDefinition } from '@signalbox/core';
import {
  compileJsonSchema,
  isShown,
  type JsonObject,
  type JsonValue,
  type RequestDefinition,
  requestFromSchema,
  schemaFromRequest,
  validateValues,
} from '@signalbox/kernel';
import { testbox } from '@signalbox/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askRequest } from './form/ask-request.ts';
import { askedFor, type FilledForm, filledForm } from './testing/arbitrary-form.ts';
import { keysFor } from './testing/keys-for.ts';
import { ENTER, VirtualTerminal } from './testing/virtual-terminal.ts';

/** Given a form, somebody at a terminal answers it, and gives what the state then holds. */
async function stateAfterAnswering(form: FilledForm, request: RequestDefinition): Promise<JsonValue | undefined> {
  const graph = graphFromDefinition(
    {
      name: 'form',
      entry: 'ask',
      zone: form.zone,
      input: {},
      state: { values: { schema: { type: 'object' } } },
      nodes: {
        ask: {
          type: 'ask',
          request,
          update: { values: 'output.values' },
        },
      },
      routes: {},
    },
    [],
  );
  const box = testbox({ graphs: [graph] });
  const run = await box.start(graph, {});
  const [open] = (await run.settled()).requests;
  const desk = new VirtualTerminal();
  const asked = askRequest(desk.form({ zone: form.zone }), open!);
  for (const [field, value] of askedFor(form)) {
    const standing = form.proposed[field.name] ?? field.default;
    await desk.answer(`? ${field.label}`, keysFor(field, value, standing));
  }
  await desk.answer('? The form', ENTER);
  const outcome = await asked;
  if (outcome.kind !== 'answered') throw new Error(`The form was ${outcome.kind}.`);
  const answered = await box.answer(open!.id, { ...outcome.answer, as: 'user:finn' });
  await answered.settled();
  const state = await answered.state();
  await box.close();
  return state.values;
}

describe('a form', () => {
  it('has the same values from its definition over JSON Schema, terminal and answer into the state', async () => {
    const types = new Set<string>();
    await fc.assert(
      fc.asyncProperty(filledForm, async form => {
        const request = { kind: 'form', title: 'The form', proposal: { values: form.proposed } } as const;
        const schema = schemaFromRequest({ ...request, fields: form.fields });
        const back = requestFromSchema(schema);
        expect(back).toEqual({ request: { ...request, fields: form.fields }, faults: [] });
        const given = Object.fromEntries(
          askedFor(form).flatMap(([{ name }, value]) => (value === undefined ? [] : [[name, value]])),
        ) as JsonObject;
        const expected = validateValues(form.fields, given, { zone: form.zone, isShown });
        if (!expected.ok) throw new Error(`No answer to such a form: ${JSON.stringify(expected.issues)}`);
        const state = await stateAfterAnswering(form, back.request);
        expect(state).toEqual(expected.values);
        if (form.fields.every(field => field.showIf === undefined))
          expect(compileJsonSchema(schema).validate(expected.values)).toEqual({ ok: true, value: expected.values });
        for (const [{ type }, value] of askedFor(form)) if (value !== undefined) types.add(type);
      }),
      { numRuns: 200, endOnFailure: true },
    );
    expect([...types].sort()).toEqual([
      'boolean',
      'checkbox',
      'date',
      'datetime',
      'multiselect',
      'number',
      'radio',
      'select',
      'slider',
      'text',
      'textarea',
    ]);
  }, 120_000);
});
