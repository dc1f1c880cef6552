import type { Notice } from './texts.ts'

/** The session was ended somewhere else: on another device, by an admin, or by its age. */
export const sessionEnded = {
  title: 'Your session has ended',
  description: 'Sign in again to continue. Your input is kept.',
} as const satisfies Notice

/** The same without passwords. */
export const sessionEndedInNewTab = 'Sign in in a new tab, then come back. Your input is kept.'

/** Said on the sign-in screen, after a session that had ended was given up. */
export const sessionEndedNotice = {
  title: 'Your session has ended. Sign in again.',
} as const satisfies Notice

/** The session goes on without the rights that a claim of its provider gave, because the provider is down. */
export const claimsPaused = {
  title: 'Your admin rights are paused',
  description: 'Your sign-in provider does not answer. Sign in again later.',
} as const satisfies Notice

/** Messages for requests without an answer. */
export const connectionTexts = {
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  offline:
    'You are offline. What you see may be out of date, and nothing can be saved until you are back.',
  outdated: 'Hoplet was updated while this page was open. Reload to continue.',
  partFailed: 'This part of the screen could not be loaded.',
  screenFailed: 'This screen could not be loaded',
} as const
