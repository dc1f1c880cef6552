import { Copy, Mail, Share2 } from 'lucide-react'
import { share } from '#web/share.ts'
import { IconButton, iconButtonClass } from '#web/ui/button.tsx'
import { BrandIcon } from './brand-icons.tsx'
import { useCopyLink } from './copy-link-button.tsx'

const text = 'Check out this link!'

const places = [
  {
    name: 'Twitter',
    brand: 'twitter',
    href: (url: string) => query('https://twitter.com/intent/tweet', { text, url }),
  },
  {
    name: 'Facebook',
    brand: 'facebook',
    href: (url: string) =>
      query('https://www.facebook.com/sharer/sharer.php', { u: url, quote: text }),
  },
  {
    name: 'Telegram',
    brand: 'telegram',
    href: (url: string) => query('https://t.me/share/url', { url, text }),
  },
  {
    name: 'WhatsApp',
    brand: 'whatsapp',
    href: (url: string) => query('https://wa.me/', { text: `${text} ${url}` }),
  },
] as const

// encodeURIComponent and not URLSearchParams: a plus sign for a space is read literally by some of these sites.
function query(address: string, params: Record<string, string>): string {
  const pairs = Object.entries(params).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  return `${address}?${pairs.join('&')}`
}

/** Copies a short link, or shares it: on the places of the specification, by email, and with the device's own sheet. */
export function ShareItems({ url }: { url: string }) {
  const { copyLink } = useCopyLink(url)
  return (
    <ul
      aria-label="Share on"
      className="flex flex-wrap pointer-coarse:grid pointer-coarse:w-fit pointer-coarse:grid-cols-4"
    >
      <li>
        <IconButton label="Copy" onClick={copyLink}>
          <Copy size={17} aria-hidden />
        </IconButton>
      </li>
      {places.map(({ name, brand, href }) => (
        <li key={name}>
          <a
            href={href(url)}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={name}
            title={name}
            className={iconButtonClass}
          >
            <BrandIcon brand={brand} />
          </a>
        </li>
      ))}
      <li>
        <a
          href={query('mailto:', { subject: text, body: url })}
          aria-label="Email"
          title="Email"
          className={iconButtonClass}
        >
          <Mail size={17} aria-hidden />
        </a>
      </li>
      {'share' in navigator ? (
        <li>
          <IconButton label="Other apps" onClick={() => share({ text, url })}>
            <Share2 size={17} aria-hidden />
          </IconButton>
        </li>
      ) : null}
    </ul>
  )
}
