// Written by `npm run fix` from domain/texts/en. Do not edit.
import type { Message } from './catalog.ts'

export interface VisitorTexts {
  site: {
    pageTitle: Message<'title'>
    slogan: Message
    report: Message
    madeWith: Message
    returnHome: Message
  }
  notFound: {
    title: Message
    description: Message
    heading: Message
    text: Message
  }
  domainRoot: {
    description: Message<'host'>
    text: Message
  }
  gone: {
    title: Message
    description: Message
    heading: Message
    text: Message
  }
  closed: {
    description: Message
    endedTitle: Message
    endedHeading: Message
    endedText: Message
    earlyTitle: Message
    earlyHeading: Message
    earlyText: Message
  }
  preview: {
    description: Message
    untitled: Message
    destination: Message
    dependsOnVisitor: Message
    open: Message
  }
  password: {
    linkTitle: Message
    linkHeading: Message
    linkDescription: Message
    reportTitle: Message
    reportHeading: Message
    reportDescription: Message
    text: Message
    label: Message
    continue: Message
    wrong: Message
    tooMany: Message<'count'>
  }
  visit: {
    onlyOpens: Message
    tooLarge: Message
    unknownHost: Message
    tooManyMisses: Message
    failed: Message
    unavailable: Message
    prefetch: Message
  }
  interstitial: {
    heading: Message
    text: Message
    continue: Message<'host'>
  }
  popup: {
    close: Message
    noThanks: Message
    noThanksContinue: Message<'host'>
    emailPlaceholder: Message
    emailLabel: Message
    emailIsSent: Message<'host'>
    emailSaved: Message
    emailSent: Message<'host'>
    emailNotSaved: Message
  }
  bio: {
    description: Message<'title'>
    share: Message
    join: Message<'title'>
    backHome: Message
    socialLinks: Message
    website: Message
    email: Message
    links: Message
    noLinks: Message
    qrCode: Message<'address'>
  }
  share: {
    heading: Message
    close: Message
    copyLink: Message
    copied: Message
    copiedStatus: Message
    copyFailed: Message
    copyFailedStatus: Message
    pasteStatus: Message
    copyAboveStatus: Message
    signUp: Message
    findOutMore: Message
  }
  demo: {
    pageTitle: Message<'title'>
    note: Message
    description: Message
    spring: Message
    evenings: Message
    film: Message
    letters: Message
  }
  report: {
    heading: Message
    description: Message
    text: Message<'host'>
    nameLabel: Message
    reported: Message
    reasonLabel: Message
    detailsLabel: Message
    emailLabel: Message
    send: Message
    nameProblem: Message
    reasonProblem: Message
    detailsProblem: Message<'limit'>
    emailProblem: Message
    tooMany: Message
    notStored: Message
    sentHeading: Message
    sentText: Message
  }
  reportReasons: {
    phishing: Message
    malware: Message
    spam: Message
    impersonation: Message
    illegal: Message
    other: Message
  }
  sharedReport: {
    title: Message<'address'>
    description: Message
    readOnly: Message
    tagged: Message<'count' | 'tag'>
    time: Message
    days: Message<'count'>
    pdf: Message
    csv: Message
    totals: Message
    clicks: Message
    visitors: Message
    fromQr: Message
    scans: Message<'count'>
    more: Message<'count' | 'percent'>
    less: Message<'count' | 'percent'>
    asMany: Message<'count'>
    note: Message<'zone'>
    sampled: Message<'count'>
    countedBy: Message
    reportAbuse: Message
    byDayInAll: Message<'count'>
    table: Message
    day: Message
    links: Message
    link: Message
    scansColumn: Message
    noLinks: Message
    mostClicked: Message<'all' | 'count'>
    splits: Message
    variant: Message<'name'>
    variantColumn: Message
    better: Message
    country: Message
    device: Message
    referrer: Message
    source: Message
    unknown: Message
    unknownReferrer: Message
    none: Message
    rest: Message<'count'>
    part: Message
    name: Message
    total: Message
    pdfTooOften: Message
    closedTitle: Message
    closed: Message
    closedText: Message
  }
  clickWords: {
    desktop: Message
    mobile: Message
    tablet: Message
    tv: Message
    bot: Message
    other: Message
    link: Message
    qr: Message
    bio: Message
    popup: Message
    api: Message
  }
  audience: {
    answer: Message<'text' | 'title'>
    thanksTitle: Message
    thanksConfirm: Message
    thanksSaved: Message
    againTitle: Message
    notAnAddress: Message
    tooMany: Message
    formChanged: Message
    notStored: Message
    continue: Message
    confirmTitle: Message
    confirmText: Message
    confirm: Message
    confirmedTitle: Message
    confirmedText: Message
    expiredTitle: Message
    expiredText: Message
    leaveTitle: Message
    leaveText: Message
    leave: Message
    leftTitle: Message
    leftText: Message
    unknownTitle: Message
    unknownText: Message
  }
  signup: {
    title: Message
    text: Message
    action: Message
  }
  invite: {
    title: Message
    text: Message
    action: Message
  }
  magiclink: {
    title: Message
    text: Message
    action: Message
  }
  recovery: {
    title: Message
    text: Message
    action: Message
  }
  emailChange: {
    title: Message
    text: Message
    action: Message
  }
  otherMailedLink: {
    title: Message
    text: Message
    action: Message
  }
  deadLink: {
    heading: Message
    text: Message
    goOn: Message
  }
  tryAgain: {
    heading: Message
    wait: Message<'why'>
    goBack: Message<'why'>
    again: Message
  }
  appRefused: {
    heading: Message
    text: Message<'why'>
    goHome: Message
    unregistered: Message
    unknown: Message
    unusable: Message
  }
  docs: {
    description: Message<'title'>
    overview: Message
    reference: Message
    news: Message
    navigation: Message
    all: Message
    onThisPage: Message
    search: Message
    find: Message
    results: Message
    noQuery: Message
    found: Message<'count' | 'query'>
    nothing: Message<'query'>
    nothingHint: Message
  }
}

