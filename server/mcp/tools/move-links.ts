import * as z from 'zod'
import { linkMoveStates } from '#domain/links/link-moves.ts'
import { plural } from '../../primitives/plural.ts'
import { ToolError } from '../tables.ts'
import {
  askFirst,
  confirmationInput,
  confirmationOutput,
  defineTool,
  onceDone,
  type ToolContext,
} from '../tool.ts'
import { codeInput, findLink } from './links.ts'

const counted = z.object({ count: z.int(), names: z.array(z.string()) })

/** Answer of `preview_move` (server/spaces/preview-move.ts). */
const preview = z.object({
  to_name: z.string().nullable(),
  refusals: z.array(z.object({ message: z.string() })),
  popups: counted,
  shared_reports: counted,
  bio_entries: counted,
  external_ids: counted,
  new_tags: counted,
  older_clicks: z.object({ before: z.string(), links: z.int() }).nullable(),
})
type Preview = z.infer<typeof preview>

export const moveLinks = defineTool({
  name: 'move_links',
  title: 'Move links to another account',
  description:
    'Moves short links from the account that the app acts for to another account in which the person may write: their own, or a space. Codes, options, rules, history and clicks go with them; popups, shared reports and entries of the bio page stay behind. The first call changes nothing: it answers with the losses and a confirmation. Ask the person, then call again with it.',
  scopes: ['links:read', 'links:write'],
  effect: 'destroy',
  input: z.object({
    short_codes: z.array(codeInput).min(1).max(100),
    to_account: z.uuid().describe('The id of the space, or of the person for their own account.'),
    ...confirmationInput,
  }),
  output: z.object({
    ...confirmationOutput,
    move: z
      .object({
        id: z.uuid(),
        links: z.int(),
        state: z.enum(linkMoveStates).describe('arriving: clicks are on their way.'),
      })
      .optional(),
  }),
  async run(context, { short_codes: codes, to_account: target, confirmation }) {
    const ids = await findIds(context, codes)
    const body = { _links: ids, _to_account: target }
    const facts = preview.parse(
      await context.tables.ask('rpc/preview_move', { method: 'POST', body }),
    )
    const [refusal] = facts.refusals
    if (refusal) throw new ToolError(refusal.message)
    // The losses are part of the consent.
    const about = { ids, target, facts }
    const first = askFirst(context, { tool: 'move_links', about }, confirmation, willDo(ids, facts))
    if (first) return first
    const { id, links, state } = await context.tables.ask<{
      id: string
      links: number
      state: 'arriving' | 'done'
    }>('rpc/move_links', { method: 'POST', body })
    return { status: 'done' as const, move: { id, links, state } }
  },
  summarize: onceDone(({ move }) =>
    move?.state === 'arriving'
      ? 'The links have moved. Their clicks are on their way.'
      : 'The links have moved.',
  ),
})

async function findIds(context: ToolContext, codes: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const code of codes) ids.add((await findLink(context, code)).id)
  return [...ids].toSorted()
}

function willDo(ids: readonly string[], facts: Preview): string {
  const losses = [
    part(facts.popups, 'popup', 'switched off'),
    part(facts.shared_reports, 'shared report', 'ended'),
    part(
      facts.bio_entries,
      'entry of the bio page',
      'left as a plain address',
      'entries of the bio page',
    ),
    part(facts.external_ids, 'external id', 'cleared, because that account has it'),
    part(facts.new_tags, 'tag', 'made there'),
    facts.older_clicks !== null && facts.older_clicks.links > 0
      ? `clicks before ${facts.older_clicks.before} deleted`
      : '',
  ].filter((text) => text !== '')
  const moved = `${plural(ids.length, 'link')} will belong to ${facts.to_name ?? 'the other account'}`
  return losses.length === 0 ? moved : `${moved}. With it: ${losses.join('; ')}`
}

function part({ count, names }: z.infer<typeof counted>, one: string, what: string, many?: string) {
  if (count === 0) return ''
  return `${count === 1 ? `1 ${one}` : `${count} ${many ?? `${one}s`}`} ${what} (${names.join(', ')})`
}
