import { Check, Copy, QrCode, Share2 } from 'lucide-react'
import { useState } from 'react'
import { affiliateNotices } from '#domain/texts/plan-texts.ts'
import { share } from '#web/share.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { lazyPart } from '#web/app/lazy-part.tsx'
import { invitation, referralUrl } from './share-texts.ts'
import { useCopyWithNotice } from '#web/use-copy-with-notice.ts'

const ReferralQr = lazyPart(
  async () => (await import('./referral-qr.tsx')).ReferralQr,
  <output
    className="block h-[278px] animate-pulse rounded-xl bg-sunken"
    aria-label="Drawing the QR code"
  />,
)

/** The link to pass on, large, and the ways to do it. */
export function ReferralLink({ code }: { code: string }) {
  const { copied, copy } = useCopyWithNotice(affiliateNotices.copied)
  const [showsQr, setShowsQr] = useState(false)
  const url = referralUrl(code)

  return (
    <section
      aria-labelledby="referral-link"
      className="rounded-2xl border border-line bg-surface p-5 sm:p-7"
    >
      <h2 id="referral-link" className="text-sm font-medium text-ink-soft">
        Your referral link
      </h2>
      <p className="mt-2 font-mono text-base leading-snug font-medium tracking-tight wrap-anywhere sm:text-xl lg:text-3xl">
        <span className="text-ink-faint">{url.slice(0, -code.length)}</span>
        <wbr />
        {code}
      </p>
      <div className="mt-5 flex flex-wrap gap-2.5">
        <Button look="ink" className="max-sm:w-full" onClick={() => copy(url)}>
          {copied ? <Check size={18} aria-hidden /> : <Copy size={18} aria-hidden />}
          {copied ? 'Copied' : 'Copy Link'}
        </Button>
        {'share' in navigator ? (
          <Button className="max-sm:grow" onClick={() => share({ text: invitation, url })}>
            <Share2 size={18} aria-hidden />
            Share
          </Button>
        ) : null}
        <Button className="max-sm:grow" onClick={() => setShowsQr(true)}>
          <QrCode size={18} aria-hidden />
          QR Code
        </Button>
      </div>
      <Dialog
        open={showsQr}
        onClose={() => setShowsQr(false)}
        title="QR code"
        description={<span className="font-mono wrap-anywhere">{url}</span>}
      >
        <ReferralQr url={url} />
      </Dialog>
    </section>
  )
}
