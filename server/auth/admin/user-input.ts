import * as z from 'zod'
import { type AuthCall, readBody } from '../call.ts'
import { checkNewPassword, metadata, normalizeEmail, optionalText } from '../credentials.ts'
import { authErrors } from '../errors.ts'

/** The fields that an operator's program may set (GoTrue's AdminUserParams). */
export const userInput = z.object({
  email: optionalText,
  phone: optionalText,
  password: optionalText,
  /** A bcrypt hash from another system, so that people keep their passwords when they move here. */
  password_hash: z
    .string()
    .regex(
      /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/,
      'must be a bcrypt hash of cost 4 to 14',
    )
    .nullish(),
  email_confirm: z.boolean().nullish(),
  user_metadata: metadata.nullish(),
  app_metadata: metadata.nullish(),
  ban_duration: optionalText,
  role: optionalText,
})

/** Fields of a new account only. A program that moves people here keeps their ids. */
export const newUserInput = userInput.extend({
  id: z
    .guid('must be a UUID')
    .refine((id) => !/^[0-]*$/.test(id), 'cannot be the nil UUID')
    .nullish(),
})

export type UserInput = Awaited<ReturnType<typeof readUserInput>>

/** Refuses fields that have no meaning here instead of ignoring them. @throws {AuthError} */
export async function readUserInput<Shape extends typeof userInput>(call: AuthCall, shape: Shape) {
  const input = await readBody(call, shape)
  const { phone, role, password, password_hash, ban_duration } = input
  if (phone) throw authErrors.phoneDisabled()
  if (role && role !== 'authenticated')
    throw authErrors.invalid('role: only authenticated; admins are made with `npm run admin`')
  if (password && password_hash)
    throw authErrors.invalid('Only a password or a password hash should be provided')
  return {
    ...input,
    email: input.email ? normalizeEmail(input.email) : undefined,
    banSeconds: ban_duration == null ? undefined : banSeconds(ban_duration),
    passwordHash: password_hash || (await hashOf(call, password)),
  }
}

async function hashOf(
  { deps }: AuthCall,
  password: string | null | undefined,
): Promise<string | undefined> {
  if (password == null) return undefined
  checkNewPassword(password, deps.config.auth.passwordMinLength)
  return deps.hasher.hash(password)
}

const unitSeconds: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 0.001 }
const maxBanSeconds = 1_000_000 * 3_600

/** Reads `none` as 0, and a length as Go writes it: `24h`, `1h30m`, `876000h`. */
function banSeconds(duration: string): number {
  if (duration === 'none') return 0
  const parts = [...duration.matchAll(/(\d{1,9}(?:\.\d{1,6})?)(ms|h|m|s)/g)]
  const seconds = parts.reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (unitSeconds[unit] ?? 0),
    0,
  )
  const isWhole = parts.map(([part]) => part).join('') === duration
  if (!isWhole || seconds <= 0 || seconds > maxBanSeconds)
    throw authErrors.invalid('invalid format for ban duration: use none, or a length such as 24h')
  return seconds
}
