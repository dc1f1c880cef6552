import type { FinishedDraft } from './draft.ts'

/** Finished texts for selling. Each line is tried from left to right: the first whose facts are all stated is taken. */
export const offers: readonly FinishedDraft[] = [
  {
    words: /\bgift (cards?|vouchers?|certificates?)\b/i,
    title: ['The gift they choose themselves'],
    description: [
      'Send a gift card from {price} and let them pick what they love.',
      'Send a gift card and let them pick what they love.',
    ],
    button: ['Buy a gift card'],
  },
  {
    words: /\b(refer(s|ral|rals)?|refer a friend|invite (a |your )?friends?|bring a friend)\b/i,
    title: [
      'Invite a friend and get {saving} off',
      'Invite a friend and get {price}',
      'Good things are for sharing',
    ],
    description: ['Know someone who would like it here? Tell them, and we’ll say thank you.'],
    button: ['Invite a friend'],
  },
  {
    words: /\b(loyalty|rewards?( (program|club|card))?|(bonus|collect) points|vip club)\b/i,
    title: ['Join {name}', 'Members save {saving}', 'Coming back pays off'],
    description: [
      'Join our rewards program and save {saving}.',
      'Join our rewards program and get more from every purchase.',
    ],
    button: ['Join the program'],
  },
  {
    words: /\b(free trial|trials?|try (it|us|\w+)? ?(for )?free|test (it|\w+) for free)\b/i,
    title: [
      'Try {name} free for {period}',
      'Free for {period}',
      'Try {name} for free',
      'Try it for free',
    ],
    description: ['Set it up, look around and see whether it fits.'],
    button: ['Start free trial'],
  },
  {
    words: /\bpre-?orders?\b/i,
    title: ['Pre-order {name}', 'Pre-order yours now'],
    description: [
      'Order now for {price} and be among the first to have it.',
      'Order now and be among the first to have it.',
    ],
    button: ['Pre-order now'],
  },
  {
    words:
      /\b(free|flat(-| )?rate) (shipping|delivery|postage)\b|\bshipping (is )?(on us|free|offer)\b/i,
    title: ['Free shipping over {minimum}', 'Free shipping with code {code}', 'Shipping is on us'],
    description: [
      'Enter code {code} at checkout, until {until}.',
      'Enter code {code} at checkout.',
      'Order until {until} and we’ll cover the shipping.',
      'Fill your cart. We’ll cover the shipping.',
    ],
    button: ['Shop now'],
  },
  {
    words: /\b(2|two)[- ]?for[- ]?(1|one|the price of one)\b|\bbogo\b|\bbuy one,? get one\b/i,
    title: ['Two for the price of one'],
    description: [
      'Pick two and pay for one, until {until}.',
      'Pick two and pay for one with code {code}.',
      'Pick two and pay for one.',
    ],
    button: ['See the offer'],
  },
  {
    words: /\bhappy hours?\b/i,
    title: ['It’s happy hour'],
    description: [
      'Join us {on} and enjoy our happy hour prices.',
      'Drop in and enjoy our happy hour prices.',
    ],
    button: ['See what’s on'],
  },
  {
    words:
      /\b(black friday|cyber monday|christmas|xmas|holidays?|halloween|easter|valentine\S*|(mother|father)['’]?s day|new year\S*|thanksgiving|back[- ]to[- ]school|spring|summer|autumn|fall|winter)\b(?=.*\b(sales?|deals?|discounts?|offers?|savings?|off)\b)|\b(sales?|deals?|discounts?|offers?|off)\b.*\b(black friday|cyber monday|christmas|xmas|holidays?|halloween|easter|valentine\S*|(mother|father)['’]?s day|new year|thanksgiving|back[- ]to[- ]school|spring|summer|autumn|winter)\b/is,
    title: ['{season} sale: {saving} off', 'Our {season} sale is on'],
    description: [
      'Use code {code} at checkout until {until}.',
      'Use code {code} at checkout.',
      'Come and see what’s in it. It’s on until {until}.',
      'Come and see what’s in it for you.',
    ],
    button: ['Shop the sale'],
  },
  {
    words: /\b(clearance|(?<!for )sales?\b(?! (team|page|rep|manager|call)))/i,
    title: ['The sale is on: {saving} off', 'The sale is on'],
    description: [
      'Use code {code} at checkout until {until}.',
      'Use code {code} at checkout.',
      'Have a look before it ends: prices are down until {until}.',
      'Have a look around. Prices are down.',
    ],
    button: ['Shop the sale'],
  },
  {
    words:
      /\b(discounts?|coupons?|promo(tion)?s?( codes?)?|vouchers?|special offers?|deals?)\b|\d ?(%|percent)[ -](off|discount|less|cheaper|reduction)|\bsave \d|[$€£]\s?\d+ off\b/i,
    title: [
      '{saving} off “{name}”',
      '{saving} off with code {code}',
      '{saving} off until {until}',
      'Save {saving}',
      'A discount for you',
    ],
    description: [
      'Use code {code} at checkout until {until}.',
      'Enter code {code} at checkout.',
      'The offer is good until {until}. Come and have a look.',
      'Take a look and see what you save.',
    ],
    button: ['Get {saving} off', 'See the offer'],
  },
  {
    words: /\b(kickstarter|crowdfund\w*|back our (project|campaign)|indiegogo)\b/i,
    title: ['Help us make “{name}”', 'Help us make it real'],
    description: [
      'Back our project on {platform} and follow how it grows.',
      'Back our project and follow how it grows.',
    ],
    button: ['Back the project'],
  },
  {
    words:
      /\bback in stock\b(?=.*\b(alerts?|notif\w+|tell|know|when|emails?)\b)|\b(notif\w+|tell|alerts?|know)\b.*\b(back in stock|restock\w*|available again)\b|\b(sold out|out of stock)\b/is,
    title: ['{name} will be back', 'It will be back'],
    description: ['Leave your email and we’ll write to you when it’s in stock again.'],
    button: ['Tell me when'],
  },
  {
    words: /\b(back in stock|restock(ed)?|available again)\b/i,
    title: ['{name} is back in stock', 'Back in stock'],
    description: ['Good news: it’s here again.'],
    button: ['Shop now'],
  },
  {
    words:
      /\b(album|mixtape|(new|debut|next|latest) (single|song|track|ep|record)|music (video|release))\b/i,
    title: ['{name} is out now', 'New music is here'],
    description: ['Press play and turn it up.'],
    button: ['Listen now'],
  },
  {
    words:
      /\b(launch\w*|introduc\w+|new (\w+ )?(product|collection|arrivals?|line|menu item|model|edition)|unveil\w*|now available|just released)\b/i,
    title: ['Meet {name}', 'We launch {on}', 'Something new is here'],
    description: [
      'We launch {on}. Be among the first to take a look.',
      'Be among the first to take a look.',
    ],
    button: ['Take a look'],
  },
]
