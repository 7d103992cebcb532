import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPrompt } from './load-prompt.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prompt-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string | Uint8Array, name = 'refund.md'): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('a prompt of a file', () => {
  it('has the name of the file, its text, and the hash that any tool gives it', () => {
    const text = '# Refund\n\nBe kind. 请友善。\n';
    const { name, hash, text: kept } = loadPrompt(write(text));
    expect({ name, hash, kept }).toEqual({
      name: 'refund',
      hash: `sha256:${createHash('sha256').update(text).digest('hex')}`,
      kept: text,
    });
    expect(loadPrompt(pathToFileURL(write(text)), { name: 'other' })).toMatchObject({ name: 'other', hash });
  });

  it('has its placeholders filled in: texts as they are, other values as JSON, null as nothing', () => {
    const prompt = loadPrompt(
      write('{{ input.message }} / {{ state.amount + 1 }} / {{ state.items }} / {{ input.note }} / {{ { "a": 1 } }}'),
    );
    const values = { input: { message: 'a {{ b }} "c"', note: null }, state: { amount: 19, items: ['x'] } };
    expect(prompt.fill(values)).toBe('a {{ b }} "c" / 20 / ["x"] /  / {"a":1}');
  });

  it('fails by name where a placeholder has no value', () => {
    const prompt = loadPrompt(write('{{ state.amount }}'));
    expect(() => prompt.fill({ state: {} })).toThrow(
      expect.objectContaining({
        code: 'PromptFailed',
        message: 'The prompt refund cannot be filled in: state.amount: no such field "amount" on state.',
      }),
    );
  });

  it('is refused with all of its faults, each with line and column', () => {
    const file = write('Hello {{ input.name + }}\n{{ user.name }}\n{{ "a" + 1 }}\n');
    expect(() => loadPrompt(file)).toThrow(
      expect.objectContaining({
        code: 'InvalidPrompt',
        details: expect.objectContaining({
          faults: [
            expect.objectContaining({ line: 1, code: 'ExpressionSyntax' }),
            expect.objectContaining({ line: 2, column: 4, code: 'ExpressionType' }),
            expect.objectContaining({ line: 3, code: 'ExpressionType' }),
          ],
        }),
      }),
    );
    expect(() => loadPrompt(write('a\nb {{ input.name'))).toThrow(/refund\.md:2:3 ExpressionSyntax/);
  });

  it('is checked by the schemas that are given', () => {
    const file = write('{{ input.message }} {{ input.nmae }}');
    const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
    const closed = { ...message, additionalProperties: false };
    expect(() => loadPrompt(file, { variables: { input: closed } })).toThrow(/1:\d+ ExpressionType.*nmae/s);
    expect(() => loadPrompt(write('{{ state.x }}'), { variables: { input: closed } })).toThrow(
      /ExpressionType.*state/s,
    );
  });

  it('that is not there, or no text, is told of', () => {
    expect(() => loadPrompt(join(folder, 'none.md'))).toThrow(expect.objectContaining({ code: 'UnknownFile' }));
    expect(() => loadPrompt(write(new Uint8Array([0x41, 0xff, 0xfe])))).toThrow(
      expect.objectContaining({ code: 'InvalidPrompt' }),
    );
  });
});
