import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cassetteModel, type ScriptedModel, type ScriptLine, scriptedModel } from '@signalbox/testkit';
import { describe, it } from 'vitest';
import { describeChecks } from '../describe.ts';
import type { ModelFixture, ModelTurn } from './model-check.ts';
import { modelChecks } from './model-checks.ts';

const NO_SERVICE = {
  'a passing failure is tried again inside the call, and counted': 'there is no service that could fail in passing',
  'attempts tell how many requests were made, also where somebody listens': 'there is no service that is asked again',
  'a call that is given up ends with the reason that was given': 'a script does not keep anybody waiting',
};

function scripted(): ModelFixture & { readonly model: ScriptedModel } {
  const turns: ModelTurn[] = [];
  const next = () => toLine(turns.shift() ?? { kind: 'refusal' });
  const model = scriptedModel([{ when: () => true, say: next, always: true }]);
  return {
    name: 'test/scripted',
    model,
    script: (...more) => void turns.push(...more),
    sent: () => model.requests.map(request => JSON.stringify(request)),
  };
}

/** A cassette that has nothing yet, so that everything passes through it. */
function cassette(): ModelFixture {
  const fixture = scripted();
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'));
  return {
    ...fixture,
    model: cassetteModel({ file: join(folder, 'one.jsonl'), mode: 'record', model: fixture.model, secrets: {} }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function toLine(turn: ModelTurn): ScriptLine {
  switch (turn.kind) {
    case 'reply': {
      const { kind: _, ...reply } = turn;
      return reply;
    }
    case 'rateLimited':
      return { fails: 'ModelRateLimited' };
    case 'overloaded':
      return { fails: 'ModelUnavailable' };
    case 'refusal':
      return { fails: 'ModelRefusedRequest' };
    case 'cut':
    case 'silence':
      return { fails: 'ModelReplyInvalid' };
  }
}

describeChecks({ describe, it }, 'the scripted model', modelChecks(scripted, { skip: NO_SERVICE }));
describeChecks({ describe, it }, 'a cassette that records', modelChecks(cassette, { skip: NO_SERVICE }));
