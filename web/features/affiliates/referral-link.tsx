import { Check, Copy } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { affiliateNotices, notices } from '#domain/texts.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { useCopy } from '#web/ui/use-copy.ts'

/** The link to pass on, large, and a button that copies it. */
export function ReferralLink({ code }: { code: string }) {
  const { copied, copy } = useCopy()
  const url = `${site.publicUrl}${routes.home.href({ ref: code })}`

  async function copyLink() {
    if (await copy(url)) notifySuccess(affiliateNotices.copied)
    else notifyError(notices.copyFailed)
  }

  return (
    <section
      aria-labelledby="referral-link"
      className="rounded-[1.75rem] border border-line bg-surface p-5 sm:p-7"
    >
      <h2 id="referral-link" className="text-sm font-medium text-ink-soft">
        Your referral link
      </h2>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <p className="min-w-0 font-mono text-lg leading-snug font-medium tracking-tight wrap-anywhere sm:text-2xl">
          <span className="text-ink-faint">{url.slice(0, -code.length)}</span>
          <wbr />
          {code}
        </p>
        <Button look="accent" className="max-sm:w-full" onClick={() => void copyLink()}>
          {copied ? <Check size={18} aria-hidden /> : <Copy size={18} aria-hidden />}
          {copied ? 'Copied' : 'Copy Link'}
        </Button>
      </div>
    </section>
  )
}
