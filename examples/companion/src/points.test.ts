import { describe, expect, it } from 'vitest';
import { pointAskedFor, pointsOf } from './points.ts';

describe('the points of a conversation', () => {
  it.each([
    [
      'First, the roof leaks. Second, the heating is loud. Third, the door sticks.',
      ['the roof leaks', 'the heating is loud', 'the door sticks'],
    ],
    ['Let me list: 1) price 2) quality 3) delivery', ['price', 'quality', 'delivery']],
    ['One, we meet at nine; two, we bring tea; three, we leave', ['we meet at nine', 'we bring tea', 'we leave']],
    ['Point one: the train was late. Point two: the hotel was full.', ['the train was late', 'the hotel was full']],
    ['第一，屋顶漏水。第二，暖气太吵。第三，门卡住了。', ['屋顶漏水', '暖气太吵', '门卡住了']],
    ['记一下：一、测试太慢；二、文档太旧；三、没人负责', ['测试太慢', '文档太旧', '没人负责']],
    ['我的理由是：首先便宜，其次近，最后安静', ['便宜', '近', '安静']],
  ])('are read from "%s"', (text, points) => {
    expect(pointsOf([text])).toEqual(points);
  });

  it('go on over several messages, until a first point begins anew', () => {
    const messages = ['First, tea. Second, milk.', 'Something else', 'Third, sugar'];
    expect(pointsOf(messages)).toEqual(['tea', 'milk', 'sugar']);
    expect(pointsOf([...messages, '第一，茶'])).toEqual(['茶']);
  });

  it('are not made by asking for them, nor by any other number', () => {
    expect(pointsOf(['First, tea.', 'What was the second point I just made?', '我的第二点是什么？'])).toEqual(['tea']);
    expect(pointsOf(['Order 40 notebooks', 'It costs 2.50 and 1.5 more', 'I was the second to arrive'])).toEqual([]);
  });

  it.each([
    ['What was the third point I just made?', 3],
    ['Tell me point two again', 2],
    ['What was the 4th thing?', 4],
    ['我刚才说的第三点是什么？', 3],
    ['What was the last thing I listed?', 'last'],
    ['我最后说的是哪一点？', 'last'],
    ['What were my points?', 'all'],
  ])('"%s" asks for %s', (message, wanted) => {
    expect(pointAskedFor(message)).toBe(wanted);
  });
});
