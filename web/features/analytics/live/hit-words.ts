import type { ClickHit } from '#domain/reports/report-answers.ts'
import { valueName } from '../lists/dimension-words.ts'
import { verdictWords } from '../report-words.ts'

/** A hit in words: client, origin and verdict. */
export function hitWords(hit: ClickHit) {
  const { verdict, country, city, device, browser, system, referrer, source, bot } = hit
  const place = [city, country === '' ? 'Unknown country' : valueName('country', { key: country })]
  const machine =
    bot === '' ? [valueName('device', { key: device }), onSystem(browser, system)] : [bot]
  const words = verdictWords[verdict]
  return {
    who: [place.filter(Boolean).join(', '), ...machine].filter(Boolean).join(' · '),
    from: [
      valueName('source', { key: source }),
      referrer === '' ? 'no referrer' : `from ${referrer}`,
    ].join(' · '),
    verdict: words.reason,
    isCounted: verdict === 'counted',
  }
}

function onSystem(browser: string, system: string): string {
  if (browser === '') return system
  return system === '' ? browser : `${browser} on ${system}`
}
