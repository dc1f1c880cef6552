import { Check, Copy } from 'lucide-react'
import { affiliateNotices } from '#domain/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { referralUrl, shareTexts } from './share-texts.ts'
import { useCopyWithNotice } from '#web/use-copy-with-notice.ts'

/** Messages to people, ready to copy. */
export function ReadyTexts({ code }: { code: string }) {
  return (
    <section aria-labelledby="ready-texts">
      <h2 id="ready-texts" className="text-xl font-semibold tracking-tight">
        Ready-made texts
      </h2>
      <ul className="mt-4 grid gap-4 lg:grid-cols-3">
        {shareTexts.map(({ name, textOf }) => (
          <ReadyText key={name} name={name} text={textOf(referralUrl(code))} />
        ))}
      </ul>
    </section>
  )
}

function ReadyText({ name, text }: { name: string; text: string }) {
  const { copied, copy } = useCopyWithNotice(affiliateNotices.textCopied)
  return (
    <li className="flex flex-col items-start gap-4 rounded-2xl border border-line bg-surface p-5">
      <p className="text-sm leading-relaxed whitespace-pre-line text-ink-soft wrap-anywhere">
        {text}
      </p>
      <Button size="small" className="mt-auto" onClick={() => copy(text)}>
        {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        {copied ? 'Copied' : `Copy ${name}`}
      </Button>
    </li>
  )
}
