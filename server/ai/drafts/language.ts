/** The languages that a draft's button can be labeled in. */
export type DraftLanguage = keyof typeof learnMore

/** 'Learn more', for drafts in the person's own words. At most 20 characters. */
export const learnMore = {
  en: 'Learn more',
  de: 'Mehr erfahren',
  fr: 'En savoir plus',
  es: 'Más información',
  it: 'Scopri di più',
  pt: 'Saiba mais',
  nl: 'Meer informatie',
  pl: 'Dowiedz się więcej',
  cs: 'Zjistit více',
  sv: 'Läs mer',
  da: 'Læs mere',
  tr: 'Daha fazla bilgi',
  ru: 'Подробнее',
  uk: 'Докладніше',
  ar: 'اعرف المزيد',
  hi: 'और जानें',
  ja: '詳しく見る',
  ko: '자세히 보기',
  zh: '了解详情',
} as const

// Checked in this order: Japanese also uses Chinese characters, Ukrainian most of the Russian letters.
const scripts: readonly [RegExp, DraftLanguage][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
]

/** Frequent words of each language and of its popups. English competes: '15% off auf alle …' is German. */
const words: readonly [DraftLanguage, string][] = [
  [
    'en',
    'the a an of for to and with our your my we us you on in at off from is are this it all by new free until get join sign up about out',
  ],
  [
    'de',
    'der die das den dem des ein eine einen einer und oder für mit von vom zu zum zur auf im am an bei bis aus über alle unser unsere unseren unserem mein meine meinen wir sie ihr jetzt neu neue neuen nur kostenlos kostenlose rabatt prozent hier ist ab anmelden abonnieren gutschein angebote heute bestellen',
  ],
  [
    'fr',
    'le la les un une des du de et ou pour avec sur dans en au aux chez notre nos votre vos mon ma mes nous vous est ce cette gratuit gratuite réduction remise soldes jusqu dès tous toutes nouveau nouvelle inscription inscrivez réservez offre',
  ],
  [
    'es',
    'el la los las un una de del y o para con por en al nuestro nuestra nuestros nuestras tu su mi es este esta gratis descuento rebajas oferta hasta todos todas nuevo nueva suscríbete reserva ahora',
  ],
  [
    'it',
    'il lo la gli le un uno una di del della dei delle e o per con su nel nella al alla nostro nostra nostri nostre tuo tua mio mia è questo questa gratis gratuito sconto saldi offerta fino tutti tutte nuovo nuova iscriviti sui sulle prenota',
  ],
  [
    'pt',
    'o os as um uma de do da dos das e ou para com por em no na nos nas ao nosso nossa nossos nossas seu sua meu minha é este esta grátis gratuito desconto promoção oferta até todos todas novo nova inscreva agora',
  ],
  [
    'nl',
    'de het een van en of voor met op in bij tot uit aan onze ons jouw je mijn wij we is deze dit gratis korting nieuw nieuwe alle nu schrijf bestel blije',
  ],
  [
    'pl',
    'i w na z do dla od po nasz nasza nasze naszego naszej twój się jest ten ta to zniżki zniżka rabat promocja darmowy darmowa bezpłatny nowy nowa wszystkie zapisz kup teraz',
  ],
  [
    'cs',
    'a v na z do pro od po náš naše našeho našeho vaše se je ten ta to sleva slevy zdarma nový nová všechny přihlaste kup nyní',
  ],
  [
    'sv',
    'en ett och eller för med på i till från av vår vårt våra din ditt dina min mitt är den det alla rabatt gratis ny nytt nya nu erbjudande prenumerera glad',
  ],
  [
    'da',
    'en et og eller for med på i til fra af vores din dit dine min mit er den det alle rabat gratis ny nyt nye nu tilbud tilmeld',
  ],
  [
    'tr',
    've veya için ile bir bu da de tüm bizim bizi sizin yeni indirim indirimi ücretsiz kadar olun şimdi abone kampanya',
  ],
]

const wordsOf = words.map(([language, list]) => ({ language, set: new Set(list.split(' ')) }))

const letters: readonly [RegExp, DraftLanguage][] = [
  [/[äöß]/i, 'de'],
  [/[ñ¿¡]/i, 'es'],
  [/[ãõ]/i, 'pt'],
  [/[œùèê]/i, 'fr'],
  [/[ąęłńśźż]/i, 'pl'],
  [/[ěřůď]/i, 'cs'],
  [/[ğışİ]/, 'tr'],
  [/å/i, 'sv'],
  [/[æø]/i, 'da'],
]

/**
 * The language of a prompt; English when nothing tells. A table of words, because the statistics of n-grams fail on
 * prompts of two or three words (docs/decisions/0044).
 */
export function languageOf(prompt: string): DraftLanguage {
  const script = scripts.find(([pattern]) => pattern.test(prompt))
  if (script) return script[1]
  const said = prompt.toLowerCase().match(/\p{L}+/gu) ?? []
  const score = (language: DraftLanguage, set: ReadonlySet<string>) =>
    said.filter((word) => set.has(word)).length +
    letters.filter(([pattern, of]) => of === language && pattern.test(prompt)).length * 1.5
  let best: { language: DraftLanguage; points: number } = { language: 'en', points: 0 }
  for (const { language, set } of wordsOf) {
    const points = score(language, set)
    if (points > best.points) best = { language, points }
  }
  return best.language
}
