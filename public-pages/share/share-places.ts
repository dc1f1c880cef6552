interface SharePlace {
  name: string
  icon: string
  href: (address: string) => string
  /** For computers without a touch screen, which do not have the app that `href` opens. */
  hrefWithoutApp?: string
}

/** The places of the specification where a page can be shared; `href` takes its address, encoded. */
export const sharePlaces: readonly SharePlace[] = [
  { name: 'X', icon: 'twitter', href: (a) => `https://x.com/intent/post?url=${a}` },
  {
    name: 'Facebook',
    icon: 'facebook',
    href: (a) => `https://www.facebook.com/sharer/sharer.php?u=${a}`,
  },
  { name: 'WhatsApp', icon: 'whatsapp', href: (a) => `https://wa.me/?text=${a}` },
  {
    name: 'LinkedIn',
    icon: 'linkedin',
    href: (a) => `https://www.linkedin.com/sharing/share-offsite/?url=${a}`,
  },
  {
    name: 'Messenger',
    icon: 'messenger',
    href: (a) => `fb-messenger://share/?link=${a}`,
    // Without an app id this site accepts no address, so the address is copied for the visitor to paste.
    hrefWithoutApp: 'https://www.facebook.com/messages/',
  },
  {
    name: 'Snapchat',
    icon: 'snapchat',
    href: (a) => `https://www.snapchat.com/scan?attachmentUrl=${a}`,
  },
]
