import type { DestinationProblem } from './destinations.ts'
import { type Notice, notices } from '#domain/texts/texts.ts'

const reasons: Partial<Record<DestinationProblem, string>> = {
  length: 'This URL is too long. At most 2,048 characters are possible',
  userinfo: 'A URL must not hold a user name or a password (the part before the @)',
  'own-host': 'This URL leads to this server itself. Please enter the address it should end at',
  'control-characters':
    'This URL holds a backslash or invisible characters. Please type it, or copy it again',
}

/** Message for a refused address: the specification's 'Invalid URL' sentence, or the reason where that would mislead. */
export function destinationNotice(reason: DestinationProblem): Notice {
  const description = reasons[reason] ?? notices.invalidUrl.description
  return { title: notices.invalidUrl.title, description }
}
