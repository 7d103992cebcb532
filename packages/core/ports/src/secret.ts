import { SignalboxError } from '@signalbox/kernel';

/** Where secrets are: the environment, a vault. Undefined: there is none of this name. */
export type SecretSource = (name: string) => string | undefined | Promise<string | undefined>;

const REFERENCE = /^secret:([A-Za-z_][A-Za-z0-9_]*)$/;

/** Is it a reference (`secret:NAME`) rather than a value? */
export function isSecretReference(text: string): boolean {
  return REFERENCE.test(text);
}

/**
 * The secret that a reference names. Neither it nor anything made of it belongs into a log or an error.
 *
 * @throws SignalboxError `InvalidSecretReference` for what is no reference (its text is not repeated: it may be the secret),
 * `UnknownSecret`.
 */
export async function readSecret(reference: string, secrets: SecretSource): Promise<string> {
  const name = REFERENCE.exec(reference)?.[1];
  if (name === undefined)
    throw new SignalboxError('InvalidSecretReference', 'A secret is named by reference, as in `secret:WEBHOOK_KEY`.', {
      hint: 'Put the value into the environment and write `secret:` and the name of the variable.',
    });
  const secret = await secrets(name);
  if (secret !== undefined && secret !== '') return secret;
  throw new SignalboxError('UnknownSecret', `There is no secret ${name}.`, {
    hint: `Set the environment variable ${name}, or give \`secrets\` a source that has it.`,
    details: { secret: name },
  });
}
