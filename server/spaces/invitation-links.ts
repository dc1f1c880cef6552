import * as z from 'zod'
import { spaceRoles } from '#domain/access/space-roles.ts'
import { routes } from '#domain/routes.ts'
import type { Context } from '../context.ts'
import { enqueueMail } from '../mail/outbox.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'

/** Question of `api.create_invitation` and `api.renew_invitation` (database/code/27_spaces.sql). */
const question = z.object({
  id: z.uuid(),
  token: z.string(),
  role: z.enum(spaceRoles),
  email: z.string().nullable(),
  space: z.string().nullable(),
  person: z.uuid(),
})

/** Emails to addresses that a person types: 20 at once, 20 a day. More invitations are links to copy. */
const mailed: BucketPolicy = { name: 'invitation-mails', burst: 20, windowSeconds: 86_400 }

/** The link of a new invitation, which is shown this once; with an address it is mailed too. */
export function invitationProcedures({
  config,
  database,
  mail,
  rateLimits,
}: Pick<Context, 'config' | 'database' | 'mail' | 'rateLimits'>) {
  const linkOf = async (answer: unknown): Promise<string> => {
    const { id, token, role, email, space, person } = question.parse(answer)
    const path = `${routes.invitation.path}#${token}`
    if (email !== null && rateLimits.take(mailed, person) === undefined) {
      await database.transactionAs({ role: 'hoplet_worker' }, (db) =>
        enqueueMail(db, {
          key: `space-invitation:${id}`,
          template: 'space-invitation',
          recipient: email,
          data: { space: space ?? '', role, link: path },
        }),
      )
      mail.wake()
    }
    return `${config.publicUrl}${path}`
  }
  return { create_invitation: linkOf, renew_invitation: linkOf }
}
