import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { defineTemplate } from '../email.ts'

/** What `npm run mail -- EMAIL` sends. */
export const test = defineTemplate(
  z.object({ note: z.string().max(500).optional() }),
  ({ note }) => ({
    subject: 'A test mail from Hoplet',
    title: 'Mail works',
    parts: [
      'This mail was sent to try the mail settings of your server. They work.',
      ...(note === undefined ? [] : [note]),
      { button: 'Open Hoplet', to: routes.home.path },
    ],
  }),
)
