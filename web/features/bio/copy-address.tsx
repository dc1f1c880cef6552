import { Check, Copy } from 'lucide-react'
import { notices } from '#domain/texts/texts.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { useCopyWithNotice } from '#web/use-copy-with-notice.ts'

interface CopyAddressProps {
  /** A text of `namedOn`. Undefined for an unsaved page, which has no button. */
  name: string | undefined
  look?: 'ink' | 'plain'
  /** Narrow windows show the icon only. */
  isCompact?: boolean
}

/** Copies the address of the page. */
export function CopyAddress({ name, look = 'plain', isCompact = false }: CopyAddressProps) {
  const { copied, copy } = useCopyWithNotice(notices.copied)
  if (name === undefined) return null
  return (
    <Button size="small" look={look} onClick={() => copy(shortLinkUrl(name))}>
      {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      <span className={isCompact ? 'max-lg:sr-only' : ''}>{copied ? 'Copied' : 'Copy'}</span>
    </Button>
  )
}
