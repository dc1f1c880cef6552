import * as z from 'zod'
import { askFirst, confirmationInput, confirmationOutput, defineTool, onceDone } from '../tool.ts'
import {
  type AgentLinkRow,
  codeInput,
  findLink,
  linkColumns,
  linkShape,
  noSuchLink,
  presentLink,
} from './links.ts'

export const renameLink = defineTool({
  name: 'rename_link',
  title: 'Give a link another code',
  description:
    'Gives a short link of the person another code. The former code still leads to it, until release_alias ends that. It counts as a custom code.',
  scopes: ['links:read', 'links:write'],
  effect: 'change',
  input: z.object({
    short_code: codeInput,
    new_code: z.string().max(50).describe('3 to 50 letters, digits, - or _.'),
  }),
  output: z.object({ link: linkShape }),
  async run(context, { short_code: code, new_code: wanted }) {
    const { id } = await findLink(context, code)
    const query = { select: linkColumns }
    const row = await context.tables.askOne<AgentLinkRow>(
      'rpc/rename_link',
      { method: 'POST', query, body: { _link: id, _code: wanted } },
      () => noSuchLink(code),
    )
    return { link: presentLink(context, row) }
  },
  summarize: ({ link: { short_url: url } }) => `The link is now ${url}.`,
})

export const releaseAlias = defineTool({
  name: 'release_alias',
  title: 'Release a former code',
  description:
    'Ends a former code of a short link of the person: visitors no longer get to the link by it, and a code that was visited is held for 30 days. The first call changes nothing: it answers with a confirmation. Ask the person, then call again with it.',
  scopes: ['links:read', 'links:write'],
  effect: 'destroy',
  input: z.object({ short_code: codeInput, ...confirmationInput }),
  output: z.object(confirmationOutput),
  async run(context, { short_code: code, confirmation }) {
    const willDo = `The former code ${code} will lead nowhere`
    const first = askFirst(
      context,
      { tool: 'release_alias', about: { code } },
      confirmation,
      willDo,
    )
    if (first) return first
    await context.tables.ask('rpc/release_alias', { method: 'POST', body: { _code: code } })
    return { status: 'done' as const }
  },
  summarize: onceDone(() => 'Released the code.'),
})
