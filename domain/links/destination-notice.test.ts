import { expect, it } from 'vitest'
import { checkDestination } from './destinations.ts'
import { destinationNotice } from './destination-notice.ts'

const ownHosts = ['hoplet.example']

function noticeOf(url: string): string | undefined {
  const checked = checkDestination(url, { ownHosts })
  return checked.ok ? undefined : destinationNotice(checked.reason).description
}

it.each(['example.com', 'javascript:alert(1)', 'no address', 'ftp://example.com/x'])(
  'the notice says of %s what the specification says',
  (url) => {
    expect(noticeOf(url)).toBe('Please enter a valid URL starting with http:// or https://')
  },
)

it.each([
  ['https://hoplet.example/abc', /this server itself/],
  ['https://ada:secret@example.com/', /user name or a password/],
  [`https://example.com/${'a'.repeat(2100)}`, /too long/],
  ['https:\\\\example.com', /backslash/],
  ['https://exam\u200bple.com/', /invisible/],
])('the notice tells the reason for %s', (url, reason) => {
  expect(noticeOf(url)).toMatch(reason)
})
