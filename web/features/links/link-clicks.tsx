const numbers = new Intl.NumberFormat()

export function clicksInWords(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'click' : 'clicks'}`
}
