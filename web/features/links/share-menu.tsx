import { Share2 } from 'lucide-react'
import { Popover, popoverItemClass } from '#web/ui/popover.tsx'
import { BrandIcon } from './brand-icons.tsx'

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

export function ShareMenu({ url }: { url: string }) {
  return (
    <Popover label="Share" icon={<Share2 size={17} aria-hidden />} className="w-44">
      <ul aria-label="Share on">
        {places.map(({ name, brand, href }) => (
          <li key={name}>
            <a
              href={href(url)}
              target="_blank"
              rel="noopener noreferrer"
              className={popoverItemClass}
            >
              <BrandIcon brand={brand} />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Popover>
  )
}
