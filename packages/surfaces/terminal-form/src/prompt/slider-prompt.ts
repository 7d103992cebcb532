import type { FormTerminal } from '../form-terminal.ts';
import { visible } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';
import { isCtrl, isEnter, type Key } from './key.ts';
import { firstStep, lastStep, type NumberSteps, nextStep } from './number-steps.ts';
import type { PromptModel, PromptView } from './prompt-model.ts';

export interface SliderPromptOptions {
  readonly heading: readonly string[];
  readonly steps: NumberSteps;
  readonly start: number | undefined;
  /** Printable; shown behind the number. */
  readonly unit: string;
  /** Shown dim while there is no answer. */
  readonly ghost: string;
  readonly keys: string;
  /** What was typed as a number, or what is wrong with it. */
  read(text: string): number | string;
  faultOf(value: number | undefined): string | undefined;
  readonly closing: (value: number | undefined) => readonly string[];
}

export interface SliderState {
  readonly value: number | undefined;
  /** Digits that are being typed; they stand before the value. */
  readonly typed: string;
  readonly fault: string | undefined;
}

export function sliderPrompt(
  terminal: FormTerminal,
  options: SliderPromptOptions,
): PromptModel<SliderState, number | undefined> {
  const { steps, start } = options;
  return {
    start: { value: start, typed: '', fault: undefined },
    press(state, key) {
      if (isEnter(key)) return taken(options, state);
      if (isCtrl(key, 'x')) return { state: { value: undefined, typed: '', fault: undefined } };
      if (key.name === 'backspace') return { state: { ...state, typed: state.typed.slice(0, -1), fault: undefined } };
      const value = moved(steps, state.value, key);
      if (value !== undefined) return { state: { value, typed: '', fault: undefined } };
      return key.text === '' ? { state } : { state: { ...state, typed: state.typed + key.text, fault: undefined } };
    },
    view: state => viewOf(terminal, options, state),
    closing: options.closing,
  };
}

function taken(options: SliderPromptOptions, state: SliderState) {
  const value = state.typed === '' ? state.value : options.read(state.typed);
  const fault = typeof value === 'string' ? value : options.faultOf(value);
  return fault === undefined ? { value: value as number | undefined } : { state: { ...state, fault } };
}

function moved(steps: NumberSteps, value: number | undefined, { name, ctrl }: Key): number | undefined {
  if (ctrl) return undefined;
  if (name === 'home') return firstStep(steps);
  if (name === 'end') return lastStep(steps);
  const count = STEPS[name ?? ''];
  if (count === undefined) return undefined;
  if (value === undefined) return count > 0 ? firstStep(steps) : lastStep(steps);
  return nextStep(steps, value, count);
}

const STEPS: Readonly<Record<string, number>> = { left: -1, down: -1, right: 1, up: 1, pagedown: -10, pageup: 10 };

const WIDEST = 40;

function viewOf(
  { paint, width }: FormTerminal,
  { heading, steps, unit, ghost, keys }: SliderPromptOptions,
  { value, typed, fault }: SliderState,
): PromptView {
  const number = typed !== '' ? visible(typed) : value === undefined ? '' : String(value);
  const shown = number === '' ? '› ' : `› ${number}`;
  return {
    above: [...heading, bar(steps, value, Math.min(WIDEST, width - 30))],
    line: shown + (number === '' ? paint.dim(ghost) : unit === '' ? '' : ` ${unit}`),
    cursor: shown.length,
    below: [
      ...(fault === undefined ? [] : wrap(`! ${fault}`, width - 1).map(paint.red)),
      ...wrap(keys, width - 1).map(paint.dim),
    ],
  };
}

function bar({ min, max }: NumberSteps, value: number | undefined, width: number): string {
  const length = Math.max(8, width);
  const share = value === undefined || max === min ? 0 : (value - min) / (max - min);
  const place = Math.round(Math.min(1, Math.max(0, share)) * (length - 1));
  const line = Array.from({ length }, (_, index) => (value !== undefined && index === place ? '●' : '─'));
  return `  ${min} ${line.join('')} ${max}`;
}
