import { ExternalLink } from 'lucide-react'
import { buttonClass } from '#web/ui/button.tsx'

/** The way on when the browser refused to open the new tab. */
export function BlockedTab({ url }: { url: string | undefined }) {
  return (
    <output>
      {url === undefined ? null : (
        <span className="mt-6 flex flex-wrap items-center justify-between gap-3 rounded-2xl border border-line bg-accent-wash px-5 py-4">
          <span>Your browser kept the new tab from opening.</span>
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass('plain', 'small')}
          >
            Open the payment page
            <ExternalLink size={16} aria-hidden />
          </a>
        </span>
      )}
    </output>
  )
}
