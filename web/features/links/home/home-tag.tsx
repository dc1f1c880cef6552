import { Check } from 'lucide-react'
import type { ShortenerDraft } from '#web/shortener-draft.ts'
import { shortLinkUrl, site } from '#web/site.ts'
import { useLazyPart } from '#web/ui/hooks/use-lazy-part.ts'
import { LinkTag } from '../link-tag.tsx'

const example = { code: 'spring-menu', url: 'bistro.example/menus/spring-2027' }

const loadQrCode = async () => (await import('./home-qr-code.tsx')).HomeQrCode

/** The link of the form as a tag, while it is typed; an example before. */
export function HomeTag({ draft }: { draft: ShortenerDraft }) {
  const isTyped = draft.url.trim() !== '' || draft.code.trim() !== ''
  const code = isTyped ? draft.code.trim() : example.code
  const url = isTyped ? draft.url.trim().replace(/^https?:\/\//i, '') : example.url
  const { Part: QrCode } = useLazyPart(isTyped, loadQrCode)
  return (
    <div aria-hidden className="max-w-full rotate-[1.2deg] lg:w-132">
      <LinkTag
        code={code}
        stub={
          isTyped && QrCode !== undefined ? (
            <QrCode value={shortLinkUrl(code === '' ? 'random' : code)} isFaint={code === ''} />
          ) : (
            <img
              src="/example-qr.svg"
              alt=""
              width={112}
              height={112}
              className="mx-auto size-28 rounded-xl bg-white p-1.5"
            />
          )
        }
      >
        <p className="mt-2 font-mono text-sm text-ink-faint">
          {isTyped ? site.host : 'hop.example'}/
        </p>
        <p className="font-mono text-xl leading-tight font-medium tracking-tight wrap-anywhere">
          {code === '' ? <span className="text-ink-faint">random code</span> : code}
          <span className="ml-0.5 inline-block h-5 w-0.5 translate-y-0.5 bg-accent" />
        </p>
        <p className="mt-2 truncate text-sm text-ink-soft">→ {url === '' ? 'your address' : url}</p>
        <p className="mt-2 flex items-center gap-1.5 text-sm text-good">
          <Check size={15} />
          {site.hasPlans ? 'Free, and ready in a second' : 'Ready in a second'}
        </p>
      </LinkTag>
    </div>
  )
}
