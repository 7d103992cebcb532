import { isPrincipalText } from '../../event/principal.ts';
import { isJsonObject } from '../../json/value.ts';
import { parseInstant } from '../../time/instant.ts';
import { errorAt } from './fault.ts';
import { checkIdentifier } from './names.ts';
import {
  attempt,
  count,
  duration,
  eitherOf,
  filledText,
  flag,
  json,
  jsonObject,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  type Read,
  required,
  templated,
  text,
} from './read.ts';

const ASSIGNEE = /^[a-z][a-zA-Z]*:\S.*$/;

export const assignee: Read = (value, pointer, faults) => {
  const read = filledText(value, pointer, faults);
  if (typeof read !== 'string' || ASSIGNEE.test(read)) return read;
  const hint = 'Write user:NAME, role:NAME or service:NAME.';
  faults.push(errorAt(pointer, 'InvalidAssignee', `${JSON.stringify(read)} names nobody.`, hint));
  return undefined;
};

const MOST_PERSONS = 100;

const principal: Read = (value, pointer, faults) => {
  const read = filledText(value, pointer, faults);
  if (typeof read !== 'string' || isPrincipalText(read)) return read;
  const hint = 'Write user:NAME or service:NAME.';
  faults.push(errorAt(pointer, 'InvalidPrincipal', `${JSON.stringify(read)} names nobody.`, hint));
  return undefined;
};

/** Whether it can be read does not depend on the zone. One that cannot counts as some time. */
export const instant: Read = (value, pointer, faults) => {
  const read = text(value, pointer, faults);
  if (typeof read !== 'string') return undefined;
  return attempt(() => parseInstant(read, 'UTC'), pointer, faults) ? read : '2000-01-01';
};

const escalationStep = eitherOf(value =>
  isJsonObject(value)
    ? objectOf('A step of an escalation', { assignees: required(listOf(assignee), []), after: duration })
    : assignee,
);

const deadline = objectOf('A deadline', {
  after: duration,
  at: templated(instant),
  onExpire: required(oneOf('way for a deadline to end', ['route', 'fail', 'escalate', 'default']), 'fail'),
  to: listOf(escalationStep),
});

const continuing = objectOf('A resume', { mode: required(text) });
const restarting = objectOf('A restart', {
  mode: required(text),
  at: text,
  in: oneOf('reach of a restart', ['run']),
  carry: mapOf(filledText, checkIdentifier),
  dedupe: oneOf('way to spare effects', ['run']),
});
const otherwise = objectOf('A resume', { mode: required(oneOf('mode of a resume', ['continue', 'restart'])) });

const resume = eitherOf(value => {
  const mode = isJsonObject(value) ? value.mode : undefined;
  return mode === 'restart' ? restarting : mode === 'continue' ? continuing : otherwise;
});

const rule = objectOf('A rule', {
  assert: required(filledText),
  message: required(filledText, '?'),
  fields: listOf(filledText),
  when: filledText,
});

/** Fields and displays are read by checks of their own; what they hold need only be JSON here. */
export const request: Read = objectOf('A request', {
  kind: required(oneOf('kind of request', ['form', 'confirmation', 'choice', 'display']), 'form'),
  title: required(templated(filledText), '?'),
  message: templated(text),
  gap: oneOf('gap', ['parameter', 'constraint', 'structure', 'worldState', 'preference', 'approval']),
  summary: templated(text),
  purpose: text,
  context: json,
  fields: listOf(jsonObject),
  rules: listOf(rule),
  displays: listOf(jsonObject),
  actions: objectOf('Actions', { approve: filledText, edit: filledText, reject: filledText, cancel: filledText }),
  proposal: jsonObject,
  subject: json,
  assignees: listOf(assignee),
  quorum: count(1, MOST_PERSONS),
  fourEyes: flag,
  requester: templated(principal),
  serviceTimeout: duration,
  deadline,
  remind: listOf(objectOf('A reminder', { after: duration, before: duration })),
  resume,
  hold: oneOf('reach of a hold', ['branch', 'run']),
  remember: objectOf('A memory', {
    key: templated(filledText),
    scope: required(oneOf('scope of memory', ['run', 'session', 'user']), 'run'),
    ttl: duration,
  }),
  recall: flag,
});
