/** Steps of a slider. The decimals of a result are those of its bounds, so that 3 steps of 0.05 are 0.15. */
export interface NumberSteps {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** About twenty steps from end to end, of 1, 2 or 5 times a power of ten. */
export function roundStep(min: number, max: number): number {
  const wanted = (max - min) / 20;
  if (!(wanted > 0) || !Number.isFinite(wanted)) return 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find(each => each * power >= wanted * (1 - 1e-9)) ?? 10;
  return decimal(factor * power, Math.max(0, -Math.floor(Math.log10(wanted))));
}

/** The next multiple of the step in a direction, not beyond the bounds. */
export function nextStep({ min, max, step }: NumberSteps, value: number, count: number): number {
  const at = value / step;
  const nearest = Math.round(at);
  const isOn = Math.abs(at - nearest) < 1e-9;
  const from = isOn ? nearest : count > 0 ? Math.floor(at) : Math.ceil(at);
  return within({ min, max, step }, from + count);
}

/** The lowest and the highest multiple of the step. */
export function firstStep(steps: NumberSteps): number {
  return within(steps, Number.NEGATIVE_INFINITY);
}

export function lastStep(steps: NumberSteps): number {
  return within(steps, Number.POSITIVE_INFINITY);
}

function within({ min, max, step }: NumberSteps, count: number): number {
  const least = Math.ceil(min / step - 1e-9);
  const most = Math.floor(max / step + 1e-9);
  return decimal(Math.min(Math.max(count, least), most) * step, decimalsOf(step));
}

function decimal(value: number, decimals: number): number {
  return Number(value.toFixed(Math.min(decimals, 100)));
}

function decimalsOf(value: number): number {
  const [mantissa, power = '0'] = String(value).split('e');
  return Math.max(0, (mantissa!.split('.')[1]?.length ?? 0) - Number(power));
}
