import * as z from 'zod'
import {
  importStates,
  rowChoices,
  rowOutcomes,
  rowResults,
  type ShownImport,
  type ShownRow,
} from '#domain/transfer/import-shapes.ts'
import { type Operations, operationsOf } from '../http/openapi.ts'

const time = z.string().meta({ format: 'date-time' })
const counts = z.record(z.string(), z.int())

const one = z
  .object({
    id: z.uuid(),
    source: z.string().describe('`mapped` for columns of your own; empty for unknown ones'),
    name: z.string().describe('Of the file, or the host of the service'),
    state: z.enum(importStates),
    undoes: z.boolean().describe('It takes links back'),
    notice: z.string().nullable().describe('Why it waits or has failed'),
    rows: z.int(),
    bytes: z.number(),
    hits: z.number().describe('Hits of an archive that wait to be written, after its rows'),
    headers: z.array(z.string()).nullable().describe('Columns of a CSV'),
    totals: counts.describe('Rows of the dry run by outcome'),
    results: counts.describe('Rows of the job by result'),
    allowance: z
      .object({
        limit_type: z.enum(['daily', 'lifetime']),
        links: z.int(),
        codes: z.int(),
        links_left: z.int(),
        codes_left: z.int(),
        free: z.int(),
      })
      .nullable()
      .describe('Links and codes that it may make, a day or in all; null without limits'),
    next_at: time,
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    domain: z
      .string()
      .describe('Host of its links that come from no domain of yours; empty: that of this server'),
    domains: z.array(z.string()).describe('Your domains, verified or not, the default one first'),
  } satisfies Record<keyof ShownImport, z.ZodType>)
  .meta({ id: 'Import' })

const row = z
  .object({
    place: z.int(),
    label: z.string().nullable().describe('The former short address'),
    code: z.string().nullable(),
    domain: z.string().nullable().describe('Null: the host of this server'),
    url: z.string().nullable(),
    title: z.string().nullable(),
    outcome: z.enum(rowOutcomes).nullable(),
    notes: z.array(z.string()),
    losses: z.array(z.string()).describe('Options that the link loses'),
    choice: z.enum(rowChoices).nullable(),
    result: z.enum(rowResults).nullable(),
    present_url: z.string().nullable().describe('Where your link with this code leads'),
    cells: z.array(z.string()).nullable(),
  } satisfies Record<keyof ShownRow, z.ZodType>)
  .meta({ id: 'ImportRow' })

const imports = operationsOf('Imports')

/** Descriptions that the route table of the imports lacks. */
export const importOperations = {
  'POST /imports': imports(
    'Read links, and check what becomes of them',
    { 201: z.object({ id: z.uuid() }) },
    {
      description:
        'A form with a `file` (CSV, JSON, or the page of a Linktree), or JSON: `{source, token, server}` for a service, `{rows}` with columns of `create_links`. Nothing is written before the import is confirmed. One import of an account is at work at a time.',
    },
  ),
  'GET /imports': imports('Your imports, newest first', z.array(one)),
  'GET /imports/:id': imports('An import', one),
  'GET /imports/:id/rows': imports(
    'Rows of an import',
    z.object({ rows: z.array(row), cursor: z.int().nullable().describe('Of the next page') }),
    { description: 'With `format=csv` all of them as a CSV.' },
  ),
  'POST /imports/:id/read': imports(
    'Check again, as another kind of file or for another domain',
    one,
  ),
  'POST /imports/:id/confirm': imports('Make the links of a checked import', one),
  'POST /imports/:id/pause': imports('Pause an import', one),
  'POST /imports/:id/resume': imports('Go on with an import', one),
  'POST /imports/:id/undo': imports('Take the links of an import back', one, {
    description: 'Until a day after its end. Links that were clicked since stay.',
  }),
  'DELETE /imports/:id': imports('Delete an import, not its links', {
    204: 'Deleted',
  }),
} satisfies Operations
