import type { PopupReport, SurfaceResults } from '#domain/reports/report-answers.ts'

/** One bar of the results. */
export interface ResultLine {
  key: string
  name: string
  count: number
  /** A way in which the line above it happened. */
  isPart?: boolean
}

const numbers = new Intl.NumberFormat('en-US')

export function countWords(count: number): string {
  return numbers.format(count)
}

/** A share of those who saw it: '38%'; empty where no one did. */
export function shareOfShown(count: number, shown: number): string {
  if (shown === 0) return ''
  const percent = (count / shown) * 100
  return percent > 0 && percent < 1 ? '<1%' : `${Math.round(percent)}%`
}

export const closedNames = {
  'closed-later': 'By “No thanks”',
  'closed-button': 'By the X',
  'closed-backdrop': 'By a click outside',
  'closed-escape': 'By Escape or Back',
} as const
type ClosingAction = keyof typeof closedNames

export const closings = Object.keys(closedNames) as ClosingAction[]

export function closedCount(actions: SurfaceResults['actions']): number {
  return closings.reduce((sum, action) => sum + (actions[action] ?? 0), 0)
}

/** From being shown to the results. Ways of closing that did not happen are left out. */
export function resultLines({ actions }: PopupReport, collectsEmail: boolean): ResultLine[] {
  return [
    { key: 'shown', name: 'Shown', count: actions.shown },
    ...answerLines(actions, collectsEmail),
    { key: 'reached', name: 'Continued', count: actions.reached },
    { key: 'closed', name: 'Closed', count: closedCount(actions) },
    ...closings
      .filter((action) => actions[action] > 0)
      .map((action) => ({
        key: action,
        name: closedNames[action],
        count: actions[action],
        isPart: true,
      })),
    { key: 'left', name: 'Left the page', count: actions.left },
  ]
}

/** The card of a popup with emails shows the sum. */
function answerLines(
  { clicked, emailed }: PopupReport['actions'],
  collectsEmail: boolean,
): ResultLine[] {
  const isPart = collectsEmail || emailed > 0
  const clicks = { key: 'clicked', name: 'Clicked', count: clicked, isPart }
  if (!isPart) return [clicks]
  return [
    { key: 'answered', name: 'Answered', count: clicked + emailed },
    ...(clicked > 0 ? [clicks] : []),
    { key: 'emailed', name: 'Email given', count: emailed, isPart },
  ]
}

export function surfaceName({ kind, label }: SurfaceResults): string {
  if (label !== null) return kind === 'bio' ? `@${label}` : `/${label}`
  return kind === 'bio' ? 'A deleted bio page' : 'A deleted link'
}

const percents = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })

/** The first line of the results: '1,204 shown · 8.1% clicked'. */
export function shownWords({ actions: { shown, clicked } }: PopupReport): string {
  if (shown === 0) return 'No views'
  return `${countWords(shown)} shown · ${percents.format(clicked / shown)} clicked`
}

/** ['41 emails'] of a popup that has views; empty without emails. */
export function emailWords({ actions }: PopupReport, collectsEmail: boolean): string[] {
  const { shown, emailed } = actions
  if (shown === 0 || !(collectsEmail || emailed > 0)) return []
  return [`${countWords(emailed)} ${emailed === 1 ? 'email' : 'emails'}`]
}

/**
 * The people who saw it, and the visits of its links and pages: 'Seen by 3 visitors · 5 visits'.
 *
 * @param own how often its owner saw it; undefined where that is not asked
 */
export function peopleWords({ people, served }: PopupReport, own: number | undefined): string {
  const counted = (count: number, noun: string) =>
    `${countWords(count)} ${noun}${count === 1 ? '' : 's'}`
  return [
    `Seen by ${counted(people.shown, 'visitor')}`,
    ...(own === undefined ? [] : [`your own: ${countWords(own)}`]),
    ...(served === null ? [] : [counted(served, 'visit')]),
  ].join(' · ')
}

/** The days of the series, in words: in full, and as short labels for a chart. */
export function dayFormatsIn(timeZone: string) {
  const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone })
  const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone })
  return {
    full: (start: string) => full.format(new Date(start)),
    short: (start: string) => short.format(new Date(start)),
  }
}
