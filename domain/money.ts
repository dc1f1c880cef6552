const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** An amount of whole cents as people read it: 175 → $1.75, -123456 → −$1,234.56, with a real minus sign. */
export function dollars(cents: number): string {
  return `${cents < 0 ? '−' : ''}${money.format(Math.abs(cents) / 100)}`
}
