import { type Fault, pointerTo } from '../../error/fault.ts';
import { isApproval, quorumOf } from '../../request/approval.ts';
import { checkDisplays } from '../../request/check-displays.ts';
import type { DeadlineDefinition, RequestDefinition } from '../../request/definition.ts';
import type { Field } from '../../request/field.ts';
import { isSensitive, mayRemember } from '../../request/remember.ts';
import { errorAt, hintFor, quoted, warningAt } from './fault.ts';

/**
 * Whether what a request says makes sense together; its parts by themselves are read elsewhere. `fields` as compiled.
 *
 * `InvalidChoice`, `FieldsInDisplay`, `NothingToShow`, the codes of `checkDisplays`, `UnknownField`, `InvalidDeadline`,
 * `EscalateWithoutTo`, `DefaultMissing`, `DefaultForApproval`, `QuorumOutOfReach`, `InvalidReminder`, `RememberApproval`, `UnusedKey`.
 */
export function requestFaults(request: RequestDefinition, pointer: string, fields: readonly Field[]): Fault[] {
  const { displays, deadline } = request;
  return [
    ...kindFaults(request, pointer, fields),
    ...(displays === undefined ? [] : checkDisplays(displays, `${pointer}/displays`, { templates: true }).faults),
    ...ruleFaults(request, pointer, fields),
    ...assignmentFaults(request, pointer),
    ...(deadline === undefined ? [] : deadlineFaults(deadline, `${pointer}/deadline`, fields)),
    ...(deadline?.onExpire === 'default' ? defaultFaults(request, pointer) : []),
    ...reminderFaults(request, pointer),
    ...rememberFaults(request, pointer),
  ];
}

function rememberFaults(request: RequestDefinition, pointer: string): Fault[] {
  const { remember, recall } = request;
  if (remember === undefined && recall !== undefined) {
    const message = 'What is not remembered cannot be recalled.';
    return [warningAt(`${pointer}/recall`, 'UnusedKey', message, 'Say in `remember` where it is kept.')];
  }
  if (remember === undefined || mayRemember(request)) return [];
  if (isSensitive(request)) {
    const message = 'A sensitive answer stays in its run and is never remembered.';
    return [
      errorAt(`${pointer}/remember`, 'RememberSensitive', message, 'Leave `remember` out, or ask in two questions.'),
    ];
  }
  const what = request.kind === 'display' ? 'A display has no answer to remember.' : 'An approval is never remembered.';
  const hint = 'Only the values of a form or a choice are, for which nobody has to answer in person.';
  return [errorAt(`${pointer}/remember`, 'RememberApproval', what, hint)];
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
  for (const [index, step] of (to ?? []).entries()) {
    if (typeof step === 'string' || step.assignees.length > 0) continue;
    const hint = 'List in `assign` who is asked then.';
    faults.push(errorAt(`${pointer}/to/${index}`, 'EscalateWithoutTo', 'Nobody is named in this step.', hint));
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

/** Who is named can be counted where nobody is named by a role. */
function assignmentFaults(request: RequestDefinition, pointer: string): Fault[] {
  const { assignees = [], requester, fourEyes = false } = request;
  const faults: Fault[] = [];
  const persons = new Set(assignees);
  const isOpen = assignees.length === 0 || assignees.some(assignee => assignee.startsWith('role:'));
  if (!isOpen && quorumOf(request) > persons.size) {
    const message = `${quorumOf(request)} must approve, but ${persons.size} ${persons.size === 1 ? 'is' : 'are'} asked.`;
    faults.push(errorAt(`${pointer}/quorum`, 'QuorumOutOfReach', message, 'Ask more persons, or a role.'));
  }
  if (requester !== undefined && !fourEyes)
    faults.push(
      warningAt(`${pointer}/requester`, 'UnusedKey', 'A requester excludes nobody.', 'It goes with `fourEyes: true`.'),
    );
  return faults;
}

function defaultFaults(request: RequestDefinition, pointer: string): Fault[] {
  if (!isApproval(request)) return [];
  const message = 'An approval is never given by a default.';
  const hint = 'Use `route`, `fail` or `escalate`.';
  return [errorAt(`${pointer}/deadline/onExpire`, 'DefaultForApproval', message, hint)];
}

function reminderFaults({ remind = [], deadline }: RequestDefinition, pointer: string): Fault[] {
  return remind.flatMap(({ after, before }, index) => {
    const place = `${pointer}/remind/${index}`;
    if ((after === undefined) === (before === undefined))
      return [errorAt(place, 'InvalidReminder', 'A reminder has `after` or `before`, one of the two.')];
    if (before === undefined || deadline !== undefined) return [];
    return [errorAt(`${place}/before`, 'InvalidReminder', 'There is no deadline to be reminded before.')];
  });
}
