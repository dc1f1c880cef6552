import type { FigureName } from './figures.ts'
import { reportTexts } from './report-words.ts'

const hitRule =
  'Every request for a link, the bio page or a link on it is recorded before it is answered, with exactly one verdict. Nothing is dropped: the switches only change what is counted here.'
const repeatRule =
  'A repeat is the same visitor on the same target within 30 minutes of the visit before.'
const ownRule = 'Own visits come from a browser in which you used Hoplet that day.'
const botRule =
  'Bots are search engine crawlers, link previews in chats, uptime monitors and programs: scripts, HTTP libraries, headless browsers and clients without a User-Agent. Prefetches and HEAD requests show no page to a person, so they count as bots too.'

/** The rules behind each figure. */
export const explanations: Readonly<Record<FigureName, readonly string[]>> = {
  clicks: [hitRule, repeatRule, ownRule, botRule],
  visitors: [
    'Each visitor is counted once a day, however often they click. Your own visits and bots are not counted.',
    reportTexts.visitorsRule,
  ],
  fresh: [
    'The first visit of a visitor on a day. Everyone is new once a day, so this is the number of visitors.',
    reportTexts.visitorsRule,
  ],
  returning: [
    'Visits of people who had been there before on the same day, at least 30 minutes earlier.',
    repeatRule,
    reportTexts.visitorsRule,
  ],
  filtered: [
    'Hits that are not in Clicks: bots, and the hits that the switches exclude.',
    botRule,
    hitRule,
  ],
}
