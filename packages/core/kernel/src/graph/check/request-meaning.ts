import { type Fault, pointerTo } from '../../error/fault.ts';
import { checkDisplays } from '../../request/check-displays.ts';
import type { DeadlineDefinition, RequestDefinition } from '../../request/definition.ts';
import type { Field } from '../../request/field.ts';
import { errorAt, hintFor, quoted, warningAt } from './fault.ts';

/**
 * Whether what a request says makes sense together; its parts by themselves are read elsewhere. `fields` as compiled.
 *
 * `InvalidChoice`, `FieldsInDisplay`, `NothingToShow`, the codes of `checkDisplays`, `UnknownField`, `InvalidDeadline`,
 * `EscalateWithoutTo`, `DefaultMissing`.
 */
export function requestFaults(request: RequestDefinition, pointer: string, fields: readonly Field[]): Fault[] {
  const { displays, deadline } = request;
  return [
    ...kindFaults(request, pointer, fields),
    ...(displays === undefined ? [] : checkDisplays(displays, `${pointer}/displays`, { templates: true }).faults),
    ...ruleFaults(request, pointer, fields),
    ...(deadline === undefined ? [] : deadlineFaults(deadline, `${pointer}/deadline`, fields)),
  ];
}

function kindFaults(
  { kind, fields: written = [], displays = [], message }: RequestDefinition,
  pointer: string,
  fields: readonly Field[],
): Fault[] {
  if (kind === 'choice') {
    const [field] = fields;
    // A field that cannot be read has faults of its own.
    if (written.length === 1 && (field === undefined || ('options' in field && field.options !== undefined))) return [];
    const message = 'A choice has one field, with options.';
    const hint = 'Write `options`, or one field of type select, radio, multiselect or checkbox; for more use a form.';
    return [errorAt(pointer, 'InvalidChoice', message, hint)];
  }
  if (kind !== 'display') return [];
  if (written.length > 0)
    return [errorAt(`${pointer}/fields`, 'FieldsInDisplay', 'A display asks for nothing.', 'Use kind form.')];
  if (displays.length > 0 || message !== undefined) return [];
  return [errorAt(pointer, 'NothingToShow', 'A display shows nothing.', 'Give it `displays` or a `message`.')];
}

function ruleFaults({ rules = [] }: RequestDefinition, pointer: string, fields: readonly Field[]): Fault[] {
  const names = fields.map(({ name }) => name);
  return rules.flatMap(({ fields: named = [] }, index) =>
    named.flatMap((name, place) => {
      if (names.includes(name)) return [];
      const at = pointerTo(`${pointer}/rules/${index}/fields`, place);
      return [errorAt(at, 'UnknownField', `There is no field \`${name}\`.`, hintFor(name, names))];
    }),
  );
}

function deadlineFaults(deadline: DeadlineDefinition, pointer: string, fields: readonly Field[]): Fault[] {
  const faults: Fault[] = [];
  const { after, at, onExpire, to } = deadline;
  if ((after === undefined) === (at === undefined)) {
    faults.push(errorAt(pointer, 'InvalidDeadline', 'A deadline has `after` or `at`, one of the two.'));
  }
  if (onExpire === 'escalate' && (to?.length ?? 0) === 0) {
    const hint = 'List in `to` who is asked next.';
    faults.push(errorAt(pointer, 'EscalateWithoutTo', 'Nobody is named to whom the question goes on.', hint));
  }
  if (onExpire !== 'escalate' && to !== undefined) {
    const message = `\`to\` has no meaning with \`onExpire: ${onExpire}\`.`;
    faults.push(warningAt(`${pointer}/to`, 'UnusedKey', message, 'It goes with `onExpire: escalate`.'));
  }
  const open = fields.filter(field => field.required && field.default === undefined);
  if (onExpire === 'default' && open.length > 0) {
    const message = `When time is up the defaults answer, but ${quoted(open.map(({ name }) => name))} has none.`;
    faults.push(errorAt(`${pointer}/onExpire`, 'DefaultMissing', message, 'Give each required field a default.'));
  }
  return faults;
}
