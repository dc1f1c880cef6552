import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'

/** The affiliate's link: it fills the code into the sign-up form. */
export function referralUrl(code: string): string {
  return `${site.publicUrl}${routes.home.href({ ref: code })}`
}

/** Text beside the shared link. */
export const invitation = 'I use Hoplet for my short links. It is free to start.'

/** Texts to copy, with the link in them. The longer ones tell that the affiliate earns from it, as many countries ask for. */
export const shareTexts: readonly { name: string; textOf: (url: string) => string }[] = [
  { name: 'Message', textOf: (url) => `${invitation} ${url}` },
  {
    name: 'Post',
    textOf: (url) =>
      `Short links, a bio page and popups in one place: I use Hoplet, and it is free to start. ${url} (referral link)`,
  },
  {
    name: 'Email',
    textOf: (url) =>
      `Hi,

I use Hoplet for my short links. It also makes a page for all of my links, and popups. An account is free:
${url}

This is my referral link: if you pay for a plan one day, I earn a share of it.`,
  },
]