export interface MailTexts {
  layout: {
    hasAccount: Message<'host'>
    typedAddress: Message<'host'>
    code: Message
    codeLine: Message<'code'>
    fact: Message<'label' | 'value'>
    buttonLine: Message<'label'>
  }
  receipt: {
    subject: Message<'plan'>
    title: Message
    received: Message<'amount' | 'plan'>
    amount: Message
    paidOn: Message
    paidUntil: Message
    invoice: Message
    seePlan: Message
  }
  'payment-failed': {
    subject: Message<'plan'>
    title: Message
    notCollected: Message<'amount' | 'plan'>
    notAgain: Message
    againOn: Message<'day'>
    checkDetails: Message
  }
  'confirm-sign-up': {
    subject: Message
    title: Message
    intro: Message
    confirm: Message
    noPassword: Message
    notYou: Message
  }
  recovery: {
    subject: Message
    title: Message
    intro: Message
    reset: Message
    notYou: Message
  }
  'magic-link': {
    subject: Message
    title: Message
    intro: Message
    signIn: Message
    notYou: Message
  }
  invite: {
    subject: Message
    title: Message
    intro: Message
    accept: Message
    notExpected: Message
  }
  'email-change-old': {
    subject: Message
    title: Message
    intro: Message
    newAddress: Message
    agree: Message
    notYou: Message
  }
  'email-change-new': {
    subject: Message
    title: Message
    intro: Message
    confirm: Message
    notYou: Message
  }
  reauthentication: {
    subject: Message
    title: Message
    intro: Message
    notYou: Message
  }
  'already-registered': {
    subject: Message
    title: Message
    intro: Message
    signIn: Message
    notYou: Message
  }
  'password-changed': {
    subject: Message
    title: Message
    changed: Message
    notYou: Message
    open: Message
  }
  factors: {
    totp: Message
    webauthn: Message
    phone: Message
  }
  'factor-added': {
    subject: Message
    title: Message
    added: Message<'factor'>
    notYou: Message
    seeSettings: Message
  }
  'factor-removed': {
    subject: Message
    title: Message
    removed: Message<'factor'>
    notYou: Message
    seeSettings: Message
  }
  'api-key-created': {
    subject: Message
    title: Message
    created: Message<'permissions' | 'start'>
    notYou: Message
    seeKeys: Message
  }
  'webhook-disabled': {
    subject: Message<'host'>
    title: Message
    gone: Message<'host'>
    silent: Message<'host'>
    missed: Message
    seeWebhooks: Message
  }
  'click-milestone': {
    first: Message<'code'>
    passed: Message<'code' | 'count'>
    intro: Message
    openPage: Message
    why: Message
    openSettings: Message
  }
  'weekly-summary': {
    subject: Message<'count'>
    title: Message<'count'>
    clicks: Message
    before: Message
    visitors: Message
    seeFigures: Message
    why: Message
    openSettings: Message
  }
  'link-health': {
    subject: Message<'count'>
    title: Message<'count'>
    dead: Message
    moved: Message
    certificate: Message
    seeLinks: Message
    why: Message
    openSettings: Message
  }
  'archive-ready': {
    subject: Message
    title: Message
    intro: Message
    partial: Message
    notYou: Message
    open: Message
  }
  'domain-failing': {
    subject: Message<'host'>
    title: Message<'host'>
    proof: Message<'host'>
    direction: Message<'host'>
    left: Message<'count'>
    open: Message
  }
  'domain-lost': {
    subject: Message<'host'>
    title: Message<'host'>
    expired: Message<'host'>
    taken: Message<'host'>
    kept: Message
    open: Message
  }
  'space-invitation': {
    subject: Message<'space'>
    title: Message<'space'>
    owner: Message
    editor: Message
    viewer: Message
    once: Message
    open: Message
    notYou: Message
  }
  'lead-confirmation': {
    subject: Message
    subjectFrom: Message<'name'>
    title: Message
    intro: Message
    from: Message
    popup: Message
    consent: Message
    address: Message
    confirm: Message
    notYou: Message
    unsubscribe: Message
  }
  test: {
    subject: Message
    title: Message
    works: Message
    open: Message
  }
}
