import { PassThrough } from 'node:stream';
import { SignalboxError } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { ToldError } from '../error-data.ts';
import { Output, styled } from './output.ts';

function paper(env: Record<string, string> = {}) {
  const stdout = new PassThrough();
  const out = new Output({ stdin: new PassThrough(), stdout, stderr: new PassThrough(), env, cwd: '/' });
  return { out, text: () => String(stdout.read() ?? '') };
}

async function* broken(): AsyncGenerator<number> {
  yield 1;
  throw new SignalboxError('LogUnreadable', 'Event 2 cannot be read.');
}

describe('output', () => {
  it('styles what the command says, never what data say', () => {
    const { out, text } = paper({ FORCE_COLOR: '1' });
    out.line(styled('red', 'a\u001b[0m'), 'b');
    expect(text()).toBe('\u001b[31ma\\u{1b}[0m\u001b[39mb\n');
  });

  it('has no colours in a pipe', () => {
    const { out, text } = paper();
    out.line(styled('red', 'a'));
    expect(text()).toBe('a\n');
  });

  it('writes a list as one document', async () => {
    const { out, text } = paper();
    await out.jsonList({ runId: 'r' }, 'rows', [1, 2], async () => ({ ok: true }));
    expect(JSON.parse(text())).toEqual({ runId: 'r', rows: [1, 2], ok: true });
    await out.jsonList({}, 'rows', []);
    expect(JSON.parse(text())).toEqual({ rows: [] });
  });

  it('writes one document also when reading fails half-way', async () => {
    const { out, text } = paper();
    await expect(out.jsonList({}, 'rows', broken())).rejects.toThrow(ToldError);
    expect(JSON.parse(text())).toMatchObject({ rows: [1], error: { code: 'LogUnreadable' } });
  });
});
