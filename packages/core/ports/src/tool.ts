import type { JsonObject } from '@signalbox/kernel';

/**
 * Code behind a tool's name. It is only ever called by the gate, with arguments that passed it; what it gives is
 * checked against the contract's output schema before anybody sees it.
 */
export interface Tool {
  /** Raised when it comes to mean something else: an approval of a call is of the tool as it was then. */
  readonly version?: string;
  execute(args: JsonObject, context: ToolContext): unknown;
}

export interface ToolContext {
  readonly runId: string;
  readonly requestId: string;
  readonly session: string | undefined;
  readonly tenant: string;
  /** The same at every try of this call; to be sent along. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** A secret by its reference; never to be put into a result. */
  secret(reference: string): Promise<string>;
}

/** Where tools come from that nobody wrote in the graph's own code: OpenAPI, MCP, a folder. */
export interface ToolSource {
  readonly name: string;
  /** Undefined: it has no tool of this name. */
  tool(name: string): Tool | undefined;
}
