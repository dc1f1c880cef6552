import { plural } from '../primitives/plural.ts'

/** The answer to a visitor's password that does not open: a sentence, and the seconds to wait before the next one. */
export interface PasswordRefusal {
  status: 403 | 429
  problem: string
  wait?: number
}

export const wrongPassword: PasswordRefusal = {
  status: 403,
  problem: 'This is not the password. Please try again.',
}

export function tooManyPasswords(wait: number): PasswordRefusal {
  const problem = `Too many attempts. Try again in ${plural(wait, 'second')}.`
  return { status: 429, problem, wait }
}
