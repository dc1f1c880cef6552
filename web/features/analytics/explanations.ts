import type { FigureName } from './figures.ts'
import { reportTexts } from './report-words.ts'

const hitRule =
  'Every request for a link, the bio page or a link on it is recorded before it is answered, with exactly one verdict. Nothing is dropped: the switches only change what is counted here.'
const repeatRule =
  'A repeat is the same visitor on the same target within 30 minutes of the visit before.'
const ownRule = 'Own visits come from a browser in which you used Hoplet that day.'
const botRule =
  'Bots are known by what they say of themselves: crawlers of search engines, link previews in chats, monitors of uptime, programs (scripts, HTTP libraries, headless browsers, and clients without a name), browsers that load a page before anybody opens it (prefetch), and requests that ask for no content (HEAD).'

/** The rules behind each figure. */
export const explanations: Readonly<Record<FigureName, readonly string[]>> = {
  clicks: [hitRule, repeatRule, ownRule, botRule],
  visitors: [
    'Each visitor is counted once a day, however often they click. Own visits and bots are no visitors.',
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
    'What was received and is not in Clicks: bots, and what the switches leave out.',
    botRule,
    hitRule,
  ],
}
