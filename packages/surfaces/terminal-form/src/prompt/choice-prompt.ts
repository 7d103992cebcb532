import type { FormTerminal } from '../form-terminal.ts';
import { visible } from '../text/printable.ts';
import { cutToWidth, graphemes } from '../text/width.ts';
import { wrap } from '../text/wrap.ts';
import { isCtrl, isEnter, type Key } from './key.ts';
import type { PromptModel, PromptView } from './prompt-model.ts';

/** Label and description are printable. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly description?: string;
}

interface ChoicePromptBase<Value> {
  readonly heading: readonly string[];
  readonly choices: readonly Choice<Value>[];
  readonly keys: string;
}

export interface OnePromptOptions<Value> extends ChoicePromptBase<Value> {
  /** The choice under the cursor at the start: its place; 0 by default. */
  readonly active?: number;
  readonly closing: (chosen: Choice<Value>) => readonly string[];
}

export interface ManyPromptOptions<Value> extends ChoicePromptBase<Value> {
  /** Places of what is chosen at the start; undefined: no answer. */
  readonly chosen: ReadonlySet<number> | undefined;
  faultOf(values: readonly Value[] | undefined): string | undefined;
  readonly closing: (chosen: readonly Choice<Value>[] | undefined) => readonly string[];
}

export interface ListState {
  /** Place of the choice under the cursor. */
  readonly active: number;
  /** What was typed to find it. */
  readonly filter: string;
}

export interface ManyState extends ListState {
  readonly chosen: ReadonlySet<number> | undefined;
  readonly fault: string | undefined;
}

export function onePrompt<Value>(
  terminal: FormTerminal,
  options: OnePromptOptions<Value>,
): PromptModel<ListState, Choice<Value>> {
  const { choices } = options;
  return {
    start: { active: options.active ?? 0, filter: '' },
    press(state, key) {
      if (!isEnter(key)) return { state: moved(choices, state, key) ?? state };
      return matching(choices, state.filter).includes(state.active) ? { value: choices[state.active]! } : { state };
    },
    view: state => listView(terminal, options, state, { box: () => '', notes: [] }),
    closing: options.closing,
  };
}

/** Several of the choices, in their order. No answer and none of them are two things; Ctrl-X tells which it is. */
export function manyPrompt<Value>(
  terminal: FormTerminal,
  options: ManyPromptOptions<Value>,
): PromptModel<ManyState, readonly Choice<Value>[] | undefined> {
  const { choices } = options;
  const chosenOf = ({ chosen }: ManyState) =>
    chosen === undefined ? undefined : choices.filter((_, place) => chosen.has(place));
  const { field } = terminal.words;
  return {
    start: { active: 0, filter: '', chosen: options.chosen, fault: undefined },
    press(state, key) {
      if (isEnter(key)) {
        const value = chosenOf(state);
        const fault = options.faultOf(value?.map(choice => choice.value));
        return fault === undefined ? { value } : { state: { ...state, fault } };
      }
      if (isCtrl(key, 'x')) return { state: crossedOut(state) };
      if (key.name === 'space') return { state: toggled(choices, state) };
      return { state: { ...state, ...moved(choices, state, key) } };
    },
    view: state => {
      const stands = state.chosen === undefined ? field.noAnswer : state.chosen.size === 0 ? field.nothingChosen : '';
      const box = (place: number) => (state.chosen?.has(place) === true ? '[x] ' : '[ ] ');
      const notes = [
        ...(stands === '' ? [] : [terminal.paint.dim(`(${stands})`)]),
        ...(state.fault === undefined ? [] : wrap(`! ${state.fault}`, terminal.width - 1).map(terminal.paint.red)),
      ];
      return listView(terminal, options, state, { box, notes });
    },
    closing: options.closing,
  };
}

function crossedOut(state: ManyState): ManyState {
  return { ...state, chosen: state.chosen === undefined ? new Set() : undefined, fault: undefined };
}

function toggled(choices: readonly Choice<unknown>[], state: ManyState): ManyState {
  if (!matching(choices, state.filter).includes(state.active)) return state;
  const chosen = new Set(state.chosen);
  if (!chosen.delete(state.active)) chosen.add(state.active);
  return { ...state, chosen, fault: undefined };
}

/** Places of the choices that hold what was typed. */
function matching(choices: readonly Choice<unknown>[], filter: string): number[] {
  const wanted = folded(filter);
  return choices.flatMap(({ label }, place) => (folded(label).includes(wanted) ? [place] : []));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Another place, or another filter; undefined where the key does neither. */
function moved(choices: readonly Choice<unknown>[], state: ListState, key: Key): ListState | undefined {
  const { active, filter } = state;
  const step = STEPS[key.name ?? ''];
  if (step !== undefined && !key.ctrl) {
    const places = matching(choices, filter);
    const next = Math.min(Math.max(0, places.indexOf(active) + step), places.length - 1);
    return { active: places[next] ?? active, filter };
  }
  const typed =
    key.name === 'backspace' ? graphemes(filter).slice(0, -1).join('') : isCtrl(key, 'u') ? '' : filter + key.text;
  if (typed === filter) return undefined;
  const places = matching(choices, typed);
  return { active: places.includes(active) ? active : (places[0] ?? active), filter: typed };
}

const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  pageup: -7,
  pagedown: 7,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

const PAGE = 9;

interface ListMarks {
  readonly box: (place: number) => string;
  readonly notes: readonly string[];
}

function listView(
  { paint, width, words }: FormTerminal,
  { heading, choices, keys }: ChoicePromptBase<unknown>,
  { active, filter }: ListState,
  { box, notes }: ListMarks,
): PromptView {
  const places = matching(choices, filter);
  const first = Math.max(0, Math.min(places.indexOf(active) - Math.floor(PAGE / 2), places.length - PAGE));
  const lines = places.slice(first, first + PAGE).map(place => {
    const line = cutToWidth(`${place === active ? '❯' : ' '} ${box(place)}${choices[place]!.label}`, width - 1);
    return place === active ? paint.cyan(line) : line;
  });
  const count = places.length > PAGE ? ` ${places.indexOf(active) + 1}/${places.length}` : '';
  const line = cutToWidth(`› ${visible(filter)}`, width - 10);
  const description = places.includes(active) ? choices[active]!.description : undefined;
  return {
    above: [...heading, ...(places.length === 0 ? [paint.dim(`  (${words.field.noMatch})`)] : lines)],
    line: line + paint.dim(count),
    cursor: line.length,
    below: [
      ...(description === undefined ? [] : wrap(description, width - 3).map(line => `  ${line}`)),
      ...notes,
      ...wrap(keys, width - 1).map(paint.dim),
    ],
  };
}
