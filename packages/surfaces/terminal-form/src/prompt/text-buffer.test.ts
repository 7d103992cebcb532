import { expect, it } from 'vitest';
import type { Key } from './key.ts';
import { edit } from './text-buffer.ts';

const pressed = (name: string, ctrl = false): Key => ({ name, ctrl, text: '' }) as Key;

it('at the very beginning there is nothing to the left, also where the first line is empty', () => {
  const buffer = { text: '\nabc', cursor: 0 };
  expect(edit(buffer, pressed('u', true)) ?? buffer).toEqual(buffer);
  expect(edit(buffer, pressed('home')) ?? buffer).toEqual(buffer);
  expect(edit(buffer, pressed('up')) ?? buffer).toEqual(buffer);
});
