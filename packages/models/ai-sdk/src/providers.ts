import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, ProviderV3 } from '@ai-sdk/provider';
import { closest, type JsonObject, SignalboxError } from '@signalbox/kernel';
import { isSecretReference, readSecret, type SecretSource } from '@signalbox/ports';

interface Service {
  /** Where the service is, with its version: `https://api.openai.com/v1`; or `secret:NAME`. */
  readonly baseUrl?: string;
  /** `secret:NAME` of the API key. */
  readonly key?: string;
  /** More headers; a value may be `secret:NAME`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Settings of the provider package, sent with each call as they are, such as `{ reasoningEffort: 'low' }`. */
  readonly options?: JsonObject;
}

/** `api`: default `responses`. */
export interface OpenAIService extends Service {
  readonly kind: 'openai';
  readonly api?: 'responses' | 'chat';
}

export interface AnthropicService extends Service {
  readonly kind: 'anthropic';
}

/** Whatever speaks `/chat/completions`. */
export interface CompatibleService extends Service {
  readonly kind: 'openai-compatible';
  readonly baseUrl: string;
  /** Does it take a JSON Schema for its reply (`response_format`)? Default false: the schema is put into the prompt. */
  readonly structuredOutput?: boolean;
}

/** A provider package of the AI SDK, made by the caller, keys and all. */
export interface SdkService {
  readonly kind: 'ai-sdk';
  readonly provider: Pick<ProviderV3, 'languageModel'>;
  /** Default true. */
  readonly structuredOutput?: boolean;
  readonly options?: JsonObject;
}

export type ModelService = OpenAIService | AnthropicService | CompatibleService | SdkService;

/** A model that can be called. */
export interface Connection {
  /** `provider/model`. */
  readonly name: string;
  readonly kind: ModelService['kind'];
  readonly model: LanguageModelV3;
  /** Does it take a JSON Schema for its reply? */
  readonly takesSchema: boolean;
  /** By the name that the provider package reads. */
  readonly options: Readonly<Record<string, JsonObject>>;
  /** Values that must not be seen anywhere. */
  readonly secrets: readonly string[];
}

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com/v1';

/**
 * `openai` and `anthropic` with the keys of the environment, and `openai-compatible` where `OPENAI_BASE_URL` says that
 * there is one; what `services` names comes before.
 */
export type Services = Readonly<Record<string, ModelService>>;

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
  return await serviceConnection(name, id, service, secrets);
}

async function ofEnvironment(provider: string, secrets: SecretSource): Promise<ModelService | undefined> {
  switch (provider) {
    case 'openai':
      return { kind: 'openai', baseUrl: (await secrets('OPENAI_BASE_URL')) || OPENAI };
    case 'anthropic':
      return { kind: 'anthropic', baseUrl: (await secrets('ANTHROPIC_BASE_URL')) || ANTHROPIC };
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

async function serviceConnection(
  name: string,
  id: string,
  service: Exclude<ModelService, SdkService>,
  secrets: SecretSource,
): Promise<Connection> {
  const found: string[] = [];
  const read = async (reference: string) => {
    const value = await readSecret(reference, secrets);
    found.push(value);
    return value;
  };
  const readIfReference = async (text: string) => (isSecretReference(text) ? await read(text) : text);
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(service.headers ?? {})) headers[header] = await readIfReference(value);
  const common = { headers, fetch: fetchWithoutRedirects };

  switch (service.kind) {
    case 'openai': {
      const baseURL = await readIfReference(service.baseUrl ?? OPENAI);
      const openai = createOpenAI({ ...common, baseURL, apiKey: await read(service.key ?? 'secret:OPENAI_API_KEY') });
      const model = service.api === 'chat' ? openai.chat(id) : openai.responses(id);
      return { name, kind: 'openai', model, takesSchema: true, options: optionsFor('openai', service), secrets: found };
    }
    case 'anthropic': {
      const baseURL = await readIfReference(service.baseUrl ?? ANTHROPIC);
      const apiKey = await read(service.key ?? 'secret:ANTHROPIC_API_KEY');
      const model = createAnthropic({ ...common, baseURL, apiKey }).languageModel(id);
      const options = optionsFor('anthropic', service);
      return { name, kind: 'anthropic', model, takesSchema: true, options, secrets: found };
    }
    case 'openai-compatible': {
      const baseURL = await readIfReference(service.baseUrl);
      const takesSchema = service.structuredOutput ?? false;
      const model = createOpenAICompatible({
        ...common,
        name: 'compatible',
        baseURL,
        ...(service.key === undefined ? {} : { apiKey: await read(service.key) }),
        includeUsage: true,
        supportsStructuredOutputs: takesSchema,
      }).chatModel(id);
      const options = optionsFor('compatible', service);
      return { name, kind: 'openai-compatible', model, takesSchema, options, secrets: found };
    }
  }
}

function optionsFor(name: string, { options }: Service): Readonly<Record<string, JsonObject>> {
  return options === undefined ? {} : { [name]: options };
}

/** A redirect would carry the key to wherever it leads; as a status other than 2xx it fails instead. */
function fetchWithoutRedirects(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, redirect: 'manual' });
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
