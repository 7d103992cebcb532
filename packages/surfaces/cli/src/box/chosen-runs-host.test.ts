import type { Host } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { chosenRunsHost } from './chosen-runs-host.ts';

function recorded() {
  const scheduled: string[] = [];
  const inner: Host = {
    schedule: (runId, at) => scheduled.push(`${runId}@${at}`),
    onDue: () => undefined,
    stop: async () => undefined,
  };
  return { scheduled, host: chosenRunsHost(inner) };
}

describe('a host for chosen runs', () => {
  it('leaves the runs of others where they are', () => {
    const { scheduled, host } = recorded();
    host.schedule('other', 1);
    host.choose('mine');
    host.schedule('mine', 2);
    expect(scheduled).toEqual(['mine@2']);
  });

  it('hands on the earliest wish for a run once it is chosen', () => {
    const { scheduled, host } = recorded();
    host.schedule('mine', 5);
    host.schedule('mine', 3);
    host.schedule('mine', 9);
    host.choose('mine');
    expect(scheduled).toEqual(['mine@3']);
  });
});
