import type { Intent } from './brief.ts'

interface Phrases {
  titles: readonly string[]
  descriptions: readonly string[]
  buttons: readonly string[]
}

/**
 * Sentences with gaps: {s} and {S} the subject, {n} the subject without its article, {p} percent, {m} an amount of money, {c} a code, {d} a deadline,
 * {a} an audience. One is used only where all its gaps can be filled. Each list has some without any gap.
 */
export const phrases: Record<Intent, Phrases> = {
  discount: {
    titles: [
      '{p} off {s}',
      'Take {p} off {s}',
      '{S}, now {p} less',
      '{p} off {s}, {d}',
      '{m} off {s}',
      'Save {m} on {s}',
      '{p} off for {a}',
      'A better price for {s}',
      'Treat yourself: {s} for less',
      'Good things, better prices',
      '{p} off, just for you',
    ],
    descriptions: [
      'Use code {c} at checkout and save {p} on {s}.',
      'Enter {c} at checkout for your {n}. It works {d}.',
      'Your code is {c}. Pick your favourites and the price drops by itself.',
      'Our thank-you to {a}: {s} for less, {d}.',
      'Leave your email and the discount on {s} is yours.',
      'The offer on {s} runs {d}. After that, regular prices return.',
      'Pick your favourite {n} and keep {p} of the price.',
      'A small thank-you for stopping by: {s}, for less than usual.',
      'A small thank-you for stopping by. Claim it before it is gone.',
    ],
    buttons: ['Claim my discount', 'Get {p} off', 'Shop the offer', 'Save now', 'Unlock my offer'],
  },
  shipping: {
    titles: [
      '{S}, delivered free',
      'Free shipping on {s}',
      'Shipping is on us',
      'Free delivery, {d}',
      'We bring {s} to your door',
    ],
    descriptions: [
      'Order {s} {d} and pay nothing for delivery.',
      'Choose what you like. We cover the shipping on {s}.',
      'Use code {c} and the delivery costs you nothing.',
      'Choose what you like, and leave the delivery to us.',
    ],
    buttons: ['Shop now', 'Get free shipping', 'Start my order'],
  },
  newsletter: {
    titles: [
      '{S}, in your inbox',
      'More {n}, less noise',
      'Stay close to {s}',
      'Never miss a word on {s}',
      'For people who love {s}',
      'Good reading, once in a while',
      'Get the next one first',
    ],
    descriptions: [
      'Short, useful emails about {s}. No spam, and you can leave whenever you like.',
      'Join other {a} and read about {s} before everybody else.',
      'The best of {s}, sent to you. Unsubscribe with one click.',
      'One thoughtful email at a time about {s}. Only when it is worth your while.',
      'Fresh ideas in your inbox. No spam, and you can leave whenever you like.',
    ],
    buttons: ['Sign me up', 'Subscribe', 'Join the list', 'Count me in', 'Keep me posted'],
  },
  launch: {
    titles: [
      'Meet {s}',
      '{S} is almost here',
      'Say hello to {s}',
      'Be first to try {s}',
      '{S}: out {d}',
      'Something new is here',
      'You heard it here first',
    ],
    descriptions: [
      'We have been working on {s} for a while. Be among the first to see it.',
      'Leave your email and we will tell you the moment {s} is ready.',
      'Early access for {a}: {s}, before everybody else.',
      'New, and made with care: {s}. Take a first look {d}.',
      'New, and made with care. Take a first look before everybody else.',
    ],
    buttons: ['Take a look', 'Get early access', 'Show me', 'Be the first', 'Notify me'],
  },
  event: {
    titles: [
      '{S}: save your seat',
      'Join us for {s}',
      '{S}, live {d}',
      'See you {d}?',
      'Your place at {s} is waiting',
      'You are invited',
    ],
    descriptions: [
      'Join us {d} for {s}. Save your place today.',
      'An hour well spent: {s}, with time for your questions.',
      'Made for {a}: {s}, from people who do it every day.',
      '{S}, good company and something to take home. Reserve your place.',
      'Good company and something to take home. Save your place today.',
    ],
    buttons: ['Save my seat', 'Register now', 'Reserve my place', "I'm coming"],
  },
  download: {
    titles: [
      '{S}, made simple',
      'Your guide to {s}',
      'Get better at {s}',
      'Free for you: {s}',
      '{S}, step by step',
      'Yours to keep, for free',
    ],
    descriptions: [
      'Everything we know about {s}, in one free download.',
      'Clear steps, real examples, no jargon. Start with {s} today.',
      'Written for {a}: start with {s} today.',
      'Tell us where to send it, and read about {s} within a minute.',
      'Clear steps, real examples, no jargon. Tell us where to send it.',
    ],
    buttons: ['Send it to me', 'Download free', 'Get my copy', 'Get the guide'],
  },
  survey: {
    titles: [
      'How do you like {s}?',
      'Help us improve {s}',
      'Two minutes for {s}?',
      'Your view on {s} counts',
      'What should we do better?',
    ],
    descriptions: [
      'Tell us what you think about {s}. A few questions, two minutes, real changes.',
      'A few short questions about {s}. We read every single answer.',
      'You know best what works. Tell us in two minutes, and get {p} off as a thank-you.',
      'A few short questions, two minutes. We read every single answer.',
    ],
    buttons: ['Share my thoughts', 'Take the survey', 'Give feedback', 'Start'],
  },
  contest: {
    titles: [
      'Win {s}',
      '{S} could be yours',
      'Feeling lucky? Win {s}',
      'Enter the draw, {d}',
      'Feeling lucky?',
    ],
    descriptions: [
      'Leave your email for a chance to win {s}. It takes ten seconds.',
      'Take your chance at {s} {d}. It takes ten seconds.',
      'Tell us where to reach you, and {s} could be yours. Good luck!',
      'Tell us where to reach you, and take your chance. Good luck!',
    ],
    buttons: ['Enter to win', 'Count me in', 'Take my chance'],
  },
  trial: {
    titles: [
      'Try {s} for free',
      '{S}, free to try',
      'See {s} for yourself',
      'Give {s} a go',
      'Try it before you buy it',
    ],
    descriptions: [
      'Get to know {s} at your own pace, and decide later.',
      'Made for {a}: set up {s} in minutes and see whether it fits.',
      'Set up in minutes and decide later. {S} is free to try.',
      'Get to know it at your own pace, and decide later.',
    ],
    buttons: ['Start free trial', 'Try it free', 'Get started', 'Show me how'],
  },
  booking: {
    titles: [
      'Time for {s}?',
      '{S}: pick your time',
      'Your next visit: {s}',
      'Make room for {s}',
      'Pick a time that suits you',
    ],
    descriptions: [
      'Choose a day that suits you: {s}, whenever you have time.',
      'Find a time for {s} {d}. Booking takes less than a minute.',
      'Book your place online: {s}, in less than a minute.',
      'Choose a day that suits you, and book online in less than a minute.',
    ],
    buttons: ['Book my time', 'See free times', 'Reserve now'],
  },
  donation: {
    titles: [
      'Stand up for {s}',
      'Together for {s}',
      '{S} needs you',
      'Every bit helps {s}',
      'Every bit helps',
    ],
    descriptions: [
      'A small gift goes a long way for {s}. Thank you for being part of it.',
      'Join the people who make {s} possible, with whatever you can spare.',
      'Even {m} helps {s}.',
      'A small gift goes a long way. Thank you for being part of it.',
    ],
    buttons: ['Give today', 'I want to help', 'Donate'],
  },
  general: {
    titles: [
      'Discover {s}',
      '{S}, made for you',
      'A closer look at {s}',
      'Love {s}? Stay a moment',
      '{S}, the good way',
      'Before you go',
      'One more thing',
    ],
    descriptions: [
      'See what makes {s} special, and get the best of it first.',
      'We think you will like this: {s}, picked with care for {a}.',
      'All about {s}, in one place. Have a look, it only takes a moment.',
      'Have a look, it only takes a moment. We think you will like it.',
    ],
    buttons: ['Get Started', 'Take a look', 'Tell me more', 'Discover more'],
  },
}
