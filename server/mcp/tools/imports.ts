import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import {
  importDays,
  importStates,
  rowChoices,
  type ShownImport,
} from '#domain/transfer/import-shapes.ts'
import { HttpError } from '../../http/errors.ts'
import { replaceError } from '../../primitives/caught-error.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { NotFoundError, ToolError } from '../tables.ts'
import {
  askFirst,
  confirmationInput,
  confirmationOutput,
  defineTool,
  onceDone,
  type ToolContext,
} from '../tool.ts'

const idInput = z.string().refine(isUuid, 'The id of an import').describe('The id of an import.')

const importShape = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(importStates),
  notice: z.string().nullable().describe('Why it waits, or has failed.'),
  rows: z.number(),
  totals: z
    .record(z.string(), z.number())
    .describe(
      'Rows of the dry run: made, taken (code), here (already), refused, case (an earlier row has the code).',
    ),
  results: z.record(z.string(), z.number()).describe('Rows that the job has written.'),
  days: z
    .object({ with_codes: z.number(), random: z.number() })
    .describe('Days that it takes by the limits of the account.')
    .optional(),
})

function present(shown: ShownImport): z.output<typeof importShape> {
  const { id, name, state, notice, rows, totals, results } = shown
  const days = importDays(shown)
  return {
    id,
    name,
    state,
    notice,
    rows,
    totals,
    results,
    ...(days && { days: { with_codes: days.withCodes, random: days.random } }),
  }
}

async function find({ imports, agent }: ToolContext, id: string): Promise<ShownImport> {
  const shown = await imports.show(agent.accountId, id)
  if (!shown) throw new NotFoundError('You have no such import.')
  return shown
}

const waitMs = 200
const maxWaitMs = 20_000

/** The import once its dry run has ended, or as it is after 20 seconds. */
async function checked(context: ToolContext, id: string): Promise<ShownImport> {
  const until = performance.now() + maxWaitMs
  for (;;) {
    const shown = await find(context, id)
    if (shown.state !== 'reading' || performance.now() > until) return shown
    await sleep(waitMs)
  }
}

const inWords = replaceError(HttpError, ({ message }) => new ToolError(message))

export const checkImport = defineTool({
  name: 'check_import',
  title: 'Check links to import',
  description:
    'Checks what would become of links from another service, without making any: which are made, already here, refused, or have a code that is taken. With an id it answers how an import is now. Go on with confirm_import.',
  scopes: ['links:read', 'links:write'],
  effect: 'add',
  input: z.object({
    rows: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(1_000)
      .describe(
        'Objects with original_url, and perhaps short_code, title, note, tags, created_at, former_url, clicks_before.',
      )
      .optional(),
    id: idInput.optional(),
  }),
  output: z.object({
    import: importShape,
    problems: z.array(
      z.object({
        row: z.number(),
        label: z.string().nullable(),
        outcome: z.string(),
        notes: z.array(z.string()),
      }),
    ),
  }),
  async run(context, { rows, id }) {
    if ((rows === undefined) === (id === undefined)) throw new ToolError('Give either rows or id.')
    const started =
      id ?? (await context.imports.startRows(context.agent.accountId, rows ?? []).catch(inWords))
    const shown = await checked(context, started)
    const listed = await context.imports.rows(context.agent.accountId, started, {
      outcome: undefined,
      after: 0,
      limit: 100,
    })
    const problems = listed.flatMap(({ place: row, label, outcome, notes, losses }) =>
      outcome === null || (outcome === 'made' && losses.length === 0)
        ? []
        : [{ row, label, outcome, notes: [...notes, ...losses.map((loss) => `Loses: ${loss}`)] }],
    )
    return { import: present(shown), problems }
  },
  summarize: ({ import: { state, totals } }) =>
    `The import is ${state}; ${totals['made'] ?? 0} links would be made.`,
})

export const confirmImport = defineTool({
  name: 'confirm_import',
  title: 'Import checked links',
  description:
    'Makes the links of a checked import in the background. The first call changes nothing: it answers with a confirmation. Ask the person, then call again with it.',
  scopes: ['links:read', 'links:write'],
  effect: 'change',
  input: z.object({
    id: idInput,
    codes: z.enum(['keep', 'random']).describe('Whether rows keep their codes.').default('keep'),
    taken: z.enum(rowChoices).describe('For codes that are taken.').default('new'),
    ...confirmationInput,
  }),
  output: z.object({ ...confirmationOutput, import: importShape.optional() }),
  async run(context, { id, codes, taken, confirmation }) {
    const shown = await find(context, id)
    if (shown.state !== 'ready') throw new ToolError(`This import is ${shown.state}.`)
    const about = { id, codes, taken, totals: shown.totals }
    const willDo = `${(shown.totals.made ?? 0).toLocaleString('en')} links will be made${taken === 'replace' ? ', and links of the account with the same codes will lead elsewhere' : ''}`
    const first = askFirst(context, { tool: 'confirm_import', about }, confirmation, willDo)
    if (first) return first
    await context.imports
      .confirm(context.agent.accountId, id, { codes, taken, rows: [] })
      .catch(inWords)
    return { status: 'done' as const, import: present(await find(context, id)) }
  },
  summarize: onceDone(() => 'The import runs. Ask check_import with its id how far it is.'),
})
