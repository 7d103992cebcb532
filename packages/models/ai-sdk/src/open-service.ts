import type { JsonObject } from '@signalbox/kernel';
import { isSecretReference, readSecret, type SecretSource } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import {
  ANTHROPIC_URL,
  type AnthropicService,
  type CompatibleService,
  OPENAI_URL,
  type OpenAIService,
  type Service,
} from './model-service.ts';

/** What is sent to a service, with its secrets in place; `secrets` are all of those. */
interface Access {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly headers: Record<string, string>;
  readonly secrets: readonly string[];
  readonly fetch: typeof fetch;
}

type Opened = Omit<Connection, 'name'>;

/** The package of a provider is loaded when it is first called: loading all of them takes longer than most starts should. */
export async function openService(
  id: string,
  service: OpenAIService | AnthropicService | CompatibleService,
  secrets: SecretSource,
): Promise<Opened> {
  switch (service.kind) {
    case 'openai':
      return await openOpenAI(id, service, secrets);
    case 'anthropic':
      return await openAnthropic(id, service, secrets);
    case 'openai-compatible':
      return await openCompatible(id, service, secrets);
  }
}

async function openOpenAI(id: string, service: OpenAIService, source: SecretSource): Promise<Opened> {
  const defaults = { baseUrl: OPENAI_URL, key: 'secret:OPENAI_API_KEY' };
  const { secrets, ...access } = await accessTo(service, defaults, source);
  const { createOpenAI } = await import('@ai-sdk/openai');
  const openai = createOpenAI(given(access));
  const model = service.api === 'chat' ? openai.chat(id) : openai.responses(id);
  return { kind: 'openai', model, takesSchema: true, options: optionsFor('openai', service), secrets };
}

async function openAnthropic(id: string, service: AnthropicService, source: SecretSource): Promise<Opened> {
  const defaults = { baseUrl: ANTHROPIC_URL, key: 'secret:ANTHROPIC_API_KEY' };
  const { secrets, ...access } = await accessTo(service, defaults, source);
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const model = createAnthropic(given(access)).languageModel(id);
  return { kind: 'anthropic', model, takesSchema: true, options: optionsFor('anthropic', service), secrets };
}

async function openCompatible(id: string, service: CompatibleService, source: SecretSource): Promise<Opened> {
  const { secrets, ...access } = await accessTo(service, { baseUrl: service.baseUrl }, source);
  const takesSchema = service.structuredOutput ?? false;
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const name = 'compatible';
  const provider = createOpenAICompatible({
    ...given(access),
    name,
    includeUsage: true,
    supportsStructuredOutputs: takesSchema,
  });
  const options = optionsFor(name, service);
  return { kind: 'openai-compatible', model: provider.chatModel(id), takesSchema, options, secrets };
}

async function accessTo(
  service: Service,
  defaults: { readonly baseUrl: string; readonly key?: string },
  source: SecretSource,
): Promise<Access> {
  const secrets: string[] = [];
  const read = async (reference: string) => {
    const value = await readSecret(reference, source);
    secrets.push(value);
    return value;
  };
  const readIfReference = async (text: string) => (isSecretReference(text) ? await read(text) : text);
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(service.headers ?? {})) headers[header] = await readIfReference(value);
  const key = service.key ?? defaults.key;
  return {
    baseURL: await readIfReference(service.baseUrl ?? defaults.baseUrl),
    apiKey: key === undefined ? undefined : await read(key),
    headers,
    secrets,
    fetch: fetchWithoutRedirects,
  };
}

/** Without the key where there is none. */
function given({ apiKey, ...access }: Omit<Access, 'secrets'>) {
  return apiKey === undefined ? access : { ...access, apiKey };
}

function optionsFor(name: string, { options }: Service): Readonly<Record<string, JsonObject>> {
  return options === undefined ? {} : { [name]: options };
}

/** A redirect would carry the key to wherever it leads; as a status other than 2xx it fails instead. */
function fetchWithoutRedirects(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, redirect: 'manual' });
}
