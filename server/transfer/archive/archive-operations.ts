import * as z from 'zod'
import { archiveStates, type ShownArchive } from '#domain/transfer/archive-shapes.ts'
import { type Operations, operationsOf } from '../../http/openapi.ts'

const time = z.string().meta({ format: 'date-time' })

const archive = z
  .object({
    id: z.uuid(),
    state: z.enum(archiveStates),
    progress: z.int().describe('In percent'),
    bytes: z.number().nullable(),
    notice: z.string().nullable().describe('Why it failed or has expired early'),
    left_out: z
      .array(z.object({ file: z.string(), reason: z.string() }))
      .describe('Parts beyond the bounds of an archive'),
    created_at: time,
    made_at: time.nullable(),
    expires_at: time.nullable(),
  } satisfies Record<keyof ShownArchive, z.ZodType>)
  .meta({ id: 'Archive' })

const archives = operationsOf('Archives')

/** Descriptions that the route table of the archives lacks. */
export const archiveOperations = {
  'POST /archives': archives(
    'Make an archive of your account',
    { 201: z.object({ id: z.uuid() }) },
    {
      description:
        'A zip with everything of the account, made in the background; an email says when it is done. One at a time and three a day; the file is kept for 3 days.',
    },
  ),
  'GET /archives': archives('Your archives, newest first', z.array(archive)),
  'GET /archives/:id': archives('An archive', archive),
  'GET /archives/:id/file': archives('The file of an archive', {
    200: { media: 'application/zip', says: 'The archive' },
  }),
} satisfies Operations
