import { closest, SignalboxError } from '@signalbox/kernel';
import type { SecretSource } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { ANTHROPIC_URL, type ModelService, OPENAI_URL, type SdkService, type Services } from './model-service.ts';
import { openService } from './open-service.ts';

/**
 * Keys and addresses are read at each call, so that they can change under way.
 *
 * @throws SignalboxError `ModelUnknown`, `UnknownSecret`, `InvalidSecretReference`
 */
export async function connect(name: string, services: Services, secrets: SecretSource): Promise<Connection> {
  const slash = name.indexOf('/');
  const [provider, id] = slash < 1 ? ['', ''] : [name.slice(0, slash), name.slice(slash + 1)];
  if (id === '') throw unknownModel(name, 'is not written as provider/model');
  const service = Object.hasOwn(services, provider) ? services[provider]! : await ofEnvironment(provider, secrets);
  if (service === undefined) throw unknownProvider(name, provider, services);
  if (service.kind === 'ai-sdk') return sdkConnection(name, id, provider, service);
  return { name, ...(await openService(id, service, secrets)) };
}

async function ofEnvironment(provider: string, secrets: SecretSource): Promise<ModelService | undefined> {
  switch (provider) {
    case 'openai':
      return { kind: 'openai', baseUrl: (await secrets('OPENAI_BASE_URL')) || OPENAI_URL };
    case 'anthropic':
      return { kind: 'anthropic', baseUrl: (await secrets('ANTHROPIC_BASE_URL')) || ANTHROPIC_URL };
    case 'openai-compatible': {
      const baseUrl = await secrets('OPENAI_BASE_URL');
      if (!baseUrl) return undefined;
      const keyed = Boolean(await secrets('OPENAI_API_KEY'));
      return { kind: 'openai-compatible', baseUrl, ...(keyed ? { key: 'secret:OPENAI_API_KEY' } : {}) };
    }
    default:
      return undefined;
  }
}

function sdkConnection(name: string, id: string, provider: string, service: SdkService): Connection {
  return {
    name,
    kind: 'ai-sdk',
    model: service.provider.languageModel(id),
    takesSchema: service.structuredOutput ?? true,
    options: service.options === undefined ? {} : { [provider]: service.options },
    secrets: [],
  };
}

function unknownProvider(name: string, provider: string, services: Services): SignalboxError {
  const known = [...Object.keys(services), 'openai', 'anthropic', 'openai-compatible'];
  const meant = closest(provider, known);
  const hint =
    provider === 'openai-compatible'
      ? 'Set OPENAI_BASE_URL, or describe the service in `providers`.'
      : `${meant === undefined ? '' : `Did you mean ${meant}? `}Describe the service in \`providers\`.`;
  return unknownModel(name, `names a provider that there is not: ${JSON.stringify(provider)}`, hint);
}

function unknownModel(name: string, reason: string, hint = 'Write it as in openai/gpt-5-mini.'): SignalboxError {
  return new SignalboxError('ModelUnknown', `The model ${JSON.stringify(name)} ${reason}.`, {
    hint,
    details: { model: name },
  });
}
