import { describe, expect, it } from 'vitest';
import { checkRequestShape } from './check-request.ts';

describe('the shape of a request that a handler makes up', () => {
  it('is given back when it is right', () => {
    const request = {
      kind: 'form',
      title: 'Q',
      fields: [{ name: 'x', type: 'text' }],
      deadline: { after: '1h', onExpire: 'fail' },
    };
    expect(checkRequestShape(request, '')).toEqual({ request, faults: [] });
  });

  it('is refused with all that is wrong, below the pointer given', () => {
    const { faults } = checkRequestShape(
      { kind: 'frm', titel: 'Q', assignees: ['x'], deadline: { after: 'soon' } },
      '/ask',
    );
    expect(faults.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'UnknownValue /ask/kind',
      'UnknownKey /ask/titel',
      'InvalidAssignee /ask/assignees/0',
      'InvalidDuration /ask/deadline/after',
      'MissingKey /ask/deadline',
      'MissingKey /ask',
    ]);
  });

  it.each([[null], ['x'], [[]]])('is no request: %j', value => {
    expect(checkRequestShape(value, '')).toMatchObject({
      request: undefined,
      faults: [{ code: 'WrongType', pointer: '' }],
    });
  });
});
