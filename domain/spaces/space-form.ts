import * as z from 'zod/mini'

/** The limits of a space's name and address. The database enforces them (database/code/27_spaces.sql). */
export const spaceLimits = { name: 100, minSlug: 2, slug: 48 } as const

const reservedSlugs = ['go', 'popup', 'new', 'admin', 'api', 'hoplet', 'settings', 'support']

const slugShape = /^[a-z0-9]+(-[a-z0-9]+)*$/

const slugRefusal =
  'Use 2 to 48 characters: letters from a to z, digits, and single hyphens between them.'

/** Why a space cannot have this address; undefined when it may. */
export function spaceSlugProblem(slug: string): string | undefined {
  if (slug.length < spaceLimits.minSlug || slug.length > spaceLimits.slug) return slugRefusal
  if (!slugShape.test(slug)) return slugRefusal
  return reservedSlugs.includes(slug) ? 'This address is reserved.' : undefined
}

/** The name and the address of a space. */
export const spaceForm = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Enter a name'),
      z.maxLength(spaceLimits.name, `Use at most ${spaceLimits.name} characters`),
    ),
  slug: z.pipe(
    z.transform((typed: string) => typed.trim().toLowerCase()),
    z.string().check(
      z.superRefine((slug: string, context) => {
        const message = spaceSlugProblem(slug)
        if (message !== undefined) context.addIssue({ code: 'custom', message })
      }),
    ),
  ),
})

/** An invitation; a blank address means anybody with the link. */
export const invitationForm = z.object({
  role: z.enum(['owner', 'editor', 'viewer']),
  email: z.string().check(
    z.trim(),
    z.maxLength(320, 'This address is too long'),
    z.refine((text) => text === '' || /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text), {
      error: 'This is not an email address',
    }),
  ),
})

/** Deleting a space: its name is typed, to be sure. */
export function deleteSpaceForm(name: string) {
  return z.object({
    confirmation: z
      .string()
      .check(z.refine((typed) => typed.trim() === name, `Type ${name} to confirm`)),
  })
}
