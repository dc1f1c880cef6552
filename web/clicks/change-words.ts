/** How a figure compares with the one of the time before. */
export interface ChangeWords {
  /** '+18%', '−9%', '0%', 'new'. */
  short: string
  /** For people who do not see it: '18% more than before'. */
  long: string
  direction: 'up' | 'down' | 'same'
}

const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  useGrouping: true,
})

/** Above it the figures themselves say more. */
const maxShortChange = 10

/** @param than the compared period: 'the 30 days before' */
export function changeWords(now: number, before: number, than: string): ChangeWords {
  if (before === 0)
    return now === 0
      ? { short: '0%', long: `as in ${than}: none`, direction: 'same' }
      : { short: 'new', long: `none in ${than}`, direction: 'up' }
  const change = (now - before) / before
  const amount = percent.format(Math.abs(change))
  // Less than half a percent is written as no change.
  if (Math.round(Math.abs(change) * 100) === 0)
    return { short: '0%', long: `as many as in ${than}`, direction: 'same' }
  return change > 0
    ? {
        short: change < maxShortChange ? `+${amount}` : `>${percent.format(maxShortChange)}`,
        long: `${amount} more than in ${than}`,
        direction: 'up',
      }
    : { short: `−${amount}`, long: `${amount} less than in ${than}`, direction: 'down' }
}
