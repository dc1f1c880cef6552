import type { FinishedDraft } from './draft.ts'

/** Finished texts for everything that sells nothing at once. Read like draft-offers.ts. */
export const invitations: readonly FinishedDraft[] = [
  {
    words:
      /\b(wait(ing)? ?list|early access|coming soon|pre-?launch|(first|notified) to know|notify me)\b/i,
    title: ['Be first to try {name}', 'Be first in line'],
    description: ['Leave your email and we’ll write to you as soon as it’s ready.'],
    button: ['Join the waitlist'],
  },
  {
    words:
      /\b(giveaways?|sweepstakes?|raffles?|prize draw|contest|win (a|an|one|two|our|free)\b|competition)/i,
    title: ['Win {name}', 'Enter our giveaway'],
    description: [
      'Enter with your email by {until}. Good luck!',
      'Enter with your email. Good luck!',
    ],
    button: ['Enter to win'],
  },
  {
    words:
      /\b(book|request|live|product|see|get) (a |the |our )?(free |live |product )?demos?\b|\bdemo (call|request|booking)s?\b/i,
    title: ['See {name} in action', 'See it in action'],
    description: ['Book a demo and we’ll show you around.'],
    button: ['Book a demo'],
  },
  {
    words: /\b(webinars?|live ?streams?|online (talk|session|event|seminar)s?)\b/i,
    title: ['Join us live: {name}', 'Join us live {on}', 'Join us live'],
    description: [
      'Save your seat for {on} and bring your questions.',
      'Save your seat for our webinar and bring your questions.',
    ],
    button: ['Save my seat'],
  },
  {
    words: /\bpodcasts?\b/i,
    title: ['Listen to {name}', 'Have you heard our podcast?'],
    description: ['Press play and join us for an episode.'],
    button: ['Listen now'],
  },
  {
    words:
      /\b(download|get|install|try|mobile|our|new|launch of (our|the)) (our |the |new |mobile |free )*apps?\b|\bapps? (store|download|launch|installs?)\b|\b(ios|android) app\b/i,
    title: ['Get the {name} app', 'Get our app'],
    description: ['Download it now and have everything at hand, wherever you are.'],
    button: ['Get the app'],
  },
  {
    words:
      /\b(e-?books?|lead magnet|checklists?|white ?papers?|cheat ?sheets?|(free|download\w*) .{0,30}\b(guides?|pdfs?|templates?|recipes?|workbooks?|printables?))\b/i,
    title: ['{name}, yours to download', 'Your free copy is waiting'],
    description: ['Tell us where to send it: leave your email and it’s yours.'],
    button: ['Send it to me'],
  },
  {
    words:
      /\b(follow (us|me|our)|subscribe (to|on) .{0,25}(youtube|twitch)|instagram|tiktok|youtube|linkedin|facebook page)\b/i,
    title: ['Follow us on {platform}', 'Let’s stay in touch'],
    description: ['See what we’re up to, and say hello.'],
    button: ['Follow us'],
  },
  {
    words: /\b(discord|slack|telegram|whatsapp|forum|community|facebook group)\b/i,
    title: ['Join us on {platform}', 'Come and join us'],
    description: ['Ask questions, share ideas and meet the others.'],
    button: ['Join the community'],
  },
  {
    words:
      /\b(newsletters?|mailing list|subscri(be|bers?)|e-?mail (list|sign-?ups?|updates?)|(collect|get|gather) .{0,20}e-?mails?)\b/i,
    title: ['Join us and get {saving} off', '{name}, in your inbox', 'News worth opening'],
    description: [
      'Leave your email to get our news, and your {saving} off.',
      'Leave your email and we’ll send you our news.',
    ],
    button: ['Subscribe'],
  },
  {
    words: /\bpetitions?\b/i,
    title: ['Sign for “{name}”', 'Add your name'],
    description: ['Sign our petition and pass it on. Every name counts.'],
    button: ['Sign the petition'],
  },
  {
    words: /\b(adopt\w*|rescue (dogs?|cats?|animals?|pets?)|(animal|dog|cat) shelter)\b/i,
    title: ['A new friend is waiting'],
    description: ['Meet the animals that are looking for a home.'],
    button: ['Meet them'],
  },
  {
    words: /\b(donat\w+|fundrais\w+|charity|give to|support our cause)\b/i,
    title: ['Your help makes a difference'],
    description: [
      'Give {price}, or whatever you can. Every donation helps.',
      'Give what you can. Every donation helps.',
    ],
    button: ['Donate now'],
  },
  {
    words: /\bvolunteers?\b/i,
    title: ['Lend us a hand'],
    description: ['We’re looking for volunteers. See how you can help.'],
    button: ['I want to help'],
  },
  {
    words:
      /\b((leave|write|ask\w*|google|customer) (us )?(a |for )?(\w+ )?reviews?|testimonials?)\b/i,
    title: ['How did we do?'],
    description: ['Leave us a review and tell others what you think.'],
    button: ['Leave a review'],
  },
  {
    words: /\b(surveys?|feedback|questionnaires?|polls?|opinions?)\b/i,
    title: ['What do you think?'],
    description: ['Answer a few questions and help us get better.'],
    button: ['Take the survey'],
  },
  {
    words:
      /\b(hir(e|ing)|jobs?|careers?|vacanc(y|ies)|recruit\w*|join our team|apprentice\w*|internships?)\b/i,
    title: ['We’re hiring: {name}', 'We’re hiring'],
    description: [
      'Apply by {until} and tell us about yourself.',
      'See what we’re looking for, and tell us about yourself.',
    ],
    button: ['See open roles'],
  },
  {
    words: /\b(reserv\w+|book) (a |your )?tables?\b|\b(restaurant|table|dinner) reservations?\b/i,
    title: ['Your table is waiting'],
    description: ['Choose a time and we’ll set the table for you.'],
    button: ['Reserve a table'],
  },
  {
    words:
      /\b(lunch|dinner|breakfast|brunch|restaurant|seasonal|new|our|café|cafe|bar|weekly|daily) menu\b|\bmenu (of|for|at) (our|the|a) /i,
    title: ['Have you seen our menu?'],
    description: ['Take a look at our dishes and find your favorite.'],
    button: ['See the menu'],
  },
  {
    words:
      /\b(takeaway|takeout|take-?out|(food|pizza|meal) delivery|deliver\w* (food|pizza|meals)|order (food|pizza|online))\b/i,
    title: ['Hungry?'],
    description: ['Order online and we’ll get cooking.'],
    button: ['Order now'],
  },
  {
    words:
      /\b(open house|(apartments?|flats?|houses?|homes?|condos?|villas?|cottages?|propert(y|ies)|offices?) (for|to) (sale|rent|let)|property listings?)\b/i,
    title: ['Could this be the one?'],
    description: [
      'Come to our open house {on} and look around.',
      'See the details and arrange a viewing.',
    ],
    button: ['See the property'],
  },
  {
    words:
      /\b((online|free|video|beginners?|cooking|language) )?(courses?|class(es)?|lessons?|workshops?|boot ?camps?|master ?class(es)?|tutorials?)\b/i,
    title: ['Learn with us: {name}', 'Learn something new'],
    description: [
      'Join us {on}. Save your place now.',
      'See what you’ll learn, and save your place.',
    ],
    button: ['Save my place'],
  },
  {
    words: /\b(quotes?|estimates?)\b/i,
    title: ['What would it cost?'],
    description: ['Tell us what you need and we’ll come back with a quote.'],
    button: ['Request a quote'],
  },
  {
    words: /\b(consult(ation|ing|ations)|discovery call|strategy call|coaching|advice)\b/i,
    title: ['Let’s talk it through'],
    description: ['Pick a time and bring your questions.'],
    button: ['Book a call'],
  },
  {
    words: /\b(appointments?|book(ing)? (a|an|your|now|online)\b|bookings?|schedule (a|an|your))/i,
    title: ['Find a time that suits you'],
    description: ['Pick a day, and we’ll take care of the rest.'],
    button: ['Book now'],
  },
  {
    words: /\bmember(s|ship|ships)?\b/i,
    title: ['Become a member'],
    description: ['See what’s included, and join when you’re ready.'],
    button: ['See membership'],
  },
  {
    words:
      /\b(grand opening|we('re| are) (now )?open\w*|now open|opening (day|soon|on|party|this)|opens|new (store|shop|location|branch|café|cafe|studio))\b/i,
    title: ['{name} opens {on}', 'We open {on}', 'Our doors are open'],
    description: ['Come by and say hello.'],
    button: ['Plan your visit'],
  },
  {
    words:
      /\b(events?|part(y|ies)|concerts?|festivals?|meet-?ups?|conferences?|(flea|farmers|christmas|street|craft) (market|fair)|fairs?|exhibitions?|vernissage|gigs?|tours?|open day|tickets?|rsvp|weddings?|invitations?|shows?|race|marathon)\b/i,
    title: ['You’re invited to {name}', 'See you {on}', 'You’re invited'],
    description: [
      'Join us {on}. Tickets are {price}.',
      'Join us {on}. Here’s all you need to know.',
      'Tickets are {price}. Here’s all you need to know.',
      'Come and join us. Here’s all you need to know.',
    ],
    button: ['See the details'],
  },
  {
    words: /\bportfolios?\b/i,
    title: ['Take a look at my work'],
    description: ['See a selection of projects, and how to reach me.'],
    button: ['View portfolio'],
  },
  {
    words: /\b(blog( posts?)?|articles?)\b/i,
    title: ['{name}', 'New on the blog'],
    description: ['Have a read and tell us what you think.'],
    button: ['Read more'],
  },
  {
    words:
      /\b(contact( (us|me|form))?|get in touch|questions\?|customer (support|service)|live chat|help ?desk)\b/i,
    title: ['Questions? We’re here'],
    description: ['Tell us what you need, and we’ll get back to you.'],
    button: ['Contact us'],
  },
]
