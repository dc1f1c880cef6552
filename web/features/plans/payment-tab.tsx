import { ExternalLink } from 'lucide-react'
import { upgradeTexts } from '#domain/texts.ts'
import { buttonClass } from '#web/ui/button.tsx'
import type { OpenedPage } from './payment-page.ts'

/** Where the payment page is: in another tab, or still to be opened because the browser refused one. */
export function PaymentTab({ opened }: { opened: OpenedPage | undefined }) {
  return (
    <output className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-xl bg-sunken p-3 text-sm text-pretty text-ink-soft empty:hidden">
      {opened === undefined ? null : opened.blockedUrl === null ? (
        upgradeTexts.openElsewhere
      ) : (
        <>
          Your browser kept the new tab from opening.
          <a
            href={opened.blockedUrl}
            target="_blank"
            rel="noopener noreferrer"
            className={`${buttonClass('plain', 'small')} h-auto! min-h-11 px-2! py-1 whitespace-normal!`}
          >
            Open the payment page
            <ExternalLink size={16} aria-hidden className="shrink-0" />
          </a>
        </>
      )}
    </output>
  )
}
