import { countWords, type ResultLine, shareOfShown } from './result-words.ts'

interface ResultBarsProps {
  lines: readonly ResultLine[]
  /** How often it was shown, which the bars are shares of. */
  shown: number
}

/** From being shown to the results. */
export function ResultBars({ lines, shown }: ResultBarsProps) {
  const most = Math.max(1, ...lines.map(({ count }) => count))
  return (
    <ul className="grid gap-1">
      {lines.map(({ key, name, count, isPart = false }) => (
        <li
          key={key}
          className={`relative flex items-center gap-3 px-2.5 text-sm ${isPart ? 'h-7 pl-6 text-ink-soft' : 'h-9'}`}
        >
          <span
            aria-hidden
            className={`absolute inset-y-0 left-0 rounded-md ${isPart ? 'bg-sunken' : 'bg-ink/12'}`}
            style={{ width: `${(count / most) * 100}%` }}
          />
          <span className="relative min-w-0 grow truncate">{name}</span>
          <span className="relative font-mono tabular-nums">{countWords(count)}</span>
          <span className="relative w-10 text-right text-xs text-ink-soft tabular-nums">
            {key === 'shown' ? '' : shareOfShown(count, shown)}
          </span>
        </li>
      ))}
    </ul>
  )
}
