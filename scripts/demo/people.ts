import type { LookId } from '#domain/bio/looks.ts'
import type { Plan } from '#domain/plans.ts'

export interface DemoLink {
  url: string
  /** Random unless given. */
  code?: string
  title?: string
  tags?: readonly string[]
  /** Approximate visits over the last 60 days. */
  visits: number
  /** From -1, falling, to 1, rising; steady without one. */
  slope?: number
  /** Shows the person's popup. */
  withPopup?: true
}

export interface DemoPerson {
  /** The part of the email address before the @. */
  name: string
  displayName: string
  plan: Plan
  role?: 'admin'
  /** Purpose of the account. Accounts without it are not listed. */
  shows?: string
  /** Days ago. */
  joined: number
  /** `name` of the referrer. */
  broughtBy?: string
  /** Their affiliate code. */
  code?: string
  links?: readonly DemoLink[]
  bioPage?: {
    slug: string
    title: string
    description: string
    look?: LookId
    links: readonly { title: string; url: string }[]
    visits: number
  }
  popup?: Readonly<Record<string, unknown>> & {
    title: string
    cta_text: string
    collect_email?: boolean
  }
  /** How many months have been paid. */
  paidMonths?: number
}

/** The accounts of `npm run dev`; referrers come first. */
export const demoPeople: readonly DemoPerson[] = [
  {
    name: 'admin',
    displayName: 'Robin Admin',
    plan: 'free',
    role: 'admin',
    shows: 'users, reports, system status',
    joined: 210,
  },
  {
    name: 'affiliate',
    displayName: 'Ines Moreau',
    plan: 'free',
    shows: 'an affiliate with sign-ups and earnings of both tiers',
    joined: 200,
    code: 'INESHOPS',
    links: [
      { code: 'ines-picks', url: 'https://blog.example/tools-that-i-use', visits: 160, slope: 0.3 },
    ],
  },
  {
    name: 'pro',
    displayName: 'Mika Laine',
    plan: 'pro',
    shows: 'the plan Pro: click counts, a bio page, popups',
    joined: 170,
    broughtBy: 'affiliate',
    code: 'MIKAHOPS',
    links: [
      {
        code: 'mika-kiln',
        url: 'https://shop.example/collections/spring-kiln',
        title: 'Spring kiln',
        tags: ['shop'],
        visits: 420,
        slope: 0.7,
      },
      {
        code: 'mika-evening',
        url: 'https://tickets.example/pottery-evening?date=friday',
        title: 'Pottery evening, Friday',
        tags: ['poster'],
        visits: 130,
        slope: -0.5,
        withPopup: true,
      },
      { url: 'https://video.example/watch/how-i-glaze', visits: 260, slope: 0.2 },
      { url: 'https://maps.example/place/studio-laine', visits: 48, slope: -0.2 },
      { url: 'https://news.example/culture/clay-is-back', visits: 95, slope: -0.9 },
    ],
    bioPage: {
      slug: 'mika',
      title: 'Mika Laine',
      description: 'Potter. New pieces from the kiln on the first Sunday of the month.',
      look: 'studio',
      links: [
        { title: 'The spring collection', url: 'https://shop.example/collections/spring-kiln' },
        { title: 'Book a pottery evening', url: 'https://tickets.example/pottery-evening' },
        { title: 'How I glaze: a short film', url: 'https://video.example/watch/how-i-glaze' },
      ],
      visits: 340,
    },
    popup: {
      title: 'Ten percent off the spring kiln',
      description: 'Leave your address and get the code before everybody else.',
      cta_text: 'Get the code',
      cta_url: 'https://letters.example/mika',
      collect_email: true,
      consent_text: 'Write to me when the kiln is opened.',
    },
    paidMonths: 5,
  },
  {
    name: 'business',
    displayName: 'Harbour Books',
    plan: 'business',
    shows: 'the plan Business: many links, high limits',
    joined: 140,
    broughtBy: 'pro',
    links: [
      {
        code: 'harbour-reads',
        url: 'https://harbour.example/reading-list',
        title: 'Autumn reading list',
        tags: ['autumn', 'poster'],
        visits: 610,
        slope: 0.45,
      },
      {
        code: 'harbour-night',
        url: 'https://harbour.example/events/reading-night',
        title: 'Reading night, Thursday',
        tags: ['autumn'],
        visits: 380,
        slope: 0.9,
      },
      {
        code: 'harbour-jobs',
        url: 'https://harbour.example/jobs/bookseller',
        title: 'We are hiring a bookseller',
        visits: 75,
        slope: -0.8,
      },
      {
        code: 'harbour-gift',
        url: 'https://harbour.example/gift-cards',
        title: 'Gift cards',
        tags: ['newsletter'],
        visits: 210,
        slope: -0.15,
        withPopup: true,
      },
      { url: 'https://harbour.example/authors/this-month', visits: 150, slope: 0.1 },
      { url: 'https://harbour.example/newsletter/archive/41', visits: 64, slope: -1 },
      {
        url: 'https://harbour.example/newsletter/archive/42',
        title: 'Newsletter 42',
        tags: ['newsletter'],
        visits: 88,
        slope: 0.6,
      },
      { url: 'https://harbour.example/map-and-opening-hours', visits: 290, slope: -0.05 },
    ],
    bioPage: {
      slug: 'harbour',
      title: 'Harbour Books',
      description: 'A bookshop by the water. Open until ten on Thursdays.',
      look: 'editorial',
      links: [
        { title: 'This month’s reading list', url: 'https://harbour.example/reading-list' },
        { title: 'Reading night', url: 'https://harbour.example/events/reading-night' },
        { title: 'Gift cards', url: 'https://harbour.example/gift-cards' },
      ],
      visits: 520,
    },
    popup: {
      title: 'Reading night this Thursday',
      description: 'Three authors, one stove, free tea. Seats are few.',
      cta_text: 'Keep me a seat',
      cta_url: 'https://harbour.example/events/reading-night',
      position: 'bottom',
      collect_email: true,
      consent_text: 'Write to me about readings at Harbour Books.',
    },
    paidMonths: 4,
  },
  {
    name: 'free',
    displayName: 'Sam Okafor',
    plan: 'free',
    shows: 'the plan Free: a few links, the mark on the bio page',
    joined: 60,
    broughtBy: 'affiliate',
    links: [
      { code: 'sam-talk', url: 'https://slides.example/sam/small-tools', visits: 140, slope: -0.4 },
      { url: 'https://code.example/sam/notes', visits: 30 },
    ],
    bioPage: {
      slug: 'sam',
      title: 'Sam Okafor',
      description: 'Writes small tools.',
      links: [{ title: 'Slides of my talk', url: 'https://slides.example/sam/small-tools' }],
      visits: 70,
    },
  },
  {
    name: 'juno',
    displayName: 'Juno',
    plan: 'pro',
    joined: 130,
    broughtBy: 'affiliate',
    paidMonths: 4,
  },
  {
    name: 'nila',
    displayName: 'Nila',
    plan: 'business',
    joined: 100,
    broughtBy: 'affiliate',
    paidMonths: 3,
  },
  {
    name: 'post',
    displayName: 'Parcel Desk',
    plan: 'free',
    joined: 12,
    links: [{ code: 'parcel-fee', url: 'https://parcel-desk.example/pay-now', visits: 40 }],
  },
  { name: 'theo', displayName: 'Theo', plan: 'pro', joined: 75, broughtBy: 'pro', paidMonths: 2 },
]
