import type { CallToolResult, Tool as ToolDescription } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { Imports } from '../transfer/imports.ts'
import type { Agent } from './bearer.ts'
import type { Confirmations } from './confirmations.ts'
import { type Tables, ToolError } from './tables.ts'
import { ifError } from '../primitives/caught-error.ts'

/** Deps of a tool. */
export interface ToolContext {
  agent: Agent
  tables: Tables
  confirmations: Confirmations
  publicUrl: string
  /** Address of links of this server. */
  linksUrl: string
  imports: Pick<Imports, 'startRows' | 'confirm' | 'show' | 'rows'>
}

interface ToolParts<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  title: string
  /** Its effect, for agents and for the people who have to confirm. */
  description: string
  /** The app needs all of them; without them it does not see the tool. */
  scopes: readonly OAuthScope[]
  /** read: changes nothing. add: only adds. change: can be changed back, but is public. destroy: asks for confirmation. */
  effect: 'read' | 'add' | 'change' | 'destroy'
  input: Input
  output: Output
  /** @throws {ToolError} */
  run(context: ToolContext, input: z.output<Input>): Promise<z.input<Output>>
  /** The result in a sentence. */
  summarize(output: z.output<Output>): string
}

/** A tool as the server lists and calls it. */
export interface Tool {
  name: string
  scopes: readonly OAuthScope[]
  description: ToolDescription
  call(context: ToolContext, input: unknown): Promise<CallToolResult>
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  parts: ToolParts<Input, Output>,
): Tool {
  const { name, title, description, scopes, effect, input, output, run, summarize } = parts
  return {
    name,
    scopes,
    description: {
      name,
      title,
      description,
      inputSchema: schemaOf(input, 'input'),
      outputSchema: schemaOf(output, 'output'),
      annotations: {
        title,
        readOnlyHint: effect === 'read',
        // Only additions are not: a change of a public page takes effect for all visitors.
        destructiveHint: effect === 'change' || effect === 'destroy',
        idempotentHint: effect !== 'add',
        openWorldHint: false,
      },
    },
    async call(context, given) {
      const parsed = parseArguments(input, given ?? {})
      if (!parsed.success)
        return failure(`The arguments are not valid: ${z.prettifyError(parsed.error)}`)
      const answer = async (): Promise<CallToolResult> => {
        const result = output.parse(await run(context, parsed.data))
        // Clients that show no structured content have it as text.
        const text = `${summarize(result)}\n${JSON.stringify(result)}`
        return { content: [{ type: 'text', text }], structuredContent: result }
      }
      return answer().catch(ifError(ToolError, ({ message }) => failure(message)))
    },
  }
}

/**
 * Reads arguments as agents send them: null, and an empty cursor, for an optional one that is left out. A tool that gives null a
 * meaning takes it.
 */
function parseArguments<Input extends z.ZodObject>(input: Input, given: unknown) {
  const parsed = input.safeParse(given)
  if (parsed.success || typeof given !== 'object' || given === null) return parsed
  const trimmed = structuredClone(given)
  for (const { path } of parsed.error.issues) leaveOut(trimmed, path)
  const read = input.safeParse(trimmed)
  return read.success ? read : parsed
}

/** Deletes the value at a path if it is null or an empty cursor. */
function leaveOut(root: object, path: readonly PropertyKey[]): void {
  const name = path.at(-1)
  const owner = path
    .slice(0, -1)
    .reduce<unknown>((value, key) => Object(value)[key], root) as Record<PropertyKey, unknown>
  if (name === undefined || Array.isArray(owner)) return
  const isNothing = owner[name] === null || (name === 'cursor' && owner[name] === '')
  if (isNothing) Reflect.deleteProperty(owner, name)
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** JSON Schema 2020-12, the protocol's default. */
function schemaOf(shape: z.ZodObject, io: 'input' | 'output'): ToolDescription['inputSchema'] {
  return z.toJSONSchema(shape, { io }) as ToolDescription['inputSchema']
}

const confirmation = z
  .string()
  .max(200)
  .describe('From the answer to the first call, once the person has agreed. Leave it out at first.')
  .optional()

/** The argument by which a person's answer comes back. */
export const confirmationInput = { confirmation }

/** Answer of a tool that needs a confirmation. */
export const confirmationOutput = {
  status: z.enum(['done', 'needs_confirmation']),
  will_do: z.string().describe('What a call with the confirmation will do.').optional(),
  confirmation: z
    .string()
    .describe('Good for five minutes, for the same arguments. Ask the person first.')
    .optional(),
}

type Confirmed = z.output<z.ZodObject<typeof confirmationOutput>>

/** The sentence of a tool that asks first. @param sentence once it is done */
export function onceDone<Output extends Confirmed>(sentence: (output: Output) => string) {
  return (output: Output) =>
    output.status === 'done'
      ? sentence(output)
      : `Nothing has been done yet. ${output.will_do} Ask the person whether to go on. If they agree, call the tool again with the same arguments and the confirmation.`
}

/** The first answer of a tool that asks, or undefined when the call brings a good confirmation. @throws {ToolError} for a bad one */
export function askFirst(
  { confirmations }: ToolContext,
  call: { tool: string; about: unknown },
  given: string | undefined,
  willDo: string,
) {
  if (given === undefined)
    return {
      status: 'needs_confirmation' as const,
      will_do: willDo,
      confirmation: confirmations.issue(call),
    }
  if (confirmations.isGood(call, given)) return undefined
  throw new ToolError(
    'The confirmation is too old, or it was for something else. Call the tool without it, and ask the person again.',
  )
}
