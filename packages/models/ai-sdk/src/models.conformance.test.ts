import { describeChecks, type ModelFixture, type ModelTurn, modelChecks } from '@signalbox/conformance';
import { describe, it } from 'vitest';
import { FLAVOURS, type Flavour, MODEL, modelsAt } from './testing/flavour.ts';
import { startModelServer } from './testing/model-server.ts';
import type { Turn } from './testing/turn.ts';

async function fixtureOf(flavour: Flavour): Promise<ModelFixture> {
  const server = await startModelServer();
  return {
    model: modelsAt(server.url),
    name: MODEL[flavour],
    script: (...turns) => server.script(...turns.map(toTurn)),
    sent: () => server.received.map(({ body }) => JSON.stringify(body)),
    dispose: () => server.close(),
  };
}

function toTurn(turn: ModelTurn): Turn {
  switch (turn.kind) {
    case 'reply': {
      const { kind: _, ...reply } = turn;
      return reply;
    }
    case 'rateLimited':
      return { status: 429, type: 'rate_limit_error', headers: { 'retry-after-ms': '2' } };
    case 'overloaded':
      return { status: 503, type: 'overloaded_error' };
    case 'refusal':
      return { status: 400, message: 'This request is not to our taste.' };
    case 'cut':
      return { text: turn.text, cutAfter: 5 };
    case 'silence':
      return { silent: true };
  }
}

for (const flavour of FLAVOURS)
  describeChecks(
    { describe, it },
    `${flavour} over HTTP`,
    modelChecks(() => fixtureOf(flavour)),
  );
