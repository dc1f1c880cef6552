import { useState } from 'react'
import { answerOf, tables } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'

interface CodeSuggestionsProps {
  /** The destination; undefined while there is none. */
  url: string | undefined
  title: string
  /** The host of the link; null is the server's own. */
  domain: string | null
  onTake: (code: string) => void
}

/** Three free codes that are like the link, once they are asked for. */
export function CodeSuggestions({ url, title, domain, onTake }: CodeSuggestionsProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const suggest = useAction(async () => {
    try {
      const wanted = { _url: url ?? '', _title: title, _domain: domain ?? '' }
      setCodes(await answerOf(tables.rpc('suggest_codes', wanted)))
    } catch {
      notifyError({ title: 'No suggestions came', description: 'Please try again.' })
    }
  })
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <Button
        size="small"
        look="quiet"
        busy={suggest.busy}
        disabled={url === undefined}
        onClick={() => suggest.run()}
        className="-ml-3"
      >
        {suggest.busy ? 'Suggesting...' : 'Suggest'}
      </Button>
      <output className="contents">
        {codes?.length === 0 ? (
          <span className="text-sm text-ink-soft">No idea is free.</span>
        ) : (
          codes?.map((code) => (
            <Button key={code} size="small" onClick={() => onTake(code)} className="font-mono">
              {code}
            </Button>
          ))
        )}
      </output>
    </div>
  )
}
